/** How `--update` decides (docs/updates.md, rules 1 to 5), with list and feed allowed to disagree. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Entry,
  feedEntry,
  feedOf,
  type SimulatedChannel,
  short,
  video,
  videos,
} from '../support/simulated-service.ts';
import { onlyError, onlyWarning } from '../support/stderr.ts';
import type { WorldRun } from '../support/world.ts';
import { exportedNights, idsIn, nightlyRuns, outcome, unchanged, updated } from './fixture.ts';

const noFeed = { exit: 7, status: 'failed', credits: 0, added: null };

const creditsOf = (nights: readonly WorldRun[]): number[] => nights.map(({ credits }) => credits);

/** A feed of these entries above what the list would give. */
const feedWith = (channel: SimulatedChannel, ...entries: Entry[]): Entry[] =>
  [...entries, ...feedOf(channel.list)].slice(0, 15);

const old = videos(0, 250);
const late = videos(0, 150);
late.splice(60, 0, video('late_1'));
late.splice(120, 0, video('late_2'));

interface Rule {
  /** The list before a first export. */
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
  /** What an update adds to FILE, on top. */
  readonly added: readonly unknown[];
  readonly credits: number;
  readonly pageSizes?: readonly number[];
  readonly warning?: RegExp;
}

const rules: Readonly<Record<string, Rule>> = {
  '99 new entries on top': {
    before: old,
    after: videos(0, 349),
    added: idsIn(videos(250, 349)),
    credits: 1,
  },
  '100 new entries on top': {
    before: old,
    after: videos(0, 350),
    added: idsIn(videos(250, 350)),
    credits: 2,
  },
  '200 new entries on top': {
    before: old,
    after: videos(0, 450),
    added: idsIn(videos(250, 450)),
    credits: 3,
  },
  'a known entry that is pinned on top does not end the update': {
    before: old,
    after: [...old.slice(200, 201), ...videos(250, 370), ...old.toSpliced(200, 1)],
    added: idsIn(videos(250, 370)),
    credits: 2,
  },
  'a video made public late, below known ones on a bought page, is kept, once, on top': {
    before: videos(0, 150),
    after: [...videos(150, 152), ...late],
    added: [...idsIn(videos(150, 152)), 'late_1'],
    credits: 1,
  },
  'uneven pages: the last entry of each page decides': {
    before: old,
    after: videos(0, 340),
    added: idsIn(videos(250, 340)),
    credits: 2,
    pageSizes: [30, 90],
  },
  'a list without any known entry is read to its end': {
    before: videos(0, 3),
    after: videos(3, 123),
    added: idsIn(videos(3, 123)),
    credits: 2,
    // Or it has ended too early.
    warning:
      /^chanlist: warning: @a: the list ended without any of the 3 entries of a\.ndjson: .* --update --all buys every page\n$/,
  },
  'a new video that is twice on a page': {
    before: old,
    after: [video('new'), ...videos(250, 251), video('new'), ...old],
    added: ['new', ...idsIn(videos(250, 251))],
    credits: 1,
  },
};

for (const [name, { before, after, added, credits, pageSizes, warning = /^$/ }] of Object.entries(rules)) {
  test(`rule 2: ${name}: ${credits} credits`, async (t) => {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: before });
    await nights.night();
    const rows = nights.read('a.ndjson');
    a.list = [...after];
    if (pageSizes) a.pageSizes = pageSizes;
    const night = await nights.night();
    assert.deepEqual(outcome(night), updated(added.length, credits), night.stderr);
    const { entries, pages } = night.only;
    assert.deepEqual([entries, pages], [before.length + added.length, credits]);
    assert.match(night.stderr, warning);
    assert.deepEqual(nights.ids(), [...added, ...idsIn(before)]);
    // Old rows, `index` among them, stay as they are.
    assert.ok(nights.read('a.ndjson').endsWith(rows));
    const quiet = await nights.night();
    assert.deepEqual([outcome(quiet), quiet.only.entries], [unchanged, before.length + added.length]);
  });
}

