import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Clock } from '../../src/context.ts';
import { backoff, decideRetry, type RetryProgress, RetryThrottle, span } from '../../src/service/retry.ts';

test('backoff has jitter, and never exceeds half a minute', () => {
  assert.equal(backoff(1, 0.999999), 250);
  assert.equal(backoff(50, 0), 30_000);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (retry, random) => {
        const delay = backoff(retry, random);
        assert.ok(delay >= 250 && delay <= 30_000);
      },
    ),
  );
});

test('spans are seconds, minutes, hours or days', () => {
  assert.deepEqual([1, 4000, 60_000, 65_000, 3_600_000, 3_780_000, 200_000_000].map(span), [
    '1 s',
    '4 s',
    '1 min',
    '1 min 5 s',
    '1 h',
    '1 h 3 min',
    '2 days',
  ]);
});

/** So much of the run has passed in waits. */
const after = (waitedMs: number) => (waitMs: number) => waitedMs + waitMs;
const start: RetryProgress = {
  counted: 0,
  maybeCharged: 0,
  requestWaitMs: 0,
  runWaitMs: after(0),
  random: 0,
};
const limits = { retries: 4, maxWaitMs: 120_000 };
const failed = (status: number | null, retryAfterMs: number | null = null) => ({
  status,
  isRetryable: true,
  retryAfterMs,
});
const again = (waitMs: number, counts: boolean, pausesRun = false) => ({ waitMs, counts, pausesRun });

const decisions: readonly (readonly [
  name: string,
  cause: ReturnType<typeof failed>,
  progress: Partial<RetryProgress>,
  decision: ReturnType<typeof decideRetry>,
])[] = [
  ['a connection error', failed(null), {}, again(500, true)],
  ['its fourth retry', failed(null), { counted: 3 }, again(4000, true)],
  ['its fifth', failed(null), { counted: 4 }, 'retries'],
  ['its second attempt that may have been charged', failed(null), { maybeCharged: 2 }, 'charged twice'],
  ['a 503 after them', failed(503, 7000), { maybeCharged: 2 }, 'charged twice'],
  ['a 404', { ...failed(404), isRetryable: false }, {}, 'not retried'],
  ['a 429 without Retry-After counts', failed(429), {}, again(500, true, true)],
  ['and uses retries up', failed(429), { counted: 4 }, 'retries'],
  ['a 429 with Retry-After does not count', failed(429, 7000), { counted: 4 }, again(7000, false, true)],
  ['a 503 with Retry-After does not count', failed(503, 7000), { counted: 4 }, again(7000, false)],
  ['a 500 with Retry-After counts', failed(500, 7000), {}, again(7000, true)],
  ['and uses retries up', failed(500, 7000), { counted: 4 }, 'retries'],
  [
    'a 429: the run has waited 120 s',
    failed(429, 20_000),
    { runWaitMs: after(100_000) },
    again(20_000, false, true),
  ],
  ['a 429: it would wait longer', failed(429, 20_001), { runWaitMs: after(100_000) }, 'max-wait'],
  ['a 429: own waits do not matter', failed(429, 1000), { requestWaitMs: 500_000 }, again(1000, false, true)],
  [
    'a 503: the request has waited 120 s',
    failed(503, 20_000),
    { requestWaitMs: 100_000 },
    again(20_000, false),
  ],
  ['a 503: it would wait longer', failed(503, 20_001), { requestWaitMs: 100_000 }, 'max-wait'],
  [
    'a 503: waits of the run do not matter',
    failed(503, 1000),
    { runWaitMs: after(500_000) },
    again(1000, false),
  ],
  ['a wait longer than --max-wait from the start', failed(429, 120_001), {}, 'max-wait'],
];

test('the policy: what counts, what pauses the run, and when it gives up', () => {
  for (const [name, cause, progress, expected] of decisions) {
    assert.deepEqual(decideRetry(cause, { ...start, ...progress }, limits), expected, name);
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
  const throttle = new RetryThrottle(clock, new AbortController().signal, (ms) => waits.push(ms));
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
  assert.equal(throttle.totalWith(0), 34_000);
  // A shorter one changes nothing.
  await throttle.wait(1000, true, 'rate limited');
  assert.equal(throttle.totalWith(0), 34_000);
  await advance(10_000);
  assert.deepEqual(resumed, []);
  await advance(34_000);
  assert.deepEqual(resumed, [34_000, 34_000]);
  assert.deepEqual(waits, [10_000, 30_000]);
  throttle.succeeded();
  assert.equal(throttle.totalWith(0), 0);
});
