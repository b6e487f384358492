import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { afterRun, type Check, withReferences } from '../../src/export/record/after-run.ts';
import type { ExportRecord } from '../../src/export/record/export-record.ts';
import { day, finished, now, progress, record, request, timeAt } from './files.ts';

const time = timeAt(0);
const check = (given: Partial<Check> = {}): Check => ({
  feed: null,
  isWithoutFeed: false,
  has: () => false,
  expected: [],
  missing: null,
  ...given,
});
const feed = (...ids: readonly string[]) =>
  ids.map((videoId) => ({ videoId, published: null, isShort: false, isScheduled: false }));
/** A record with something in every member that a run may change. */
const old: ExportRecord = record({
  progress: progress(),
  finished: finished({ entries: 1 }),
  checked: timeAt(9),
  changed: timeAt(9),
  missing: 3,
  feed: { ids: ['x'], known: [] },
  missingIds: { dead: { checks: 1, last: timeAt(9) } },
  withoutFeed: timeAt(9),
  failure: { code: 'unavailable', since: timeAt(9) },
});

test('a new FILE: its request, the check, no progress and no failure', () => {
  const csv = request({ format: 'csv' });
  const all = { finished: finished(), check: check({ missing: 0 }) };
  const full = afterRun(old, { kind: 'replaced', progress: progress({ request: csv }), ...all }, now);
  // What no feed confirms is as old as its first page.
  const checked = { progress: null, finished: finished(), checked: timeAt(day), missing: 0, feed: null };
  assert.deepEqual(full, {
    ...old,
    ...checked,
    changed: time,
    request: csv,
    withoutFeed: null,
    failure: null,
  });
  const fed = { ...all, check: check({ feed: feed('v1') }) };
  assert.equal(afterRun(old, { kind: 'replaced', progress: progress(), ...fed }, now).checked, time);
  // An update keeps the request of FILE.
  const update = progress({ request: csv, kind: 'update' });
  assert.deepEqual(afterRun(old, { kind: 'replaced', progress: update, ...all }, now).request, old.request);
});

test('a check records the IDs of the feed, the missing IDs, and whether there was a feed', () => {
  const has = (id: string): boolean => id === 'v1';
  const outcome = (given: Partial<Check>) =>
    ({ kind: 'checked', finished: finished(), check: check({ has, ...given }) }) as const;
  const first = afterRun(old, outcome({ feed: feed('v1', 'dead', 'new'), expected: ['dead', 'new'] }), now);
  assert.deepEqual(first.feed, { ids: ['v1', 'dead', 'new'], known: ['v1'] });
  assert.deepEqual(first.missingIds, { new: { checks: 1, last: time }, dead: { checks: 2, last: time } });
  assert.deepEqual(
    [first.checked, first.changed, first.withoutFeed, first.failure],
    [time, timeAt(9), null, null],
  );
  // Without a page, what the last one said stays.
  assert.equal(afterRun(old, outcome({ feed: feed('v1') }), now).missing, 3);
  const page = afterRun(old, outcome({ isWithoutFeed: true, missing: 2 }), now);
  // As old as the first page of the update that was resumed.
  assert.deepEqual(
    [page.feed, page.withoutFeed, page.checked, page.missing],
    [null, timeAt(day), timeAt(day), 2],
  );
  const found = afterRun(first, outcome({ has: () => true, feed: feed('dead') }), now);
  assert.deepEqual(found.missingIds, {});
});

test('a record keeps 200 IDs of a feed, and the last 200 missing ones', () => {
  const ids = Array.from({ length: 300 }, (_, n) => `v${n}`);
  const big = check({ feed: feed(...ids), expected: ids });
  const next = afterRun(old, { kind: 'checked', finished: finished(), check: big }, now);
  assert.equal(next.feed?.ids.length, 200);
  const kept = Object.keys(next.missingIds);
  assert.deepEqual([kept.length, kept.at(0), kept.at(-1)], [200, 'v100', 'v299']);
});

test('a failure of the export is kept with its first day; one of the run is not', () => {
  const failed = (from: ExportRecord, failure: Failure) => afterRun(from, { kind: 'failed', failure }, now);
  const gone = failed(old, new Failure('gone', 'gone'));
  assert.deepEqual(gone, { ...old, failure: { code: 'gone', since: time } });
  const again = afterRun(gone, { kind: 'failed', failure: new Failure('gone', 'gone') }, now + 1);
  assert.deepEqual(again, gone);
  assert.deepEqual(failed(old, new Failure('no_credits', 'none')), old);
  // The record is that of the other run.
  assert.deepEqual(failed(old, new Failure('locked', 'locked')), old);
  // What stopped an export decides how it can be started over.
  const stopped = failed(old, new Failure('budget', 'spent'));
  assert.deepEqual(stopped, { ...old, progress: progress({ isOutOfBudget: true }) });
});

test('the records after unchecked and adopted, and references', () => {
  assert.deepEqual(afterRun(old, { kind: 'unchecked' }, now), { ...old, failure: null });
  const adopted = afterRun(record(), { kind: 'adopted', finished: finished(), request: request() }, now);
  assert.deepEqual(adopted, record({ finished: finished() }));
  const next = withReferences(record({ references: { '@a': timeAt(9) } }), '@b', { '@b': time });
  assert.deepEqual([next.reference, next.references], ['@b', { '@a': timeAt(9), '@b': time }]);
});