test('entries without videoId: an update keeps them if FILE has none; the last ID of a page decides', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 10 });
  const nothing = video('', { videoId: null, title: '[Private video]' });
  const without = (({ videoId: _, ...rest }) => rest)(video('none') as Record<string, unknown>);
  const old = videos(0, 30);
  old.splice(5, 0, nothing);
  const a = nights.service.addChannel('a', { list: old });
  assert.equal((await nights.night()).only.entries, 31);
  // Two new ones; the page ends with entries that have no ID, after one that FILE has.
  a.list = [...videos(30, 32), nothing, ...videos(25, 30), nothing, without, ...videos(0, 25)];
  const first = await nights.night();
  assert.deepEqual(outcome(first), updated(2, 1));
  assert.equal(first.stderr, '');
  assert.deepEqual(nights.ids(), [...idsIn(videos(25, 32)), null, ...idsIn(videos(0, 25))]);
  // Nine new ones and one without ID: the last ID is unknown, so a second page is bought.
  a.list = [...videos(32, 41), nothing, ...videos(0, 32)];
  assert.deepEqual(outcome(await nights.night()), updated(9, 2));
  const b = nights.service.addChannel('b', { list: videos(0, 5) });
  await nights.run('uploads @b -o b.ndjson');
  b.list = [nothing, ...videos(5, 6), without, ...videos(0, 5)];
  const { only } = await nights.run('uploads @b -o b.ndjson --update --all');
  assert.deepEqual([only.new, only.unlisted], [3, { count: 0, ids: [] }]);
});

test('a list that has nothing of FILE is a warning, also if it is read in two runs', async (t) => {
  const { nights, a } = await exportedNights(t, 3);
  a.list = videos(3, 123);
  assert.equal((await nights.night('--max-credits 1')).exit, 9);
  const resumed = await nights.night();
  assert.deepEqual([resumed.exit, resumed.credits, resumed.only.new], [0, 1, 120], resumed.stderr);
  onlyWarning(resumed, 'the list ended without any of the 3 entries of a.ndjson');
});

test('a list that has met FILE on a page of an earlier run is no warning', async (t) => {
  const { nights, a } = await exportedNights(t, 3);
  // An old video is made public: the first page has all of FILE, and ends below it.
  a.list = [...videos(0, 3), ...videos(3, 123)];
  assert.equal((await nights.night('--max-credits 1')).exit, 9);
  const resumed = await nights.night();
  assert.deepEqual([resumed.exit, resumed.credits, resumed.only.new, resumed.stderr], [0, 1, 120, '']);
});

test('rule 3: no feed fails until the last check is seven days old, then costs a page', async (t) => {
  const feeds = { empty: 'empty', missing: 404, broken: 500, garbage: 'garbage', odd: { body: {} } } as const;
  // Where no feed at all can be read, it is not the channels.
  const references = ['@good', ...Object.keys(feeds).map((name) => `@${name}`)];
  const nights = await nightlyRuns(t, { references, output: '--output-dir dir --concurrency 1' });
  const channels = Object.entries(feeds).map(
    ([name, feed]) => [nights.service.addChannel(name, { list: videos(0, 150) }), feed] as const,
  );
  nights.service.addChannel('good', { list: videos(0, 150) });
  assert.equal((await nights.night()).credits, 12);
  for (const [channel, feed] of channels) channel.feed = feed;
  channels[0]?.[0].list.unshift(video('news'));
  // The last check was on the first of March.
  for (const second of await nights.nights(6)) {
    assert.deepEqual(
      [second.exit, second.credits, second.counts],
      [7, 0, { failed: 5, unchanged: 1 }],
      second.stderr,
    );
    for (const line of second.errors)
      assert.match(line, /not back by 2026-03-08, an update buys one page .*1 credit/);
  }
  const eighth = await nights.night();
  assert.deepEqual([eighth.exit, eighth.credits, eighth.errors], [0, 5, []], eighth.stderr);
  onlyWarning(eighth, '5 references', 'checked with a page instead of the feed');
  const added = eighth.summary?.references.map(({ status, new: added }) => `${status} ${added}`);
  assert.deepEqual(added?.slice(1), ['complete 1', ...Array(4).fill('unchanged 0')]);
  for (const ninth of await nights.nights(2))
    assert.deepEqual(
      [ninth.exit, ninth.credits, ninth.counts, ninth.stderr],
      [0, 0, { unchanged: 1, unchecked: 5 }, ''],
    );
  for (const [channel] of channels) channel.feed = 'list';
  const last = await nights.night();
  assert.deepEqual([last.exit, last.credits, last.counts, last.stderr], [0, 0, { unchanged: 6 }, '']);
});

