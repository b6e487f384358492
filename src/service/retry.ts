/** The retry policy: whether a failed attempt is repeated, and after which wait. Pure. Times are in milliseconds. */

/** HTTP statuses after which the same request may succeed. */
const retriedStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Statuses whose `Retry-After` does not count against `--retries`. */
const uncountedStatuses: ReadonlySet<number> = new Set([429, 503]);

/** Whether the same request may succeed after this HTTP status. */
export function isRetriedStatus(status: number): boolean {
  return retriedStatuses.has(status);
}

/** A failed attempt. */
export interface RetryCause {
  /** HTTP status; null if none arrived. */
  readonly status: number | null;
  /** The same request may succeed. */
  readonly retryable: boolean;
  /** Wait that the service named in `Retry-After`; null if it named none. */
  readonly retryAfterMs: number | null;
}

/** The retries and waits so far. */
export interface RetryProgress {
  /** Retries of this request that count against `--retries`. */
  readonly counted: number;
  /** Waits of this request. */
  readonly requestWaitMs: number;
  /** Waits of the whole call since its last success; overlapping waits count once. */
  readonly callWaitMs: number;
  /** How long the waits that are already part of `callWaitMs` last from now. */
  readonly pendingMs: number;
  /** A number in [0, 1), for the jitter. */
  readonly random: number;
}

export interface RetryLimits {
  /** Counted retries per request. */
  readonly retries: number;
  /** Total wait: of the call without a success for a 429, of the request for anything else. */
  readonly maxWaitMs: number;
}

export type RetryDecision =
  | {
      readonly retry: true;
      readonly waitMs: number;
      /** The retry counts against `--retries`. */
      readonly counts: boolean;
      /** The wait holds for every request of the call. */
      readonly pausesCall: boolean;
    }
  | { readonly retry: false; readonly reason: 'not retryable' | 'retries' | 'max-wait' };

/** Decides whether an attempt that failed is repeated (product contract, "Retries"). */
export function decideRetry(cause: RetryCause, progress: RetryProgress, limits: RetryLimits): RetryDecision {
  const { status, retryable, retryAfterMs } = cause;
  if (!retryable) return { retry: false, reason: 'not retryable' };
  const counts = retryAfterMs === null || status === null || !uncountedStatuses.has(status);
  if (counts && progress.counted >= limits.retries) return { retry: false, reason: 'retries' };
  const waitMs = retryAfterMs ?? backoff(progress.counted + 1, progress.random);
  const pausesCall = status === 429;
  const totalMs = pausesCall
    ? progress.callWaitMs + Math.max(0, waitMs - progress.pendingMs)
    : progress.requestWaitMs + waitMs;
  if (totalMs > limits.maxWaitMs) return { retry: false, reason: 'max-wait' };
  return { retry: true, waitMs, counts, pausesCall };
}

const firstBackoffMs = 500;
const maxBackoffMs = 30_000;

/**
 * Wait before counted retry number `retry` (from 1) if the service names none: doubles from half a second to half a
 * minute; `random` (0 to 1) takes up to a half off.
 */
export function backoff(retry: number, random: number): number {
  const full = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (retry - 1));
  return Math.round(full * (1 - random / 2));
}

const minRetryAfterMs = 1000;

/**
 * The wait that a `Retry-After` header names, as seconds or as an HTTP date: at least one second. `now` is the time
 * of the response in milliseconds since 1970, from its `Date` header if it has one: the local clock may be wrong. Null
 * if there is no header, or it is neither.
 */
export function retryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.max(minRetryAfterMs, Number(text) * 1000);
  if (!/^[A-Za-z]{3},? /.test(text) && !/^[A-Za-z]+, \d/.test(text)) return null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(minRetryAfterMs, date - now);
}

/** A duration for people: `4 s`, `2 min 5 s`, `1 h 3 min`, `3 days`, `more than a year`. */
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
