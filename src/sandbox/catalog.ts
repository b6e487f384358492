import { latestSize } from '../service/contract.ts';
import type { Channel } from './channels.ts';
import type { Settings } from './defaults.ts';
import { isOdd, oddFeed, oddNumber } from './odd.ts';
import type { Video } from './videos.ts';

/** The uploads of a channel at one moment. */
export interface Uploads {
  /** Length of the list. */
  readonly count: number;
  /** The upload at a position of the list, counted from its top, from 0. */
  at(position: number): Video;
  /** The latest uploads as the feed shows them, at most 15 (docs/service.md, 4.4). */
  feed(): readonly Video[];
}

/** Returns the current uploads of a channel. */
export type Catalog = (channel: Channel) => Uploads;

const minute = 60_000;

/** The demo data; each channel grows from now on. */
export function demoCatalog({ grow, now, sizeOf }: Pick<Settings, 'grow' | 'now' | 'sizeOf'>): Catalog {
  const started = now();
  return (channel) => {
    const added = Math.max(0, Math.floor(((now() - started) * grow) / minute));
    const count = sizeOf(channel.handle) ?? channel.size + added;
    const video = (number: number): Video => {
      const extra = number - channel.size;
      if (extra <= 0 || grow === 0) return { channel, number };
      return { channel, number, publishedAt: started + (extra * minute) / grow };
    };
    if (isOdd(channel)) {
      const at = (position: number): Video => video(oddNumber(count, position));
      return { count, at, feed: () => oddFeed(channel, count, video) };
    }
    const at = (position: number): Video => video(count - position);
    const feed = (): Video[] => Array.from({ length: Math.min(latestSize, count) }, (_, i) => at(i));
    return { count, at, feed };
  };
}
