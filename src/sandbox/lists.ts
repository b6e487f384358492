import { type Channel, channelByCode, largestSize } from './channels.ts';

/** A list that is read page by page: the uploads of a channel, or a playlist. */
export interface VideoList {
  /** Names the list in tokens; of uploads: the channel's code. */
  readonly code: number;
  readonly kind: 'uploads' | 'playlist';
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly owner: Channel;
  /** Total views, as deployments show them: null for some lists. */
  readonly viewCount: string | null;
}

/** The list of all uploads of a channel. */
export function uploadsOf(channel: Channel): VideoList {
  const viewless = channel.size === 0 || channel.code % 3 === 1;
  return {
    code: channel.code,
    kind: 'uploads',
    id: `UU${channel.id.slice(2)}`,
    title: `Uploads from ${channel.title}`,
    description: '',
    owner: channel,
    viewCount: viewless ? null : String(channel.size * 41_687 + channel.code),
  };
}

function demo(): Channel {
  const channel = channelByCode(largestSize + 1);
  if (channel === undefined) throw new Error('the demo channel is missing');
  return channel;
}

/** The one demo playlist: 321 videos of two channels. */
export const demoPlaylist: VideoList = {
  code: largestSize + 3,
  kind: 'playlist',
  id: 'PLdemo',
  title: 'Demo playlist: the best of “everything” & more',
  description: 'Videos of two demo channels.\nOldest first, new ones are added at the end.',
  owner: demo(),
  viewCount: '81726354',
};

export const demoPlaylistSize = 321;

/** The list of a code; undefined where there is none. */
export function listByCode(code: number): VideoList | undefined {
  if (code === demoPlaylist.code) return demoPlaylist;
  const channel = channelByCode(code);
  return channel === undefined ? undefined : uploadsOf(channel);
}
