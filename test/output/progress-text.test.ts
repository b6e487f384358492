import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { progressText, waitText } from '../../src/output/progress-text.ts';
import { textWidth } from '../../src/output/width.ts';

const listing = { reference: '@demo', page: 3, entries: 300, total: 1234, credits: 3 };
const others = { ...listing, reference: '@other', entries: 1260, credits: 17 };

test('progress: page, entries of total, credits, rate, time left; of several references no time left', () => {
  for (const [state, startEntries, room, text] of [
    [listing, 0, 200, 'page 3, 300/1,234 entries, 3 credits, 100/s, 10 s left'],
    // The rate of a resumed listing counts only the entries of this run.
    [listing, 200, 200, 'page 3, 300/1,234 entries, 3 credits, 33/s, 29 s left'],
    [listing, 290, 200, 'page 3, 300/1,234 entries, 3 credits, 3.3/s, 4 min 41 s left'],
    [listing, 300, 200, 'page 3, 300/1,234 entries, 3 credits'],
    [{ ...listing, page: 1, entries: 1, total: null, credits: 1 }, 1, 200, 'page 1, 1 entry, 1 credit'],
    [listing, 0, 29, 'page 3, 300/1,234 entries, 3…'],
  ] as const) {
    const started = { at: 1000, entries: startEntries };
    const progress = { listings: [state], done: 0, all: 1, noun: 'channel', started };
    assert.equal(progressText(progress, 4000, room), text);
  }
  const started = { at: 1000, entries: 0 };
  const shared = { listings: [listing, others], done: 7, all: 31, noun: 'channel', started };
  assert.equal(progressText(shared, 4000, 200), '7/31 channels, 1,560 entries, 20 credits');
});

test('progress: a wait is counted down', () => {
  assert.equal(waitText(2001, 'rate limited', 200), 'trying again in 3 s: rate limited');
  assert.equal(waitText(75_000, 'x\u001b\ny', 200), 'trying again in 1 min 15 s: x y');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(120), fc.nat(10_000), (why, room, left) => {
      const text = waitText(left, why, room);
      assert.ok(textWidth(text) <= room, text);
      assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
