import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { progressText, waitText } from '../../src/output/progress-text.ts';
import { textWidth } from '../../src/output/width.ts';

const state = { reference: '@demo', page: 3, entries: 300, total: 1234, credits: 3, estimated: 13 };

test('progress: page, entries of total, credits, rate, time left', () => {
  assert.equal(
    progressText(state, { at: 1000, entries: 0 }, 4000, 200),
    '@demo: page 3, 300/1,234 entries, 3/13 credits, 100/s, 10 s left',
  );
});

test('progress: the rate of a resumed listing counts only the entries of this run', () => {
  assert.match(progressText(state, { at: 0, entries: 200 }, 4000, 200), /, 25\/s, 38 s left$/);
  assert.match(progressText(state, { at: 0, entries: 290 }, 4000, 200), /, 2\.5\/s, /);
});

test('progress: unknown values are not shown', () => {
  const unknown = { page: 1, entries: 1, total: null, credits: 1, estimated: null };
  assert.equal(progressText(unknown, { at: 0, entries: 1 }, 100, 200), 'page 1, 1 entry, 1 credit');
  assert.equal(
    progressText({ ...state, entries: 0, credits: 0, page: 0 }, { at: 0, entries: 0 }, 9000, 200),
    '@demo: page 0, 0/1,234 entries, 0/13 credits',
  );
});

test('progress: a line that is too long is cut', () => {
  const at = (room: number): string => progressText(state, { at: 1000, entries: 0 }, 4000, room);
  assert.equal(at(50), '@demo: page 3, 300/1,234 entries, 3/13 credits, 1…');
  assert.equal(at(30), '@demo: page 3, 300/1,234 entr…');
});

test('progress: 80 columns have room for the time left of a long list: its name is cut first', () => {
  const long = { reference: '@a-channel-of-this-name', page: 125, entries: 12_500, total: 50_000 };
  assert.equal(
    progressText({ ...long, credits: 125, estimated: 500 }, { at: 0, entries: 0 }, 100_000, 76),
    '@a-cha…: page 125, 12,500/50,000 entries, 125/500 credits, 125/s, 5 min left',
  );
});

test('progress: a wait is counted down', () => {
  assert.equal(waitText(2001, 'rate limited', 200), 'rate limited: trying again in 3 s');
  assert.equal(waitText(75_000, 'x\u001b\ny', 200), 'x y: trying again in 1 min 15 s');
});

test('progress: any listing fits, without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(120), fc.nat(10_000), (reference, room, now) => {
      const started = { at: 0, entries: 0 };
      for (const text of [
        progressText({ ...state, reference }, started, now, room),
        waitText(now, reference, room),
      ]) {
        assert.ok(textWidth(text) <= room, text);
        assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }
    }),
  );
});
