/** Rules 1 to 4 of docs/updates.md, as nights: what decideUpdate decides, and what afterRun keeps of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { decideUpdate, type Feed, type FeedEntry, needsIds } from '../../src/export/decide/decide-update.ts';
import { afterRun, type Outcome } from '../../src/export/record/after-run.ts';
import type { ExportRecord } from '../../src/export/record/export-record.ts';
import { day, finished, hour, now, progress, record } from './files.ts';

const entry = (videoId: string, more: Partial<FeedEntry> = {}): FeedEntry => ({
  videoId,
  published: '2026-03-01T00:00:00Z',
  isShort: false,
  isScheduled: false,
  ...more,
});
const feedOf = (...ids: readonly string[]): Feed => ({ entries: ids.map((id) => entry(id)), problem: null });
const shorts = (from: number, count: number): FeedEntry[] =>
  Array.from({ length: count }, (_, n) => entry(`short${from + n}`, { isShort: true }));
const noFeed: Feed = { entries: null, problem: 'missing (404)', isAbsent: true, status: 404 };

/** A FILE that is updated now and then. */
class Nights {
  file = new Set(['v3', 'v2', 'v1']);
  /** What a page contains. */
  page = ['v3', 'v2', 'v1'];
  now = now;
  record: ExportRecord;

  constructor() {
    this.record = afterRun(
      record(),
      {
        kind: 'replaced',
        progress: progress(),
        finished: finished(),
        check: this.#check(feedOf('v3', 'v2')),
      },
      now,
    );
  }

