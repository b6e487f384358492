import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/context.ts';
import { Failure } from '../../src/errors.ts';
import {
  backoff,
  createThrottle,
  decideRetry,
  type FailedAttempt,
  retryAfter,
} from '../../src/service/retry.ts';

test('backoff has jitter, and never exceeds half a minute', () => {
  assert.deepEqual(
    [backoff(1, 0), backoff(1, 0.999999), backoff(2, 0), backoff(50, 0)],
    [500, 250, 1000, 30_000],
  );
});

/** A header, and the wait that it means in milliseconds; null: none. */
const now = Date.UTC(2026, 0, 1);
const headers: readonly (readonly [header: string | undefined, waitMs: number | null])[] = [
  ['0', 1000],
  ['0.5', 1000],
  ['007', 7000],
  [' 7 ', 7000],
  ['1.5', 1500],
  ['99999999999', 99_999_999_999_000],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
  ['Thursday, 01-Jan-26 00:00:09 GMT', 9000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 1000],
  ...[undefined, '', '-1', '+5', '5s', '0x10', '1e3', 'NaN', 'Infinity', '5, 7', 'soon', '9'.repeat(400)].map(
    (header) => [header, null] as const,
  ),
  ['Thu, 99 Foo 2026 99:99:99 GMT', null],
  ['2026-01-01T00:00:09Z', null],
  ['\u00ff\u00fe', null],
];

test('Retry-After: seconds and dates are waits of at least a second; anything else is not a wait', () => {
  for (const [header, waitMs] of headers) assert.equal(retryAfter(header, now), waitMs, header);
});

const start = { usedRetries: 0, maybeCharged: 0, requestWaitMs: 0, runWaitMs: 0 };
const limits = { retries: 4, maxWaitMs: 120_000 };
const failed = (status: number | null, retryAfterMs: number | null = null): FailedAttempt => ({
  ...{ failure: new Failure('unavailable', 'x', { status }), isRetryable: true },
  ...{ retryAfterMs, charge: 'free' },
});
const again = (waitMs: number, usesRetry: boolean, pausesRun = false) => ({ waitMs, usesRetry, pausesRun });

const decisions: readonly (readonly [
  name: string,
  cause: ReturnType<typeof failed>,
  progress: Partial<typeof start>,
  decision: ReturnType<typeof decideRetry>,
])[] = [
  ['a connection error', failed(null), {}, again(500, true)],
  ['its fourth retry', failed(null), { usedRetries: 3 }, again(4000, true)],
  ['its fifth', failed(null), { usedRetries: 4 }, 'retries'],
  ['its second attempt that may have been charged', failed(null), { maybeCharged: 2 }, 'charged twice'],
  ['a 503 after them', failed(503, 7000), { maybeCharged: 2 }, 'charged twice'],
  ['a 404', { ...failed(404), isRetryable: false }, {}, 'not retried'],
  ['a 429 without Retry-After counts', failed(429), {}, again(500, true, true)],
  ['and uses retries up', failed(429), { usedRetries: 4 }, 'retries'],
  ['a 429 with Retry-After does not count', failed(429, 7000), { usedRetries: 4 }, again(7000, false, true)],
  ['a 503 with Retry-After does not count', failed(503, 7000), { usedRetries: 4 }, again(7000, false)],
  ['a 500 with Retry-After counts', failed(500, 7000), {}, again(7000, true)],
  ['and uses retries up', failed(500, 7000), { usedRetries: 4 }, 'retries'],
  ['a 429: it has waited 120 s', failed(429, 20_000), { runWaitMs: 100_000 }, again(20_000, false, true)],
  ['a 429: it would wait longer', failed(429, 20_001), { runWaitMs: 100_000 }, 'max-wait'],
  ['a 429: own waits do not matter', failed(429, 1000), { requestWaitMs: 500_000 }, again(1000, false, true)],
  ['a 503: it has waited 120 s', failed(503, 20_000), { requestWaitMs: 100_000 }, again(20_000, false)],
  ['a 503: it would wait longer', failed(503, 20_001), { requestWaitMs: 100_000 }, 'max-wait'],
  ['a 503: waits of the run do not matter', failed(503, 1000), { runWaitMs: 500_000 }, again(1000, false)],
  ['a wait longer than --max-wait from the start', failed(429, 120_001), {}, 'max-wait'],
];

test('the policy: what counts, what pauses the run, and when it ends', () => {
  for (const [name, cause, progress, expected] of decisions) {
    assert.deepEqual(decideRetry(cause, { ...start, ...progress }, limits, 0), expected, name);
  }
});

test('a 429 that extends a pause is waited for, by every request', async () => {
  let time = 0;
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    elapsed: () => time,
    random: () => 0,
    sleep: (ms) => new Promise((wake) => sleeping.push({ until: time + ms, wake })),
  };
  const waits: number[] = [];
  const throttle = createThrottle(clock, new AbortController().signal, (ms) => waits.push(ms));
  const resumed: number[] = [];
  const advance = async (to: number): Promise<void> => {
    time = to;
    for (const each of sleeping.splice(0)) each.until <= time ? each.wake() : sleeping.push(each);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await throttle.wait(10_000, true, 'rate limited');
  for (const _ of [1, 2]) void throttle.untilResumed().then(() => resumed.push(time));
  await advance(4000);
  await throttle.wait(30_000, true, 'rate limited');
  // A shorter one changes nothing.
  await throttle.wait(1000, true, 'rate limited');
  assert.equal(throttle.limitedMs(), 4000);
  await advance(10_000);
  assert.deepEqual(resumed, []);
  await advance(34_000);
  assert.deepEqual(resumed, [34_000, 34_000]);
  assert.deepEqual(waits, [10_000, 30_000]);
  throttle.succeeded();
  assert.equal(throttle.limitedMs(), 0);
});