test('rule 3: a feed that is refused is a feed that is missing: --update --all does without it', async (t) => {
  const { nights, a } = await exportedNights(t, 150);
  a.list = videos(0, 151);
  for (const status of [400, 410, 422]) {
    a.feed = status;
    const night = await nights.night();
    assert.deepEqual(outcome(night), noFeed, night.stderr);
    onlyError(night, `the "latest" feed is refused (${status})`, 'no action needed');
  }
  const all = await nights.night('--all');
  assert.deepEqual(outcome(all), updated(1, 2));
});

const known = (...ids: number[]): Entry[] => ids.map((n) => feedEntry(String(videos(n, n + 1)[0]?.videoId)));
const shapes: readonly (readonly [name: string, body: unknown, exit: 0 | 7])[] = [
  ['an array', known(19, 18), 0],
  ['another member', { items: [{ id: { videoId: known(18)[0]?.videoId } }], etag: 'x' }, 0],
  ['IDs', { videos: idsIn(known(19, 17)) }, 0],
  ['no entry', { results: [] }, 7],
  ['no IDs', { results: [{ link: 'https://video.example/v/1' }] }, 7],
  ['no list', { feed: { entry: 'something else' } }, 7],
  ['two lists', { a: known(19), b: known(18) }, 7],
];

test('a feed of any shape: a list of known IDs is nothing new; anything else is 7, without a paid request', async (t) => {
  const { nights, a } = await exportedNights(t, 20);
  for (const [name, body, exit] of shapes) {
    a.feed = { body };
    const run = await nights.run('uploads @a -o a.ndjson --update');
    assert.deepEqual(outcome(run), exit === 0 ? unchanged : noFeed, `${name}: ${run.stderr}`);
  }
});

test('a feed that is all in the future is a warning: the clock may be wrong', async (t) => {
  const { nights, a } = await exportedNights(t, 20);
  const later = { published: '2099-01-01T00:00:00Z' };
  a.list = videos(0, 22);
  a.feed = Array.from({ length: 5 }, (_, n) => feedEntry(`new${n}`, later));
  const night = await nights.night();
  assert.deepEqual(outcome(night), unchanged);
  onlyWarning(night, 'in the future; check the clock');
  // Scheduled streams may be all that a small channel has.
  a.feed = a.feed.slice(0, 4);
  assert.equal((await nights.night()).stderr, '');
});