  #check(feed: Feed, expected: readonly string[] = [], pages = 0) {
    const has = (id: string): boolean => this.file.has(id);
    const isWithoutFeed = feed.entries === null;
    return { feed: feed.entries, isWithoutFeed, has, expected, missing: pages > 0 ? 0 : null };
  }

  /** A run so many hours later. `unchanged`, `unchecked`, `fail`, or the expected IDs, `why` and `--all`. */
  run(feed: Feed, { hours = 24, all = false, pageIsGone = false } = {}): string {
    this.now += hours * hour;
    const has = (id: string): boolean => this.file.has(id);
    // What the record knows must be enough if IDs are not read.
    if (!all && !needsIds(this.record, feed)) {
      const known = new Set(this.record.feed?.known);
      const byRecord = decideUpdate(this.record, feed, this.now, { all, has: (id) => known.has(id) });
      assert.deepEqual(byRecord, decideUpdate(this.record, feed, this.now, { all, has }));
    }
    const decision = decideUpdate(this.record, feed, this.now, { all, has });
    const outcome = (): Outcome => {
      if (decision.do === 'unchecked') return { kind: 'unchecked' };
      if (decision.do === 'fail') return failed('no_feed');
      if (decision.do === 'unchanged')
        return { kind: 'checked', finished: finished(), check: this.#check(feed) };
      if (pageIsGone) return failed('gone');
      for (const id of this.page) this.file.add(id);
      return { kind: 'checked', finished: finished(), check: this.#check(feed, decision.expected, 1) };
    };
    this.record = afterRun(this.record, outcome(), this.now);
    if (decision.do !== 'fetch') return decision.do;
    return `fetch ${[...decision.expected, ...(decision.why === null ? [] : ['why'])].join(' ')}`;
  }

  runs(...feeds: readonly Feed[]): string[] {
    return feeds.map((feed) => this.run(feed));
  }
}

const failed = (code: 'no_feed' | 'gone'): Outcome => ({ kind: 'failed', failure: new Failure(code, code) });

test('rule 1: what the feed lists and FILE lacks is expected', () => {
  const nights = new Nights();
  assert.deepEqual(nights.runs(feedOf('v3', 'v2'), feedOf('v3')), ['unchanged', 'unchanged']);
  nights.page.unshift('v5', 'v4');
  assert.deepEqual(nights.runs(feedOf('v5', 'v4', 'v3', 'v5')), ['fetch v5 v4']);
  assert.deepEqual(nights.runs(feedOf('v5', 'v4')), ['unchanged']);
});

test('rule 1: Shorts, and what is not yet public, are not expected', () => {
  const nights = new Nights();
  const stream = { entries: [entry('stream', { isScheduled: true }), entry('v3')], problem: null };
  for (let n = 0; n < 40; n++) assert.equal(nights.run(stream), 'unchanged');
  const busy = { entries: [...shorts(0, 14), entry('v3')], problem: null };
  assert.equal(nights.run(busy), 'unchanged');
  nights.page.unshift('stream');
  assert.equal(nights.run(feedOf('stream', 'v3')), 'fetch stream');
  // A scheduled stream alone says nothing.
  assert.equal(nights.run({ entries: [entry('later', { isScheduled: true })], problem: null }), 'unchanged');
  assert.equal(new Nights().run({ entries: [], problem: null }), 'unchanged');
});

test('rule 1: a feed without a known ID, as after more than fifteen Shorts a day', () => {
  const nights = new Nights();
  const feeds = [0, 14, 15, 30, 44].map((from) => ({ entries: shorts(from, 15), problem: null }));
  const decisions = ['fetch why', 'unchanged', 'unchanged', 'fetch why', 'unchanged'];
  assert.deepEqual(nights.runs(...feeds), decisions);
});

test('rule 3: a feed that is missing for weeks', () => {
  const nights = new Nights();
  const steps = Array.from({ length: 17 }, () => nights.run(noFeed));
  assert.deepEqual(steps, [
    ...Array(6).fill('fail'),
    'fetch why',
    ...Array(6).fill('unchecked'),
    'fetch why',
    ...Array(3).fill('unchecked'),
  ]);
  assert.deepEqual(nights.record.failure, null);
  // The feed is back: it is asked, and a new gap is counted from then on.
  assert.deepEqual(nights.runs(feedOf('v3'), noFeed), ['unchanged', 'fail']);
  const { failure } = nights.record as ExportRecord;
  assert.equal(failure?.code, 'no_feed');
});

test('rule 3: the message names the reason and the day; a run may start two hours early', () => {
  const { record } = new Nights();
  const has = (): boolean => true;
  const decide = (ago: number) => decideUpdate(record, noFeed, now + ago, { all: false, has });
  const week = 7 * day;
  assert.deepEqual(decide(week - 2 * hour - 1), { do: 'fail', feed: noFeed, until: now + week });
  const fetch = { do: 'fetch', expected: [], why: 'the feed is missing (404)' };
  assert.deepEqual(decide(week - 2 * hour), fetch);
  const never = { ...record, checked: null };
  assert.deepEqual(decideUpdate(never, noFeed, now, { all: false, has }), fetch);
});

test('rule 3: a page that is 404, too: gone, in every run until feed or list is back', () => {
  const nights = new Nights();
  for (let n = 0; n < 6; n++) nights.run(noFeed);
  for (let n = 0; n < 3; n++) assert.equal(nights.run(noFeed, { pageIsGone: true }), 'fetch why');
  assert.equal(nights.record.failure?.code, 'gone');
  assert.deepEqual(nights.runs(noFeed, noFeed), ['fetch why', 'unchecked']);
  nights.record = { ...nights.record, failure: { code: 'gone', since: '2026-03-01T00:00:00Z' } };
  assert.equal(nights.run(feedOf('v3')), 'unchanged');
  assert.equal(nights.record.failure, null);
  // Whenever the last check was.
  assert.equal(nights.run(feedOf('v4', 'v3'), { pageIsGone: true }), 'fetch v4');
  assert.equal(nights.run(noFeed, { pageIsGone: true }), 'fetch why');
});

test('rule 4: a dead ID costs at most 2 credits, on two days', () => {
  for (const hours of [24, 23 + 50 / 60, 22, 25]) {
    const nights = new Nights();
    const feed = feedOf('dead', 'v3');
    const steps = Array.from({ length: 5 }, () => nights.run(feed, { hours }));
    assert.deepEqual(steps, ['fetch dead', 'fetch dead', 'unchanged', 'unchanged', 'unchanged'], `${hours}`);
    assert.equal(nights.record.missingIds.dead?.checks, 2);
  }
  // Every hour: again after 22 hours, then never.
  const hourly = new Nights();
  const steps = Array.from({ length: 60 }, () => hourly.run(feedOf('dead', 'v3'), { hours: 1 }));
  const fetched = steps.flatMap((step, at) => (step === 'unchanged' ? [] : at));
  assert.deepEqual(fetched, [0, 22]);
});

test('rule 4: new IDs beside a dead one do not make it expected again; one that is found is removed', () => {
  const nights = new Nights();
  assert.deepEqual(nights.runs(feedOf('dead', 'v3'), feedOf('dead', 'v3')), ['fetch dead', 'fetch dead']);
  nights.page.unshift('v4');
  assert.equal(nights.run(feedOf('v4', 'dead', 'v3')), 'fetch v4');
  nights.page.unshift('dead');
  assert.equal(nights.run(feedOf('v4', 'dead'), { all: true }), 'fetch why');
  assert.deepEqual([nights.record.missingIds, nights.file.has('dead')], [{}, true]);
});

test('a clock that was a year ahead: times in the future are unknown, nothing waits for them', () => {
  const year = 365 * 24;
  const nights = new Nights();
  assert.equal(nights.run(feedOf('dead', 'v3'), { hours: year }), 'fetch dead');
  assert.equal(nights.run(feedOf('dead', 'v3'), { hours: 24 - year }), 'fetch dead');
  assert.equal(nights.run(feedOf('dead', 'v3')), 'unchanged');
  const lost = new Nights();
  assert.equal(lost.run(feedOf('v3'), { hours: year }), 'unchanged');
  assert.equal(lost.run(noFeed, { hours: 24 - year }), 'fetch why');
  assert.equal(lost.run(noFeed), 'unchecked');
  // Back from the future after a page without a feed.
  const paged = new Nights();
  assert.equal(paged.run(noFeed, { hours: year }), 'fetch why');
  assert.equal(paged.run(noFeed, { hours: 24 - year }), 'fetch why');
  assert.equal(paged.run(noFeed), 'unchecked');
});

test('--all fetches every page, regardless of feed and record', () => {
  const nights = new Nights();
  assert.equal(nights.run(feedOf('v3'), { all: true }), 'fetch why');
  assert.equal(nights.run(noFeed, { all: true }), 'fetch why');
  assert.equal(nights.run(feedOf('dead', 'v3'), { all: true }), 'fetch dead why');
  assert.equal(nights.record.missingIds.dead?.checks, 1);
});

test('needsIds: only if the record cannot tell what FILE has', () => {
  const known = record({ feed: { ids: ['v3', 'short0', 'dead'], known: ['v3'] } });
  const dead = { ...known, missingIds: { dead: { checks: 2, last: '2026-03-01T00:00:00Z' } } };
  const cases: readonly [of: ExportRecord, feed: Feed, needs: boolean][] = [
    [known, feedOf('v3'), false],
    [known, feedOf('v4', 'v3'), true],
    [known, { entries: [...shorts(0, 2), entry('v3')], problem: null }, false],
    [known, { entries: shorts(0, 1), problem: null }, false],
    [known, { entries: shorts(1, 1), problem: null }, true],
    [known, { entries: [entry('later', { isScheduled: true }), entry('v3')], problem: null }, false],
    [known, feedOf('dead', 'v3'), true],
    [dead, feedOf('dead', 'v3'), false],
    [record(), feedOf('v3'), true],
    // The pages that an update may fetch without a feed read them.
    [known, noFeed, true],
  ];
  for (const [at, [of, feed, needs]] of cases.entries())
    assert.equal(needsIds(of, feed), needs, `case ${at}`);
});
