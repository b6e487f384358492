import { latestSize } from '../service/contract.ts';
import { hash } from './random.ts';
import { ageText, type Channel, published, type Video } from './videos.ts';

/** The upload that is always on top of the list of `@odd`, but at its date in the feed. */
const premiere = 250;
const scheduledStream = 5_000_001;
const shorts = 5_000_100;
const shortPlaces: readonly number[] = [1, 5];

const alwaysFuture = Date.UTC(2099, 0, 1, 18);

function isMembersOnly(number: number): boolean {
  return number === 259 || number % 40 === 0;
}

/** Number of the upload at a position of a list of `total`: the premiere first, then from the newest. */
export function oddNumber(total: number, position: number): number {
  if (position === 0) return premiere;
  const number = total - position + 1;
  return number > premiere ? number : number - 1;
}

/** It shows a scheduled stream and Shorts, which the list never has, and lacks members-only uploads and the newest one. */
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
  return (listed + 755).toLocaleString('en');
}

/** Length of the page of `@odd` that begins at an offset: pages are uneven. */
export function oddPageSize(offset: number, pageSize: number): number {
  const shares = [0.97, 1, 0.41, 0.88];
  return Math.ceil(pageSize * (shares[hash(offset, 10) % shares.length] ?? 1));
}

const unknown = {
  ...{ channelId: null, channelTitle: null, channelHandle: null, lengthText: null, viewCountText: null },
  ...{ thumbnails: [], publishedTimeText: null, members_only: null, captions: null },
};
const special: Readonly<Record<number, object>> = {
  [premiere]: { lengthText: 'PREMIERE', viewCountText: '214 waiting', publishedTimeText: null },
  262: { lengthText: 'LIVE', viewCountText: null, publishedTimeText: null },
  247: { title: '[Private video]', ...unknown },
  233: { videoId: null, title: '[Deleted video]', ...unknown },
  256: { lengthText: undefined, channelHandle: undefined },
  244: { viewCountText: undefined },
};

/** Fields of a video entry of `@odd` that replace or follow the usual ones; undefined removes a field. */
export function oddFields(video: Video): object {
  const { number } = video;
  return {
    publishedTimeText: ageText(video),
    members_only: isMembersOnly(number),
    captions: { languages: ['en', 'pt-BR'], automatic: number % 5 === 0 },
    ...special[number],
  };
}
