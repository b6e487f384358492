import { count } from '../text/count.ts';
import type { Channel } from './channels.ts';
import { base64url, hash, mix } from './random.ts';

/** One video: everything that is told of it follows from its channel and its number. */
export interface Video {
  readonly channel: Channel;
  /** Counted from the channel's oldest upload, which is 1: growth changes no number. */
  readonly number: number;
}

/** Identifier of 11 characters, different for every video of every channel. */
export function videoId({ channel, number }: Video): string {
  const first = mix(number + hash(channel.code, 4));
  return base64url(first, mix(channel.code ^ first));
}

/** Duration in seconds: mostly some minutes, sometimes hours. */
export function duration({ channel, number }: Video): number {
  const chance = hash(channel.code, number, 5);
  return chance % 12 === 0 ? 3600 + ((chance >>> 8) % 14_400) : 7 + ((chance >>> 8) % 2400);
}

/** Number of views: from a few to some hundred millions. */
export function views({ channel, number }: Video): number {
  const chance = hash(channel.code, number, 6);
  return Math.floor(((chance >>> 8) * 16) / 2 ** (chance % 24));
}

const day = 86_400_000;
/** When the newest of the uploads that a channel starts with was published. */
const anchor = Date.UTC(2026, 0, 1);

/** Time of publication in milliseconds since 1970. */
export function published({ channel, number }: Video): number {
  const step = Math.min(day, (19 * 365 * day) / Math.max(1, channel.size));
  return anchor - Math.round((channel.size - number) * step);
}

/** Age as display text, seen from the day after the newest upload. */
export function ageText(video: Video): string {
  const days = Math.floor((anchor + day - published(video)) / day);
  const units = [
    ['year', 365],
    ['month', 30],
    ['week', 7],
    ['day', 1],
  ] as const;
  for (const [unit, length] of units) {
    const age = Math.floor(days / length);
    if (age >= 1) return `${count(age, unit, `${unit}s`)} ago`;
  }
  return '3 hours ago';
}

/** Duration as display text: `<minutes>:<seconds>`, also beyond an hour (service specification, 2.2). */
export function lengthText(video: Video): string {
  const seconds = duration(video);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Number of views as display text, e.g. "3.2M views". */
export function viewCountText(video: Video): string {
  const count = views(video);
  if (count === 0) return 'No views';
  if (count === 1) return '1 view';
  for (const [unit, size] of [
    ['M', 1_000_000],
    ['K', 1_000],
  ] as const) {
    if (count < size) continue;
    const tenths = Math.floor(count / (size / 10));
    return `${tenths < 100 ? tenths / 10 : Math.floor(tenths / 10)}${unit} views`;
  }
  return `${count} views`;
}
