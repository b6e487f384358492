import type { Catalog, Uploads } from './catalog.ts';
import { type Channel, channelById, channelOfSize, demoChannel } from './channels.ts';
import { isOdd, oddCount } from './odd.ts';

/** A list that is read page by page: the uploads of a channel, or a playlist. */
export interface VideoList extends Pick<Uploads, 'count' | 'at'> {
  readonly owner: Channel;
  readonly title: string;
  readonly description: string;
  readonly numVideos: string;
  /** Total views, as deployments show them: null for some lists, absent for others. */
  readonly viewCount: string | null | undefined;
  /** `continuation_token` of the last page: deployments send null, an empty string or no token. */
  readonly lastToken: null | '' | undefined;
}

/** The ID of the uploads list of a channel (UU). */
export function uploadsId(channel: Channel): string {
  return `UU${channel.id.slice(2)}`;
}

/** The list with this ID: `PLdemo` or the uploads of a channel (UU); undefined if there is none. */
export function listById(id: string, catalog: Catalog): VideoList | undefined {
  if (id === 'PLdemo') return demoPlaylist;
  const owner = id.startsWith('UU') ? channelById(`UC${id.slice(2)}`) : undefined;
  return owner && uploadsOf(owner, catalog);
}

function uploadsOf(owner: Channel, catalog: Catalog): VideoList {
  const { size, seed, title } = owner;
  const { count, at } = catalog(owner);
  const views = size > 0 && seed % 3 !== 1 ? String(size * 41_687 + seed) : null;
  const list = { owner, count, at, title: `Uploads from ${title}`, description: '' };
  return isOdd(owner)
    ? { ...list, numVideos: oddCount(count), viewCount: undefined, lastToken: undefined }
    : { ...list, numVideos: String(count), viewCount: views, lastToken: null };
}

/** Every fifth video is from another channel than the owner's. */
const demoPlaylist: VideoList = {
  owner: demoChannel,
  title: 'Demo playlist: the best of “everything” & more',
  description: 'Videos of two demo channels.\nOldest first, new ones are added at the end.',
  numVideos: '321',
  viewCount: '81726354',
  lastToken: '',
  count: 321,
  at: (position) =>
    position % 5 === 4
      ? { channel: channelOfSize(500), number: position + 1 }
      : { channel: demoChannel, number: position * 3 + 1 },
};
