import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoff, isRetriedStatus, retryAfter, span } from '../../src/api/retry.ts';

test('retried are 408, 429, 500, 502, 503 and 504, nothing else', () => {
  const retried = Array.from({ length: 500 }, (_, i) => i + 100).filter(isRetriedStatus);
  assert.deepEqual(retried, [408, 429, 500, 502, 503, 504]);
});

test('backoff doubles, has jitter, and never exceeds half a minute', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((retry) => backoff(retry, 0)),
    [500, 1000, 2000, 4000],
  );
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

test('Retry-After is seconds or a date; nonsense is none', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const cases: readonly [string | undefined, number | null][] = [
    ['0', 0],
    [' 7 ', 7000],
    ['86400', 86_400_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['-5', null],
    ['soon', null],
    ['', null],
    ['1e9', null],
    [undefined, null],
  ];
  for (const [header, expected] of cases) assert.equal(retryAfter(header, now), expected, String(header));
});

test('spans read well', () => {
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
