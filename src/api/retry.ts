/** When to try again, and after how long: pure, apart from doing it. */

/** Statuses that are worth another try. */
const retriedStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** True for an HTTP status that may be better the next time. */
export function isRetriedStatus(status: number): boolean {
  return retriedStatuses.has(status);
}

const firstDelay = 500;
const longestDelay = 30_000;

/**
 * Milliseconds before retry number `retry` (from 1) where the service names none: doubling from half a second
 * to half a minute, of which a `random` (0 to 1) share of up to a half is taken off.
 */
export function backoff(retry: number, random: number): number {
  const full = Math.min(longestDelay, firstDelay * 2 ** (retry - 1));
  return Math.round(full * (1 - random / 2));
}

/**
 * Milliseconds that a `Retry-After` header asks for: seconds or an HTTP date (a past one: 0). `now` is the
 * moment of the answer in milliseconds since 1970: its `Date` header where it has one, so that a wrong clock
 * here does no harm. Null where there is no header or it makes no sense.
 */
export function retryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Za-z]{3},? /.test(text) && !/^[A-Za-z]+, \d/.test(text)) return null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** A span of time for people: `4 s`, `2 min 5 s`, `1 h 3 min`, `3 days`, `more than a year`. */
export function span(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  if (hours > 365 * 24) return 'more than a year';
  return `${Math.floor(hours / 24)} days`;
}