test('hostile feeds: no ID, IDs that are paths or control characters, dates in the year 9999', async (t) => {
  const { nights, a } = await exportedNights(t, 20);
  const { videoId: _, ...without } = feedEntry('x') as Record<string, unknown>;
  const far = feedEntry('far', { published: '9999-12-31T23:59:59Z' });
  const odd = [null, 7, { videoId: 7, published: 'not a date' }].map((value) => value as unknown as Entry);
  a.feed = feedWith(a, feedEntry(null), without, far, short('short'), ...odd);
  assert.deepEqual(outcome(await nights.night()), unchanged);
  a.feed = feedWith(a, feedEntry('../../etc/passwd'), feedEntry('\u001b[2J\n'), feedEntry('x'.repeat(5000)));
  // Rule 4: expected once more a day later, then ignored.
  const all = await nights.nights(3);
  assert.deepEqual(creditsOf(all), [1, 1, 0]);
  const [first, second, third] = all.map(({ stderr }) => stderr);
  assert.deepEqual([first, third], ['', '']);
  // Once, without control characters; a text of 5,000 characters was never expected.
  assert.match(
    second ?? '',
    /^chanlist: warning: @a: in the feed, but .*: \.\.\/\.\.\/etc\/passwd, {2}\[2J ; .*--update --all buys every page\n$/,
  );
  assert.deepEqual(nights.ids(), idsIn(videos(0, 20)));
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
  assert.match((await nights.run('check a.ndjson')).stdout, /"missing":1048,/);
});

test('gone: the page that is bought without a feed is 404, in every run until the channel is back', async (t) => {
  const { nights, a } = await exportedNights(t, 150);
  nights.service.handles.delete('@a');
  a.gone = true;
  for (const night of await nights.nights(6)) assert.deepEqual([night.exit, night.credits], [7, 0]);
  for (const night of await nights.nights(3)) {
    assert.deepEqual([night.exit, night.credits, night.only.error?.code], [5, 0, 'gone'], night.stderr);
    onlyError(night, '@a: ', 'last seen on 2026-03-01');
    // It is not resolved again.
    assert.deepEqual(night.operations, ['latest', 'uploads']);
  }
  a.gone = false;
  a.list = videos(0, 151);
  assert.deepEqual(outcome(await nights.night()), updated(1, 1));
});

test('an export that is resumed, whose update then has no feed: the entries of FILE are reported', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 10 });
  const a = nights.service.addChannel('a', { list: videos(0, 25) });
  assert.equal((await nights.run('uploads @a -o a.ndjson --max-credits 1')).exit, 9);
  a.feed = 500;
  const { exit, credits, only } = await nights.run('uploads @a -o a.ndjson --update --retries 0');
  assert.deepEqual([exit, credits, only.entries, only.resumed, nights.ids()?.length], [7, 2, 25, 10, 25]);
  // The entries that wait for the next run are not yet in FILE.
  const b = nights.service.addChannel('b', { list: videos(0, 25) });
  await nights.run('uploads @b -o b.ndjson');
  b.list = videos(0, 40);
  const stopped = await nights.run('uploads @b -o b.ndjson --update --max-credits 1');
  assert.deepEqual([stopped.exit, stopped.only.entries, stopped.only.missing], [9, 25, 15]);
});

test('--update --all keeps every entry that FILE lacks, and says what is no longer listed, if it was not interrupted', async (t) => {
  const { nights, a } = await exportedNights(t, 150);
  const list = [...videos(150, 151), ...late.slice(0, 130)];
  a.list = list;
  const lacking = [...idsIn(videos(150, 151)), 'late_1', 'late_2'];
  const stopped = await nights.night('--all --max-credits 1');
  assert.deepEqual([stopped.exit, stopped.credits], [9, 1]);
  const resumed = await nights.night('--all -v');
  assert.deepEqual([outcome(resumed), resumed.only.unlisted], [updated(3, 1), null]);
  assert.deepEqual(nights.ids(), [...lacking, ...idsIn(videos(0, 150))]);
  const all = await nights.night('--all -v');
  const hidden = idsIn(late.slice(130));
  assert.deepEqual(
    [outcome(all), all.only.unlisted],
    [
      { ...unchanged, credits: 2 },
      { count: 22, ids: hidden },
    ],
  );
  assert.match(all.stderr, /22 no longer listed/);
});

test('a token that is refused: what the pages held and the list now lacks is kept, and nothing is there twice', async (t) => {
  const { nights, a } = await exportedNights(t, 20, { pageSize: 10 });
  a.list = videos(0, 45);
  const stopped = await nights.night('--max-credits 2');
  assert.deepEqual([stopped.exit, stopped.credits], [9, 2]);
  nights.service.expireTokens();
  // Two of the entries that were bought are deleted, one is new.
  a.list = videos(0, 46).filter((_, n) => n !== 5 && n !== 17);
  const deleted = idsIn([...videos(40, 41), ...videos(28, 29)]);
  const night = await nights.night();
  assert.deepEqual(outcome(night), updated(26, 3), night.stderr);
  assert.deepEqual(nights.ids(), [...idsIn(a.list.slice(0, 24)), ...deleted, ...idsIn(videos(0, 20))]);
  assert.deepEqual(outcome(await nights.night()), unchanged);
});

