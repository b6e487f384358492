/** What is known of an archive after a run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CheckFacts,
  type CheckHistory,
  checksAfter,
  checksAfterFailure,
} from '../../src/archive/record.ts';
import { Failure, usage } from '../../src/errors.ts';
import { failureOf } from '../../src/export/export-failure.ts';
import { newTally } from '../../src/service/budget.ts';
import { day, now, timeAt } from './files.ts';

const time = timeAt(0);
const feed = (...ids: readonly string[]) => ids.map((videoId) => ({ videoId }));
/** Something in every member that a check may change. */
const before: CheckHistory = {
  checked: timeAt(day),
  missing: 3,
  feed: { ids: ['x'], known: [] },
  missingIds: { dead: { checks: 1, last: timeAt(day) } },
  withoutFeed: timeAt(day),
  failure: { code: 'unavailable', since: timeAt(day), last: timeAt(day) },
};
const after = (facts: Partial<CheckFacts>): CheckHistory =>
  checksAfter(before, {
    feed: null,
    isWithoutFeed: false,
    has: (id) => id === 'v1',
    expected: [],
    missing: null,
    time,
    ...facts,
  });

test('a check: the feed, the IDs that are missing, and no failure', () => {
  assert.deepEqual(after({ feed: feed('v1', 'dead', 'new'), expected: ['dead', 'new'], missing: 0 }), {
    checked: time,
    missing: 0,
    feed: { ids: ['v1', 'dead', 'new'], known: ['v1'] },
    missingIds: { new: { checks: 1, last: time }, dead: { checks: 2, last: time } },
    withoutFeed: null,
    failure: null,
  });
  // Without a page, the result of the last one stays; an ID that FILE has is no longer missing.
  const found = after({ feed: feed('dead'), has: () => true });
  assert.deepEqual([found.missing, found.missingIds], [3, {}]);
  // A page instead of the feed; a resumed run, which requests none.
  assert.deepEqual([after({ isWithoutFeed: true }).withoutFeed, after({}).withoutFeed], [time, null]);
});

test('a record keeps 200 IDs of a feed, and the last 200 missing ones', () => {
  const ids = Array.from({ length: 300 }, (_, n) => `v${n + 2}`);
  const next = after({ feed: feed(...ids), expected: ids });
  const kept = Object.keys(next.missingIds);
  assert.deepEqual([next.feed?.ids.length, kept.length, kept.at(0), kept.at(-1)], [200, 200, 'v102', 'v301']);
});

test('a failure of the archive is kept with its first day; one of the run is not', () => {
  const failed = (from: CheckHistory, code: 'gone' | 'refused' | 'no_credits') =>
    checksAfterFailure(from, new Failure(code, code), now);
  const gone = { ...before, failure: { code: 'gone', since: time, last: time } };
  assert.deepEqual(failed(before, 'gone'), gone);
  assert.deepEqual(
    failed({ ...gone, failure: { code: 'gone', since: timeAt(0), last: timeAt(1) } }, 'gone').failure,
    {
      code: 'gone',
      since: timeAt(0),
      last: time,
    },
  );
  assert.equal(failed(before, 'no_credits'), before);
  // By turns.
  assert.deepEqual(failed(before, 'refused').failure, { code: 'refused', since: timeAt(day), last: time });
});

test('what is refused stops one export: 2 before a paid request, 1 after the first', () => {
  for (const [paidRequests, exit] of [
    [0, 2],
    [1, 1],
  ] as const) {
    const failure = failureOf(usage('refused'), { ...newTally(), paidRequests }, null);
    assert.deepEqual([failure.exit, failure.scope], [exit, 'reference']);
  }
});
