/** Rules 1 to 4 of docs/updates.md, as nights: what decideUpdate decides, and what the record keeps of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckHistory, checksAfter, checksAfterFailure, noChecks } from '../../src/archive/record.ts';
import { Failure } from '../../src/errors.ts';
import { decideUpdate, type Feed, type FeedEntry, needsIds } from '../../src/export/decide-update.ts';
import { day, hour, now } from '../archive/files.ts';

const entry = (videoId: string, more: Partial<FeedEntry> = {}): FeedEntry => ({
  videoId,
  isShort: false,
  isScheduled: false,
  ...more,
});
const feedOf = (...ids: readonly string[]): Feed => ({ entries: ids.map((id) => entry(id)), problem: null });
const shorts = (from: number, count: number): FeedEntry[] =>
  Array.from({ length: count }, (_, n) => entry(`short${from + n}`, { isShort: true }));
const noFeed: Feed = { entries: null, problem: 'missing (404)', status: 404 };

/** A FILE that is updated now and then. */
class Nights {
  file = new Set(['v3', 'v2', 'v1']);
  page = ['v3', 'v2', 'v1'];
  now = now;
  checks = this.#check(noChecks, feedOf('v3', 'v2'));

  #check(before: CheckHistory, feed: Feed, expected: readonly string[] = [], isPage = false): CheckHistory {
    return checksAfter(before, {
      feed: feed.entries,
      isWithoutFeed: feed.entries === null,
      has: (id) => this.file.has(id),
      expected,
      missing: isPage ? 0 : null,
      time: new Date(this.now).toISOString(),
    });
  }

  /** A run so many hours later: `unchanged`, `unchecked`, `fail`, or `buy` and the expected IDs. */
  run(feed: Feed, { hours = 24, all = false, pageIsGone = false } = {}): string {
    this.now += hours * hour;
    const { now, checks: before, file } = this;
    const has = (id: string): boolean => file.has(id);
    const decision = decideUpdate(before, feed, now, { all, has });
    // What the record knows must be enough if IDs are not read.
    if (!all && !needsIds(before, feed)) {
      const known = new Set(before.feed?.known);
      assert.deepEqual(decideUpdate(before, feed, now, { all, has: (id) => known.has(id) }), decision);
    }
    const failed = (code: 'no_feed' | 'gone'): CheckHistory =>
      checksAfterFailure(before, new Failure(code, code), now);
    switch (decision.action) {
      case 'unchanged':
        this.checks = this.#check(before, feed);
        return 'unchanged';
      case 'unchecked':
        this.checks = { ...before, failure: null };
        return 'unchecked';
      case 'fail':
        this.checks = failed('no_feed');
        return 'fail';
      case 'buy':
        if (!pageIsGone) for (const id of this.page) file.add(id);
        this.checks = pageIsGone ? failed('gone') : this.#check(before, feed, decision.expected, true);
        return ['buy', ...decision.expected].join(' ');
    }
  }

  runs(...feeds: readonly Feed[]): string[] {
    return feeds.map((feed) => this.run(feed));
  }
}

test('rule 1: what the feed lists and FILE lacks is expected', () => {
  const nights = new Nights();
  assert.deepEqual(nights.runs(feedOf('v3', 'v2'), feedOf('v3')), ['unchanged', 'unchanged']);
  nights.page.unshift('v5', 'v4');
  assert.deepEqual(nights.runs(feedOf('v5', 'v4', 'v3', 'v5')), ['buy v5 v4']);
  assert.deepEqual(nights.runs(feedOf('v5', 'v4')), ['unchanged']);
});

test('rule 1: Shorts, and what is not yet public, are not expected', () => {
  const nights = new Nights();
  const stream = { entries: [entry('stream', { isScheduled: true }), entry('v3')], problem: null };
  for (let n = 0; n < 40; n++) assert.equal(nights.run(stream), 'unchanged');
  const busy = { entries: [...shorts(0, 14), entry('v3')], problem: null };
  assert.equal(nights.run(busy), 'unchanged');
  nights.page.unshift('stream');
  assert.equal(nights.run(feedOf('stream', 'v3')), 'buy stream');
  // A scheduled stream alone says nothing.
  assert.equal(nights.run({ entries: [entry('later', { isScheduled: true })], problem: null }), 'unchanged');
  assert.equal(new Nights().run({ entries: [], problem: null }), 'unchanged');
});

test('rule 1: a feed without a known ID, as after more than fifteen Shorts a day', () => {
  const nights = new Nights();
  const feeds = [0, 14, 15, 30, 44].map((from) => ({ entries: shorts(from, 15), problem: null }));
  const decisions = ['buy', 'unchanged', 'unchanged', 'buy', 'unchanged'];
  assert.deepEqual(nights.runs(...feeds), decisions);
});

test('rule 3: a feed that is missing for weeks', () => {
  const nights = new Nights();
  const steps = Array.from({ length: 17 }, () => nights.run(noFeed));
  assert.deepEqual(steps, [
    ...Array(6).fill('fail'),
    'buy',
    ...Array(6).fill('unchecked'),
    'buy',
    ...Array(3).fill('unchecked'),
  ]);
  assert.equal(nights.checks.failure?.code, undefined);
  // The feed is back: it is asked, and a new gap is counted from then on.
  assert.deepEqual(nights.runs(feedOf('v3'), noFeed), ['unchanged', 'fail']);
  assert.equal(nights.checks.failure?.code, 'no_feed');
});

