import { latestSize } from '../service/contract.ts';
import type { SandboxSettings } from './defaults.ts';
import { oddCount, oddFeed, oddNumber } from './odd.ts';
import { type Channel, channelById, channelOfSize, demoChannel, type Video } from './videos.ts';

/** A list that is read page by page: a playlist, or the uploads of a channel at one moment. */
export interface VideoList {
  readonly owner: Channel;
  readonly title: string;
  readonly description: string;
  readonly count: number;
  readonly numVideos: string;
  /** Total views, as deployments show them: null for some lists, absent for others. */
  readonly viewCount: string | null | undefined;
  /** The video at a position, counted from the top, from 0. */
  at(position: number): Video;
}

const minute = 60_000;

/** The uploads of each channel, which grows from now on, and what the feed shows of them. */
export function demoCatalog({ grow, now, sizeOf }: SandboxSettings) {
  const started = now();
  return (owner: Channel): VideoList & { feed(): readonly Video[] } => {
    const { handle, size, seed, isOdd } = owner;
    const added = Math.max(0, Math.floor(((now() - started) * grow) / minute));
    const count = sizeOf(handle) ?? size + added;
    const video = (number: number): Video => {
      const extra = number - size;
      if (extra <= 0 || grow === 0) return { channel: owner, number };
      return { channel: owner, number, publishedAt: started + (extra * minute) / grow };
    };
    const at = (position: number): Video => video(isOdd ? oddNumber(count, position) : count - position);
    const newest = (): Video[] => Array.from({ length: Math.min(latestSize, count) }, (_, i) => at(i));
    const viewCount = size > 0 && seed % 3 !== 1 ? String(size * 41_687 + seed) : null;
    return {
      owner,
      title: `Uploads from ${owner.title}`,
      description: '',
      count,
      numVideos: isOdd ? oddCount(count) : String(count),
      viewCount: isOdd ? undefined : viewCount,
      at,
      feed: isOdd ? () => oddFeed(owner, count, video) : newest,
    };
  };
}

export function uploadsId(channel: Channel): string {
  return `UU${channel.id.slice(2)}`;
}

/** The list with this ID: `PLdemo` or the uploads of a channel (UU); undefined if there is none. */
export function listById(id: string, catalog: ReturnType<typeof demoCatalog>): VideoList | undefined {
  if (id === 'PLdemo') return demoPlaylist;
  const owner = id.startsWith('UU') ? channelById(`UC${id.slice(2)}`) : undefined;
  return owner && catalog(owner);
}

/** Every fifth video is from another channel than the owner's. */
const demoPlaylist: VideoList = {
  owner: demoChannel,
  title: 'Demo playlist: the best of “everything” & more',
  description: 'Videos of two demo channels.\nOldest first, new ones are added at the end.',
  count: 321,
  numVideos: '321',
  viewCount: '81726354',
  at: (position) =>
    position % 5 === 4
      ? { channel: channelOfSize(500), number: position + 1 }
      : { channel: demoChannel, number: position * 3 + 1 },
};
