/** The retry policy: whether a failed attempt is retried, after which wait, and which requests wait. All times are in ms. */
import type { Clock } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Charge } from './budget.ts';

export interface FailedAttempt {
  readonly failure: Failure;
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | null;
  /** `possibly_charged` if the request was sent, and no status other than 200 arrived. */
  readonly charge: Charge;
}

export type EndReason = 'not retried' | 'charged twice' | 'retries' | 'max-wait';

/**
 * Decides whether a failed attempt is retried. Returns why not; or the wait before the retry, whether it uses up one of
 * `--retries`, and whether every request waits. After a 429, retries end when the run would have waited longer than `maxWaitMs`
 * without a success (`runWaitMs`); after any other failure, when this request would have (`requestWaitMs`).
 */
export function decideRetry(
  { failure: { status }, isRetryable, retryAfterMs }: FailedAttempt,
  progress: Readonly<Record<'usedRetries' | 'maybeCharged' | 'requestWaitMs' | 'runWaitMs', number>>,
  limits: { readonly retries: number; readonly maxWaitMs: number },
  random: number,
): EndReason | { readonly waitMs: number; readonly usesRetry: boolean; readonly pausesRun: boolean } {
  const { usedRetries, maybeCharged, requestWaitMs, runWaitMs } = progress;
  if (!isRetryable) return 'not retried';
  if (maybeCharged >= 2) return 'charged twice';
  // Retries after a wait that a 429 or 503 asks for do not use up `--retries`.
  const usesRetry = retryAfterMs === null || (status !== 429 && status !== 503);
  if (usesRetry && usedRetries >= limits.retries) return 'retries';
  const waitMs = retryAfterMs ?? backoff(usedRetries + 1, random);
  const pausesRun = status === 429;
  const totalMs = (pausesRun ? runWaitMs : requestWaitMs) + waitMs;
  if (totalMs > limits.maxWaitMs) return 'max-wait';
  return { waitMs, usesRetry, pausesRun };
}

/** Returns the wait before retry number `retry` (from 1): 500 ms, doubled up to 30 s, less up to a half (`random`). */
export function backoff(retry: number, random: number): number {
  return Math.round(Math.min(30_000, 500 * 2 ** (retry - 1)) * (1 - random / 2));
}

/** Returns the wait that a `Retry-After` header asks for (seconds or an HTTP date), at least 1 s; null if it is neither. */
export function retryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  let wait = Number.NaN;
  if (/^\d{1,15}(?:\.\d+)?$/.test(text)) wait = Number(text) * 1000;
  else if (/^[A-Z]/i.test(text)) wait = Date.parse(text) - now;
  return Number.isNaN(wait) ? null : Math.max(1000, wait);
}

/** Manages the waits of a run, and the rate limit that its requests share. If `signal` aborts, each wait throws its reason. */
export function createThrottle(
  clock: Clock,
  signal: AbortSignal,
  onWait: (milliseconds: number, why: string) => void,
) {
  /** Times of `clock.elapsed`: until when a 429 pauses every request, and the first 429 since the last success. */
  let pausedUntil = 0;
  let limitedSince: number | null = null;
  return {
    limitedMs: (): number => (limitedSince === null ? 0 : clock.elapsed() - limitedSince),
    succeeded: (): void => {
      limitedSince = null;
    },
    /** Makes one request wait or, with `pausesRun`, pauses every request of the run until `untilResumed` resolves. */
    wait: async (waitMs: number, pausesRun: boolean, why: string): Promise<void> => {
      const now = clock.elapsed();
      if (pausesRun) {
        limitedSince ??= now;
        if (now + waitMs <= pausedUntil) return;
        pausedUntil = now + waitMs;
      }
      onWait(waitMs, why);
      if (!pausesRun) await clock.sleep(waitMs, signal);
    },
    /** Resolves once the run is not paused, even if the pause is extended meanwhile. */
    untilResumed: async (): Promise<void> => {
      for (;;) {
        const remaining = pausedUntil - clock.elapsed();
        if (remaining <= 0) return;
        await clock.sleep(remaining, signal);
      }
    },
  };
}