test('an --update --all that can buy no page leaves a plain update as it was', async (t) => {
  const { nights, a } = await exportedNights(t, 100, { pageSize: 5 });
  a.list = videos(0, 107);
  assert.equal((await nights.night('--max-credits 1')).exit, 9);
  const none = await nights.night('--all --max-credits 0');
  assert.deepEqual([none.exit, none.credits], [9, 0]);
  const plain = await nights.night();
  assert.deepEqual([plain.exit, plain.credits, plain.only.resumed], [0, 1, 5], plain.stderr);
});

test('an --all that is resumed while there is no feed is followed by one page, not by the whole list again', async (t) => {
  const { nights, a } = await exportedNights(t, 40, { pageSize: 10 });
  a.feed = 404;
  assert.equal((await nights.night('--all --max-credits 1')).exit, 9);
  nights.pass(8);
  const resumed = await nights.night('--all');
  assert.deepEqual([resumed.exit, resumed.credits], [0, 3 + 1], resumed.stderr);
});

test('a list is whole since --all began to read it, also where a plain update was interrupted', async (t) => {
  const { nights, a } = await exportedNights(t, 40, { pageSize: 10 });
  a.list = videos(0, 55);
  assert.equal((await nights.night('--max-credits 1')).exit, 9);
  nights.pass(5);
  const began = new Date(nights.now).toISOString();
  assert.equal((await nights.night('--all')).exit, 0);
  const [row] = (await nights.run('check a.ndjson')).lines.map((line) => JSON.parse(line));
  assert.equal(row.whole, began);
});

test('an entry without an ID on a page that was bought in vain is kept, unless the list has such entries again', async (t) => {
  const { nights, a } = await exportedNights(t, 20, { pageSize: 10 });
  const hidden = video('', { videoId: null, title: 'Private' });
  a.list = [hidden, ...videos(0, 40)];
  assert.equal((await nights.night('--max-credits 1')).exit, 9);
  nights.service.expireTokens();
  a.list = videos(0, 40);
  const night = await nights.night();
  assert.equal(night.exit, 0, night.stderr);
  assert.equal(nights.read('a.ndjson').split('"title":"Private"').length, 2);
});

test('entries that FILE has lost are missed in every run until the list was read whole', async (t) => {
  const { nights, a } = await exportedNights(t, 40, { pageSize: 10 });
  a.list = videos(0, 55);
  assert.equal((await nights.night('--max-credits 1')).exit, 9);
  // The lines that FILE loses are below those that the feed has.
  nights.write('a.ndjson', `${nights.read('a.ndjson').split('\n').slice(0, 25).join('\n')}\n`);
  assert.equal((await nights.night('--all --max-credits 3')).exit, 9);
  const plain = await nights.night();
  assert.deepEqual([plain.exit, plain.credits], [1, 0], plain.stderr);
  onlyError(plain, 'has 25 entries, but it had 40');
  const whole = await nights.night('--all');
  assert.deepEqual([whole.exit, whole.credits], [0, 3], whole.stderr);
  assert.deepEqual(nights.ids()?.toSorted(), idsIn(videos(0, 55)).toSorted());
});

test('an export that is resumed after a page of growth has each upload once', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 10 });
  const a = nights.service.addChannel('a', { list: videos(0, 40) });
  assert.equal((await nights.run('uploads @a -o a.ndjson --max-credits 3')).exit, 9);
  a.list = videos(0, 65);
  const resumed = await nights.run('uploads @a -o a.ndjson');
  assert.deepEqual([resumed.exit, nights.ids()], [0, idsIn(videos(0, 40))], resumed.stderr);
});

