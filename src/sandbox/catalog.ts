import { latestSize } from '../service/contract.ts';
import { type Channel, oddCode } from './channels.ts';
import { oddFeed, oddNumber } from './odd.ts';
import { hash } from './random.ts';
import type { Video } from './videos.ts';

/** The current uploads of each channel. Positions count from the top of the list, from 0. */
export interface Catalog {
  /** Length of the uploads list. */
  count(channel: Channel): number;
  /** The upload at a position of a list of this length: the list may grow while a response is built. */
  upload(channel: Channel, position: number, count: number): Video;
  /** The latest uploads as the feed shows them, at most 15 (service specification, 4.4). */
  feed(channel: Channel): Video[];
}

const minute = 60_000;

/**
 * The demo data. `grow`: about this many new uploads per channel and minute, from now on; `now`: milliseconds since
 * 1970.
 */
export function demoCatalog(grow: number, now: () => number): Catalog {
  const started = now();
  /** Share of an upload that the channel has at the start: the channels do not all grow at the same moment. */
  const phase = (channel: Channel): number => hash(channel.code, 9) / 0x1_0000_0000;
  const added = (channel: Channel): number =>
    grow === 0 ? 0 : Math.max(0, Math.floor(phase(channel) + ((now() - started) * grow) / minute));
  const video = (channel: Channel, number: number): Video => {
    const extra = number - channel.size;
    if (extra <= 0) return { channel, number };
    return { channel, number, publishedAt: started + ((extra - phase(channel)) * minute) / grow };
  };
  const count = (channel: Channel): number => channel.size + added(channel);
  return {
    count,
    upload: (channel, position, count) =>
      video(channel, channel.code === oddCode ? oddNumber(count, position) : count - position),
    feed: (channel) => {
      const total = count(channel);
      if (channel.code === oddCode) return oddFeed(channel, total, (number) => video(channel, number));
      return Array.from({ length: Math.min(latestSize, total) }, (_, at) => video(channel, total - at));
    },
  };
}
