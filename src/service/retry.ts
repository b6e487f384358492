/** The retry policy: whether a failed attempt is repeated, after which wait, and who waits. Times are in milliseconds. */
import type { Clock } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Credits } from './budget.ts';

const maxMaybeCharged = 2;

export interface FailedAttempt {
  readonly failure: Failure;
  /** HTTP status; null if none arrived. */
  readonly status: number | null;
  /** The same request may succeed. */
  readonly isRetryable: boolean;
  /** Wait that the service named in `Retry-After`; null if it named none. */
  readonly retryAfterMs: number | null;
  /** Possibly charged: the request was sent, and no status other than 200 arrived. */
  readonly charge: keyof Credits | 'none';
}

export interface RetryProgress {
  /** Retries of this request that count against `--retries`. */
  readonly counted: number;
  /** Attempts of this request that may have been charged. */
  readonly maybeCharged: number;
  readonly requestWaitMs: number;
  /** Waits of the whole run since its last success, with another one. */
  runWaitMs(waitMs: number): number;
  /** A number in [0, 1), for the jitter. */
  readonly random: number;
}

/** Why a request that failed is not sent again. */
export type EndReason = 'not retried' | 'charged twice' | 'retries' | 'max-wait';

/**
 * Decides whether an attempt that failed is repeated (docs/failures.md, "The service"): the reason why not, or the wait,
 * whether it counts against `--retries`, and whether it `pausesRun`, which makes every request wait. `maxWaitMs` limits the
 * total wait: of the run without a success for a 429, of the request for anything else.
 */
export function decideRetry(
  { status, isRetryable, retryAfterMs }: Pick<FailedAttempt, 'status' | 'isRetryable' | 'retryAfterMs'>,
  progress: RetryProgress,
  limits: { readonly retries: number; readonly maxWaitMs: number },
): EndReason | { readonly waitMs: number; readonly counts: boolean; readonly pausesRun: boolean } {
  const { counted, maybeCharged, requestWaitMs, random } = progress;
  if (!isRetryable) return 'not retried';
  if (maybeCharged >= maxMaybeCharged) return 'charged twice';
  // Waits that a 429 or 503 asks for do not count.
  const counts = retryAfterMs === null || (status !== 429 && status !== 503);
  if (counts && counted >= limits.retries) return 'retries';
  const waitMs = retryAfterMs ?? backoff(counted + 1, random);
  const pausesRun = status === 429;
  const totalMs = pausesRun ? progress.runWaitMs(waitMs) : requestWaitMs + waitMs;
  if (totalMs > limits.maxWaitMs) return 'max-wait';
  return { waitMs, counts, pausesRun };
}

/**
 * Wait before counted retry number `retry` (from 1) if the service names none: doubles from half a second to half a
 * minute; `random` (0 to 1) takes up to a half off.
 */
export function backoff(retry: number, random: number): number {
  return Math.round(Math.min(30_000, 500 * 2 ** (retry - 1)) * (1 - random / 2));
}

/**
 * The wait that a `Retry-After` header names, as seconds or as an HTTP date: at least one second. `now` is the time
 * of the response in milliseconds since 1970, from its `Date` header if it has one: the local clock may be wrong. Null
 * if there is no header, or it is neither.
 */
export function retryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const isDate = /^[A-Za-z]{3},? |^[A-Za-z]+, \d/.test(text);
  const wait = isDate
    ? Date.parse(text) - now
    : /^\d+(?:\.\d+)?$/.test(text)
      ? Number(text) * 1000
      : Number.NaN;
  return Number.isNaN(wait) ? null : Math.max(1000, wait);
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

/** The waits of a run, and the rate limit that its requests share. */
export class RetryThrottle {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #onWait: (milliseconds: number, why: string) => void;
  /** Time (of `clock.elapsed`) until which a 429 pauses every request. */
  #pausedUntil = 0;
  /** Time until which some request waits. */
  #waitingUntil = 0;
  #totalMs = 0;

  /** `signal` ends every wait, which then throws its reason; `onWait` is called as each wait starts. */
  constructor(clock: Clock, signal: AbortSignal, onWait: (milliseconds: number, why: string) => void) {
    this.#clock = clock;
    this.#signal = signal;
    this.#onWait = onWait;
  }

  /** Total wait since the last success if a wait of `waitMs` started now. Overlapping waits count once. */
  totalWith(waitMs: number): number {
    return this.#totalMs + Math.max(0, waitMs - Math.max(0, this.#waitingUntil - this.#clock.elapsed()));
  }

  succeeded(): void {
    this.#totalMs = 0;
  }

  /** Makes one request wait; or every request of the run, until `untilResumed` resolves. */
  async wait(waitMs: number, pausesRun: boolean, why: string): Promise<void> {
    const until = this.#clock.elapsed() + waitMs;
    this.#totalMs = this.totalWith(waitMs);
    this.#waitingUntil = Math.max(this.#waitingUntil, until);
    if (pausesRun && until <= this.#pausedUntil) return;
    this.#onWait(waitMs, why);
    if (pausesRun) this.#pausedUntil = until;
    else await this.#clock.sleep(waitMs, this.#signal);
  }

  /** Resolves once the run is not paused, even if the pause is extended meanwhile. */
  async untilResumed(): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#clock.elapsed();
      if (left <= 0) return;
      await this.#clock.sleep(left, this.#signal);
    }
  }
}
