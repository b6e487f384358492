/** How `--update` decides (docs/updates.md, rules 1 to 5), with list and feed allowed to disagree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Entry,
  feedEntry,
  feedOf,
  type SimulatedChannel,
  video,
  videos,
} from '../support/simulated-service.ts';
import type { WorldRun } from '../support/world.ts';
import { exportedNights, idsIn, type Nights, nightlyRuns, outcome, unchanged, updated } from './fixture.ts';

/** Runs so many nights, one after the other. */
async function several(nights: Nights, count: number): Promise<WorldRun[]> {
  const all: WorldRun[] = [];
  for (let n = 0; n < count; n++) all.push(await nights.night());
  return all;
}

const creditsOf = (nights: readonly WorldRun[]): number[] => nights.map(({ credits }) => credits);

/** A feed of these entries above what the list would give. */
const feedWith = (channel: SimulatedChannel, ...entries: Entry[]): Entry[] =>
  [...entries, ...feedOf(channel.list)].slice(0, 15);

const old = videos(0, 250);
const late = videos(0, 150);
late.splice(60, 0, video('late_1'));
late.splice(120, 0, video('late_2'));

interface Rule {
  readonly name: string;
  /** The list before a first export and after it, and what an update adds to FILE (on top), for how many credits. */
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
  readonly added: readonly unknown[];
  readonly credits: number;
  readonly pageSizes?: readonly number[];
}

const rules: readonly Rule[] = [
  ...([99, 100] as const).map((count) => ({
    name: `rule 2: ${count} new entries on top`,
    before: old,
    after: videos(0, 250 + count),
    added: idsIn(videos(250, 250 + count)),
    credits: count < 100 ? 1 : 2,
  })),
  {
    name: 'rule 2: a known entry that is pinned on top does not end the update',
    before: old,
    after: [...old.slice(200, 201), ...videos(250, 370), ...old.toSpliced(200, 1)],
    ...{ added: idsIn(videos(250, 370)), credits: 2 },
  },
  {
    name: 'rule 2: a video made public late, below known ones on a bought page, is kept, once, on top',
    before: videos(0, 150),
    after: [...videos(150, 152), ...late],
    ...{ added: [...idsIn(videos(150, 152)), 'late_1'], credits: 1 },
  },
  {
    name: 'rule 2: uneven pages: the last entry of each page decides',
    before: old,
    after: videos(0, 340),
    pageSizes: [30, 90],
    ...{ added: idsIn(videos(250, 340)), credits: 2 },
  },
];

for (const { name, before, after, added, credits, pageSizes } of rules) {
  test(`${name}: ${credits} credits`, async (t) => {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: before });
    await nights.night();
    const rows = nights.read('a.ndjson');
    a.list = [...after];
    if (pageSizes) a.pageSizes = pageSizes;
    const night = await nights.night();
    assert.deepEqual(outcome(night), updated(added.length, credits), night.stderr);
    const { entries, pages, why } = night.only;
    assert.deepEqual([entries, pages, why, night.stderr], [before.length + added.length, credits, null, '']);
    assert.deepEqual(nights.ids(), [...added, ...idsIn(before)]);
    // Old rows, `index` among them, stay as they are.
    assert.ok(nights.read('a.ndjson').endsWith(rows));
    assert.deepEqual(outcome(await nights.night()), unchanged);
  });
}

test('rule 2: a list without any known entry is read to its end; the entries that it lacks are in the summary', async (t) => {
  const { nights, a } = await exportedNights(t, 3);
  a.list = videos(3, 123);
  const night = await nights.night();
  assert.deepEqual([outcome(night), night.stderr], [updated(120, 2), '']);
  assert.deepEqual(night.only.unlisted, { count: 3, ids: idsIn(videos(0, 3)) });
  assert.deepEqual(nights.ids(), idsIn(videos(0, 123)));
});

