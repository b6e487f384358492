import { latestSize } from '../service/contract.ts';
import { type Channel, oddCode } from './channels.ts';
import { hash } from './random.ts';
import { ageText, duration, lengthText, published, type Video, viewsText } from './videos.ts';

/**
 * `@odd` has the oddities of real channels. Its uploads are numbered like those of any channel; these numbers are
 * special.
 */
const odd = {
  /** On top of the list, above newer uploads; at its date in the feed. */
  premiere: 250,
  live: 262,
  private: 247,
  deleted: 233,
  /** An entry that lacks `lengthText` and `channelHandle`. */
  sparse: 256,
  /** An entry that lacks `viewCountText`. */
  unviewed: 244,
  /** A feed entry that has no `viewCount`, and a null in another field. */
  undescribed: 258,
} as const;

const scheduledStream = 5_000_001;
/** Number of the first Short. */
const shorts = 5_000_100;
/** Places of the Shorts in the feed. */
const shortPlaces: readonly number[] = [1, 5];

/** A publication time that is in the future on every machine. */
const alwaysFuture = Date.UTC(2099, 0, 1, 18);

/** True for `@odd`. */
export function isOdd({ code }: Channel): boolean {
  return code === oddCode;
}

/** Members-only uploads: in the list, not in the feed. */
function isMembersOnly(number: number): boolean {
  return number === 259 || number % 40 === 0;
}

/** Number of the upload at a position of a list of `total`: the premiere first, then from the newest. */
export function oddNumber(total: number, position: number): number {
  if (position === 0) return odd.premiere;
  const number = total - position + 1;
  return number > odd.premiere ? number : number - 1;
}

/**
 * The feed of `@odd`. It holds a scheduled stream and Shorts, which the list never holds. It lacks members-only
 * uploads and the newest upload, which it shows later than the list.
 */
export function oddFeed(channel: Channel, total: number, upload: (number: number) => Video): Video[] {
  const feed: Video[] = [{ channel, number: scheduledStream, publishedAt: alwaysFuture }];
  for (let number = total - 1; feed.length < latestSize; number--) {
    if (isMembersOnly(number)) continue;
    const next = upload(number);
    const short = shortPlaces.indexOf(feed.length);
    if (short >= 0) feed.push({ channel, number: shorts + short, short: true, publishedAt: published(next) });
    feed.push(next);
  }
  return feed.slice(0, latestSize);
}

/** `numVideos` of `@odd`: also counts videos that are never listed, and has a thousands separator. */
export function oddCount(listed: number): string {
  return String(listed + 755).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Length of the page of `@odd` that begins at an offset: pages are uneven. */
export function oddPageSize(offset: number, pageSize: number): number {
  const shares = [0.97, 1, 0.41, 0.88];
  return Math.ceil(pageSize * (shares[hash(offset, 10) % shares.length] ?? 1));
}

/** Fields of a video entry of `@odd` that replace or follow the usual ones; undefined removes a field. */
export function oddFields(video: Video): object {
  const { number } = video;
  const extra = {
    publishedTimeText: ageText(video),
    members_only: isMembersOnly(number),
    badges: number % 3 === 0 ? ['4K', 'CC'] : [],
    captions: { languages: number % 2 === 0 ? ['en', 'pt-BR'] : ['en'], automatic: number % 5 === 0 },
  };
  const unknown = {
    channelId: null,
    channelTitle: null,
    channelHandle: null,
    lengthText: null,
    viewCountText: null,
    thumbnails: [],
    publishedTimeText: null,
    members_only: null,
    badges: null,
    captions: null,
  };
  switch (number) {
    case odd.premiere:
      return { ...extra, lengthText: 'PREMIERE', viewCountText: '214 waiting', publishedTimeText: null };
    case odd.live:
      return { ...extra, lengthText: 'LIVE', viewCountText: null, publishedTimeText: null };
    case odd.private:
      return { title: '[Private video]', ...unknown };
    case odd.deleted:
      return { videoId: null, title: '[Deleted video]', ...unknown };
    case odd.sparse:
      return { ...extra, lengthText: undefined, channelHandle: undefined };
    case odd.unviewed:
      return { ...extra, viewCountText: undefined };
    default:
      return { ...extra, lengthText: withHours(video) };
  }
}

/** Fields of a search entry of `@odd`, as `oddFields`; null if a search does not find the upload. */
export function oddSearchFields(video: Video): object | null {
  if (video.number === odd.private || video.number === odd.deleted) return null;
  if (video.number === odd.live) return { lengthText: 'LIVE', viewCountText: null, publishedTimeText: null };
  return { lengthText: withHours(video), viewCountText: viewsText(video) };
}

/** The entry without a video that a search of `@odd` holds. */
export const advertisement = {
  type: 'ad',
  videoId: null,
  title: 'An advertisement',
  link: 'https://ads.example/',
};

/** Fields of a feed entry of `@odd`, as `oddFields`. */
export function oddFeedFields({ number }: Video): object {
  if (number === odd.undescribed) return { description: null, viewCount: undefined };
  return number === scheduledStream ? { viewCount: '0', liveContent: 'upcoming' } : {};
}

/** Duration as real deployments show it: `1:02:33` from an hour on. */
function withHours(video: Video): string {
  const seconds = duration(video);
  if (seconds < 3600) return lengthText(video);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
}