test('a playlist every night: what it loses is kept, what it gets anywhere is added, a video twice in it is not added', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 5 });
  const twice = [...videos(0, 7), ...videos(3, 4)];
  const playlist = nights.service.addPlaylist('PLx', twice);
  const night = async () => {
    const update = nights.has('p.ndjson') ? ' --update -v' : '';
    const run = await nights.run(`playlist PLx -o p.ndjson${update}`);
    nights.pass(1);
    return run;
  };
  await night();
  assert.deepEqual(nights.ids('p.ndjson'), idsIn(twice));
  assert.deepEqual(outcome(await night()), { ...unchanged, credits: 2 });
  playlist.list = [...videos(0, 2), video('new'), ...videos(2, 4), video('new'), ...videos(4, 7)];
  const changed = await night();
  assert.deepEqual([outcome(changed), changed.only.unlisted], [updated(1, 2), { count: 0, ids: [] }]);
  playlist.list = videos(2, 7);
  const lost = await night();
  assert.deepEqual(lost.only.unlisted, { count: 3, ids: ['new', ...idsIn(videos(0, 2))] });
  assert.match(lost.stderr, /3 no longer listed/);
  assert.deepEqual(nights.ids('p.ndjson'), ['new', ...idsIn(twice)]);
});

test('an empty list does not end the expectation of an ID: it is added once the list is back', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 5) });
  await nights.night();
  const list = videos(0, 6);
  a.feed = feedOf(list);
  a.list = [];
  for (const _night of [1, 2, 3]) {
    const empty = await nights.night();
    assert.deepEqual([empty.exit, empty.credits, empty.warnings.length], [0, 1, 1], empty.stderr);
  }
  a.list = list;
  const back = await nights.night();
  assert.deepEqual([back.exit, back.credits, nights.ids('a.ndjson')], [0, 1, idsIn(list)]);
});

test('an empty list of an archive with entries: they are kept, with a warning', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 5) });
  await nights.night();
  const rows = nights.read('a.ndjson');
  a.list = [];
  const all = await nights.run('uploads @a -o a.ndjson --update --all');
  assert.deepEqual([all.exit, all.credits], [0, 1]);
  assert.match(
    all.stderr,
    /^chanlist: warning: @a: the list is empty; the 5 entries of a\.ndjson were kept$/m,
  );
  assert.equal(nights.read('a.ndjson'), rows);
});

test('a redirect of the feed is about the address: 8, on the first night', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 5) });
  await nights.night();
  a.feed = 302;
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [8, 0]);
  onlyError(night, 'redirect', 'correct the address of the service');
});

test('entries without videoId are not added again from pages that were set aside', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 2 });
  const nothing = video('', { videoId: null, title: '[Private video]' });
  const a = nights.service.addChannel('a', { list: videos(0, 4) });
  await nights.night();
  a.list = [...videos(10, 12), nothing, ...videos(4, 10), ...videos(0, 4)];
  for (const bound of [['--max-credits', '3'], ['--all', '--max-credits', '3'], ['--all']])
    await nights.run(['uploads', '@a', '-o', 'a.ndjson', '--update', ...bound]);
  assert.deepEqual(nights.ids(), [
    ...idsIn(videos(10, 12)),
    null,
    ...idsIn(videos(4, 10)),
    ...idsIn(videos(0, 4)),
  ]);
});

test('a FILE of which only the time has changed is as recorded, whatever the service has sent', async (t) => {
  const nights = await nightlyRuns(t);
  const list = [...videos(1, 3), video('other', { channelId: 'UCother' }), ...videos(0, 1)];
  const a = nights.service.addChannel('a', { list });
  await nights.night();
  const rows = nights.read('a.ndjson');
  utimesSync(join(nights.folder, 'a.ndjson'), 1000, 1000);
  assert.equal((await nights.run('check a.ndjson')).exit, 0);
  // The service does not list it any more.
  a.list = videos(0, 3);
  const all = await nights.run('uploads @a -o a.ndjson --update --all');
  assert.deepEqual([all.exit, all.stderr, nights.read('a.ndjson')], [0, '', rows]);
});