test('entries without videoId: written by a full export, ignored by --update; the last ID of a page decides', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 10 });
  const nothing = video('', { videoId: null, title: '[Private video]' });
  const without = (({ videoId: _, ...rest }) => rest)(video('none') as Record<string, unknown>);
  const old = videos(0, 30);
  old.splice(5, 0, nothing, without);
  const a = nights.service.addChannel('a', { list: old });
  assert.equal((await nights.night()).only.entries, 32);
  // Two new ones; the page ends with entries that have no ID, after one that FILE has.
  a.list = [...videos(30, 32), nothing, ...videos(25, 30), nothing, without, ...videos(0, 25)];
  const first = await nights.night();
  assert.deepEqual(outcome(first), updated(2, 1));
  assert.equal(first.only.entries, 34);
  assert.deepEqual(nights.ids(), [
    ...idsIn(videos(30, 32)),
    ...idsIn(videos(25, 30)),
    null,
    undefined,
    ...idsIn(videos(0, 25)),
  ]);
  assert.deepEqual(outcome(await nights.night()), unchanged);
  // Nine new ones and one without ID: the last ID is unknown, so a second page is fetched.
  a.list = [...videos(32, 41), nothing, ...videos(0, 32)];
  assert.deepEqual(outcome(await nights.night()), updated(9, 2));
});

test('rule 3: no feed fails until the last check is seven days old, then costs a page a week', async (t) => {
  const feeds = { empty: 'empty', missing: 404, broken: 500, garbage: 'garbage', odd: { body: {} } } as const;
  const references = Object.keys(feeds).map((name) => `@${name}`);
  const nights = await nightlyRuns(t, { references, output: '--output-dir dir --concurrency 1' });
  const channels = Object.entries(feeds).map(
    ([name, feed]) => [nights.service.addChannel(name, { list: videos(0, 150) }), feed] as const,
  );
  assert.equal((await nights.night()).credits, 10);
  for (const [channel, feed] of channels) channel.feed = feed;
  channels[0]?.[0].list.unshift(video('news'));
  // The last check was on the first of March.
  const second = await nights.night();
  assert.deepEqual([second.exit, second.credits, second.counts], [7, 0, { failed: 5 }], second.stderr);
  for (const line of second.errors) assert.match(line, /2026-03-08|8 March|March 8/);
  nights.pass(5);
  const eighth = await nights.night();
  assert.deepEqual([eighth.exit, eighth.credits, eighth.errors], [0, 5, []], eighth.stderr);
  assert.ok(eighth.warnings.length > 0);
  assert.deepEqual(
    eighth.summary?.references.map(({ status, why, new: added }) => [status, typeof why, added]),
    [['complete', 'string', 1], ...Array(4).fill(['unchanged', 'string', 0])],
  );
  const ninth = await nights.night();
  assert.deepEqual([ninth.exit, ninth.credits, ninth.counts], [0, 0, { unchecked: 5 }], ninth.stderr);
  nights.pass(5);
  assert.equal((await nights.night()).credits, 5);
  for (const [channel] of channels) channel.feed = 'list';
  const last = await nights.night();
  assert.deepEqual([last.exit, last.credits, last.counts, last.stderr], [0, 0, { unchanged: 5 }, '']);
});

test('rule 5: numVideos above the listed entries is information only', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  a.numVideos = '1,200';
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits, first.only.missing, first.stderr], [0, 2, 1050, '']);
  assert.equal((await nights.night()).only.missing, null);
  a.list = videos(0, 152);
  const update = await nights.night();
  assert.deepEqual([update.only.missing, update.stderr], [1048, '']);
});

test('hostile feeds: no ID, IDs that are paths or control characters, dates in the year 9999', async (t) => {
  const { nights, a } = await exportedNights(t, 20);
  const { videoId: _, ...without } = feedEntry('x') as Record<string, unknown>;
  a.feed = feedWith(
    a,
    feedEntry(null),
    without,
    feedEntry('far', { published: '9999-12-31T23:59:59Z' }),
    { videoId: 7, published: 'not a date' },
    ...[null, 7].map((value) => value as unknown as Entry),
  );
  assert.deepEqual(outcome(await nights.night()), unchanged);
  a.feed = feedWith(a, feedEntry('../../etc/passwd'), feedEntry('\u001b[2J\n'), feedEntry('x'.repeat(5000)));
  const all = await several(nights, 3);
  assert.deepEqual(creditsOf(all), [1, 1, 0]);
  for (const { exit, stderr } of all) {
    assert.equal(exit, 0, stderr);
    // biome-ignore lint/complexity/useRegexLiterals: the character is the point
    assert.doesNotMatch(stderr, new RegExp('\\u001b'));
  }
  assert.deepEqual(nights.ids(), idsIn(videos(0, 20)));
});
