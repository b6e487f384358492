import { latestSize } from '../service/contract.ts';
import { thousands } from '../text/count.ts';
import type { SandboxSettings } from './defaults.ts';
import { hash } from './random.ts';
import type { Channel, Video } from './videos.ts';
import * as videos from './videos.ts';

/** A list that is read page by page: a playlist, or the uploads of a channel at one moment. */
export interface VideoList {
  readonly owner: Channel;
  readonly count: number;
  /** Its playlist_info without the description, which only a playlist has. */
  readonly info: object;
  readonly description: string;
  /** Returns the video at a position, which counts from 0 at the top. */
  at(position: number): Video;
}

const minute = 60_000;

/** Returns a function that returns the uploads of a channel, which grow from now on, and the entries of its feed. */
export function demoCatalog({ grow, now }: Pick<SandboxSettings, 'grow' | 'now'>) {
  const started = now();
  return (owner: Channel): VideoList & { feed(): readonly Video[] } => {
    const { size, seed, title } = owner;
    const isOdd = owner === videos.oddChannel;
    const count = size + Math.floor(((now() - started) * grow) / minute);
    const video = (number: number): Video => {
      if (number <= size) return videos.upload(owner, number);
      return { channel: owner, number, published: started + ((number - size) * minute) / grow };
    };
    const at = (position: number): Video => video(isOdd ? oddNumber(count, position) : count - position);
    const newest = (): Video[] => Array.from({ length: Math.min(latestSize, count) }, (_, i) => at(i));
    const info = { title: `Uploads from ${title}`, numVideos: String(count), ownerName: title };
    const viewCount = size > 0 && seed % 3 !== 1 ? String(size * 41_687 + seed) : null;
    return {
      owner,
      count,
      // In `@odd`, numVideos has a thousands separator and counts videos that are never listed.
      info: isOdd ? { ...info, numVideos: thousands(count + 755) } : { ...info, viewCount },
      description: '',
      at,
      feed: isOdd ? () => oddFeed(count, video) : newest,
    };
  };
}

/** Returns the list with this ID: `PLdemo` or the uploads of a channel (UU); undefined if there is none. */
export function listById(id: string, catalog: ReturnType<typeof demoCatalog>): VideoList | undefined {
  if (id === 'PLdemo') return demoPlaylist;
  const owner = id.startsWith('UU') ? videos.findChannel(`UC${id.slice(2)}`) : undefined;
  return owner && catalog(owner);
}

const demoPlaylist: VideoList = {
  owner: videos.demoChannel,
  count: 321,
  info: {
    title: 'Demo playlist: the best of “everything” & more',
    numVideos: '321',
    ownerName: videos.demoChannel.title,
    viewCount: '81726354',
  },
  description: 'Videos of two demo channels.\nOldest first, new ones are added at the end.',
  at: (position) =>
    position % 5 === 4
      ? videos.upload(videos.channelOfSize(500), position + 1)
      : videos.upload(videos.demoChannel, position * 3 + 1),
};

/** Number of the upload that is always on top of the list of `@odd`, but at its date in the feed. */
const premiere = 250;

const isMembersOnly = (number: number): boolean => number === 259 || number % 40 === 0;

/** Returns the number of the upload at a position of the list of `@odd`: the premiere first, then the others, newest first. */
function oddNumber(count: number, position: number): number {
  if (position === 0) return premiere;
  const number = count - position + 1;
  return number > premiere ? number : number - 1;
}

/** Returns the feed of `@odd`: with a stream and Shorts that the list never has, without the newest and members-only uploads. */
function oddFeed(count: number, video: (number: number) => Video): Video[] {
  const numbers = Array.from({ length: 2 * latestSize }, (_, i) => count - 1 - i);
  const uploads = numbers.filter((number) => !isMembersOnly(number)).map(video);
  const feed = [{ channel: videos.oddChannel, number: 5_000_001, published: Date.UTC(2099, 0, 1, 18) }];
  for (const [position, listed] of uploads.entries()) {
    if (position === 0 || position === 3) feed.push({ ...listed, number: videos.firstShort + position });
    feed.push(listed);
  }
  return feed.slice(0, latestSize);
}

/** Returns the length of the page of `@odd` that begins at an offset: not all pages are equally long. */
export function oddPageSize(offset: number, pageSize: number): number {
  const shares = [0.97, 1, 0.41, 0.88];
  return Math.ceil(pageSize * (shares[hash(offset, 10) % shares.length] ?? 1));
}

const unknownFields =
  'channelId channelTitle channelHandle lengthText viewCountText publishedTimeText members_only'.split(' ');
const unknown = { ...Object.fromEntries(unknownFields.map((name) => [name, null])), thumbnails: [] };
const oddVideos: Readonly<Record<number, object>> = {
  [premiere]: { lengthText: 'PREMIERE', viewCountText: '214 waiting', publishedTimeText: null },
  262: { lengthText: 'LIVE', viewCountText: null, publishedTimeText: null },
  247: { title: '[Private video]', ...unknown },
  233: { videoId: null, title: '[Deleted video]', ...unknown },
  256: { lengthText: undefined, channelHandle: undefined },
  244: { viewCountText: undefined },
};

/** Fields of a video entry of `@odd` that replace or follow the usual ones; undefined removes a field. */
export const oddFields = (video: Video): object => ({
  publishedTimeText: videos.ageText(video),
  members_only: isMembersOnly(video.number),
  ...oddVideos[video.number],
});