test('rule 3: the message names the reason and the day; a run may start two hours early', () => {
  const { checks } = new Nights();
  const has = (): boolean => true;
  const decide = (ago: number) => decideUpdate(checks, noFeed, now + ago, { all: false, has });
  const week = 7 * day;
  assert.deepEqual(decide(week - 2 * hour - 1), { action: 'fail', until: now + week });
  const buy = { action: 'buy', expected: [] };
  assert.deepEqual(decide(week - 2 * hour), buy);
  const never = { ...checks, checked: null };
  assert.deepEqual(decideUpdate(never, noFeed, now, { all: false, has }), buy);
});

test('rule 3: a page that is 404, too: gone, in every run until feed or list is back', () => {
  const nights = new Nights();
  for (let n = 0; n < 6; n++) nights.run(noFeed);
  for (let n = 0; n < 3; n++) assert.equal(nights.run(noFeed, { pageIsGone: true }), 'buy');
  assert.equal(nights.checks.failure?.code, 'gone');
  assert.deepEqual(nights.runs(noFeed, noFeed), ['buy', 'unchecked']);
  nights.checks = {
    ...nights.checks,
    failure: { code: 'gone', since: '2026-03-01T00:00:00Z', last: '2026-03-01T00:00:00Z' },
  };
  assert.equal(nights.run(feedOf('v3')), 'unchanged');
  assert.equal(nights.checks.failure, null);
  // Whenever the last check was.
  assert.equal(nights.run(feedOf('v4', 'v3'), { pageIsGone: true }), 'buy v4');
  assert.equal(nights.run(noFeed, { pageIsGone: true }), 'buy');
});

test('rule 4: a dead ID costs at most 2 credits, on two days', () => {
  for (const hours of [24, 23 + 50 / 60, 22, 25]) {
    const nights = new Nights();
    const feed = feedOf('dead', 'v3');
    const steps = Array.from({ length: 5 }, () => nights.run(feed, { hours }));
    assert.deepEqual(steps, ['buy dead', 'buy dead', 'unchanged', 'unchanged', 'unchanged'], `${hours}`);
    assert.equal(nights.checks.missingIds.dead?.checks, 2);
  }
  // Every hour: again after 22 hours, then never.
  const hourly = new Nights();
  const steps = Array.from({ length: 60 }, () => hourly.run(feedOf('dead', 'v3'), { hours: 1 }));
  const bought = steps.flatMap((step, at) => (step === 'unchanged' ? [] : at));
  assert.deepEqual(bought, [0, 22]);
});

test('rule 4: new IDs beside a dead one do not make it expected again; one that is found is removed', () => {
  const nights = new Nights();
  assert.deepEqual(nights.runs(feedOf('dead', 'v3'), feedOf('dead', 'v3')), ['buy dead', 'buy dead']);
  nights.page.unshift('v4');
  assert.equal(nights.run(feedOf('v4', 'dead', 'v3')), 'buy v4');
  nights.page.unshift('dead');
  assert.equal(nights.run(feedOf('v4', 'dead'), { all: true }), 'buy');
  assert.deepEqual([nights.checks.missingIds, nights.file.has('dead')], [{}, true]);
});

test('a clock that was a year ahead: nothing waits for a time in the future', () => {
  const year = 365 * 24;
  const nights = new Nights();
  assert.equal(nights.run(noFeed, { hours: year }), 'buy');
  assert.equal(nights.run(noFeed, { hours: 24 - year }), 'buy');
  assert.equal(nights.run(noFeed), 'unchecked');
});

test('--all buys every page, regardless of feed and record', () => {
  const nights = new Nights();
  assert.equal(nights.run(feedOf('v3'), { all: true }), 'buy');
  assert.equal(nights.run(noFeed, { all: true }), 'buy');
  assert.equal(nights.run(feedOf('dead', 'v3'), { all: true }), 'buy dead');
  assert.equal(nights.checks.missingIds.dead?.checks, 1);
});

test('needsIds: only if the record cannot tell what FILE has', () => {
  const known = { ...noChecks, feed: { ids: ['v3', 'short0', 'dead'], known: ['v3'] } };
  const dead = { ...known, missingIds: { dead: { checks: 2, last: '2026-03-01T00:00:00Z' } } };
  for (const [of, feed, needs] of [
    [known, feedOf('v3'), false],
    [known, feedOf('v4', 'v3'), true],
    [known, { entries: shorts(0, 1), problem: null }, false],
    [known, { entries: shorts(1, 1), problem: null }, true],
    [known, feedOf('dead', 'v3'), true],
    [dead, feedOf('dead', 'v3'), false],
    [noChecks, feedOf('v3'), true],
    // The pages that an update may buy without a feed read them.
    [known, noFeed, true],
  ] as const)
    assert.equal(needsIds(of, feed), needs, JSON.stringify(feed));
});
