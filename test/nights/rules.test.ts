/** How `--update` decides (product.md, Exports, rules 1 to 5), with list and feed allowed to disagree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Entry,
  feedEntry,
  feedOf,
  type SimulatedChannel,
  short,
  video,
  videoId,
  videos,
} from '../support/simulated-service.ts';
import { idsIn, type Night, type Nights, nightlyRuns, outcome, unchanged, updated } from './fixture.ts';

/** Runs so many nights, one after the other. */
async function several(nights: Nights, count: number): Promise<Night[]> {
  const all: Night[] = [];
  for (let n = 0; n < count; n++) all.push(await nights.night());
  return all;
}

const creditsOf = (nights: readonly Night[]): number[] => nights.map(({ credits }) => credits);
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** A feed of these entries above what the list would give. */
const feedWith = (channel: SimulatedChannel, ...entries: Entry[]): Entry[] =>
  [...entries, ...feedOf(channel.list)].slice(0, 15);

test('rule 1: nothing new costs one free request', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 250) });
  assert.equal((await nights.night()).credits, 3);
  for (const night of await several(nights, 2)) {
    assert.deepEqual(outcome(night), unchanged);
    assert.deepEqual(night.operations, ['latest']);
    assert.deepEqual([night.stdout, night.stderr], ['', '']);
    assert.deepEqual([night.only.entries, night.only.pages, night.only.missing], [250, 0, null]);
  }
});

test('rule 1: no page is bought for Shorts in the feed', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  for (let n = 1; n <= 3; n++) {
    a.feed = feedWith(a, short(`short_${n}`), short(`short_${n - 1}`));
    assert.deepEqual(outcome(await nights.night()), unchanged);
  }
  a.list.unshift(video('v_1'));
  a.feed = feedWith(a, short('short_4'));
  assert.deepEqual(outcome(await nights.night()), updated(1, 1));
});

test('rule 1: a scheduled stream is not expected before its time', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  a.feed = feedWith(
    a,
    feedEntry('stream', { published: '2026-03-04T20:00:00Z' }),
    feedEntry('never', { published: '9999-12-31T23:59:59Z' }),
  );
  for (const night of await several(nights, 3)) assert.deepEqual(outcome(night), unchanged);
  a.list.unshift(video('stream'));
  assert.deepEqual(outcome(await nights.night()), updated(1, 1));
  assert.deepEqual(outcome(await nights.night()), unchanged);
  assert.deepEqual(await nights.ids(), ['stream', ...idsIn(videos(0, 20))]);
});

test('rule 2: a known entry that is pinned on top does not end the update', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.night();
  const old = videos(0, 250);
  const added = videos(250, 370);
  a.list = [...old.slice(200, 201), ...added, ...old.toSpliced(200, 1)];
  assert.deepEqual(outcome(await nights.night()), updated(120, 2));
  assert.deepEqual(await nights.ids(), idsIn([...added, ...old]));
});

for (const [added, credits] of [
  [1, 1],
  [99, 1],
  [100, 2],
  [150, 2],
] as const) {
  test(`rule 2: ${added} new entries on top cost ${credits}`, async (t) => {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: videos(0, 250) });
    await nights.night();
    a.list = videos(0, 250 + added);
    const night = await nights.night();
    assert.deepEqual(outcome(night), updated(added, credits));
    assert.deepEqual([night.only.entries, night.only.pages, night.only.why], [250 + added, credits, null]);
    assert.equal(night.stderr, '');
    assert.deepEqual(await nights.ids(), idsIn(videos(0, 250 + added)));
    assert.deepEqual(outcome(await nights.night()), unchanged);
  });
}

test('rule 2: new entries below a premiere or a pinned video that FILE has are kept', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: [video('premiere'), ...videos(0, 150)] });
  await nights.night();
  const before = (await nights.read('a.ndjson')).split('\n');
  a.list = [video('premiere'), ...videos(0, 153)];
  assert.deepEqual(outcome(await nights.night()), updated(3, 1));
  assert.deepEqual(await nights.ids(), [...idsIn(videos(150, 153)), 'premiere', ...idsIn(videos(0, 150))]);
  // Old rows, `index` among them, stay as they are.
  assert.deepEqual((await nights.read('a.ndjson')).split('\n').slice(3), before);
  assert.deepEqual(outcome(await nights.night()), unchanged);
});

test('rule 2: a video made public late, below known ones on a bought page, is kept, once, on top', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  const late = videos(0, 150);
  late.splice(60, 0, video('late_1'));
  late.splice(120, 0, video('late_2'));
  a.list = late;
  // Nothing in the feed speaks of it.
  assert.deepEqual(outcome(await nights.night()), unchanged);
  a.list = [...videos(150, 152), ...late];
  assert.deepEqual(outcome(await nights.night()), updated(3, 1));
  assert.deepEqual(await nights.ids(), [...idsIn(videos(150, 152)), 'late_1', ...idsIn(videos(0, 150))]);
  assert.deepEqual(outcome(await nights.night()), unchanged);
});

test('rule 2: a pinned video that FILE lacks, above known ones, is found on the first page', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  a.list.unshift(video('pinned'));
  assert.deepEqual(outcome(await nights.night()), updated(1, 1));
  a.list = [video('pinned'), ...videos(0, 152)];
  assert.deepEqual(outcome(await nights.night()), updated(2, 1));
  assert.deepEqual(await nights.ids(), [...idsIn(videos(150, 152)), 'pinned', ...idsIn(videos(0, 150))]);
});

test('rule 2: deleted entries at the boundary do not matter; nothing is dropped', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.night();
  a.list = [...videos(250, 252), ...videos(0, 240)];
  const night = await nights.night();
  assert.deepEqual(outcome(night), updated(2, 1));
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 252)));
  assert.equal(night.stderr, '');
});

test('rule 2: a list without any known entry is read to its end', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 3) });
  await nights.night();
  a.list = videos(3, 123);
  assert.deepEqual(outcome(await nights.night()), updated(120, 2));
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 123)));
});

test('entries without videoId: kept by a full export, ignored by --update; the last ID of a page decides', async (t) => {
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
  assert.deepEqual(await nights.ids(), [
    ...idsIn(videos(30, 32)),
    ...idsIn(videos(25, 30)),
    null,
    undefined,
    ...idsIn(videos(0, 25)),
  ]);
  assert.deepEqual(outcome(await nights.night()), unchanged);
  // Nine new ones and one without ID: the last ID is unknown, so a second page is bought.
  a.list = [...videos(32, 41), nothing, ...videos(0, 32)];
  assert.deepEqual(outcome(await nights.night()), updated(9, 2));
});

test('rule 2: a limited FILE: its last entry ends the update, entries below it are appended', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  const limited = await nights.run(['uploads', '@a', '-o', 'a.ndjson', '--limit', '30']);
  assert.deepEqual([limited.exit, limited.credits, limited.only.status], [0, 1, 'limited']);
  nights.pass(1);
  assert.deepEqual(outcome(await nights.night()), unchanged);
  a.list = videos(0, 255);
  assert.deepEqual(outcome(await nights.night()), updated(70, 1));
  assert.deepEqual(await nights.ids(), idsIn(videos(155, 255)));
  a.list = videos(0, 256);
  assert.deepEqual(outcome(await nights.night()), updated(1, 1));
  assert.deepEqual(await nights.ids(), idsIn(videos(155, 256)));
});

test('rule 2: a limited json FILE is sound, is updated, and keeps where the rest begins', async (t) => {
  const nights = await nightlyRuns(t, { output: ['-o', 'a.json'] });
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  const document = async () => JSON.parse(await nights.read('a.json'));
  await nights.run(['uploads', '@a', '-o', 'a.json', '--limit', '130']);
  const { continuation_token: token } = await document();
  assert.equal(typeof token, 'string');
  a.list = videos(0, 253);
  assert.deepEqual(outcome(await nights.night()), updated(3, 1));
  const above = await document();
  assert.deepEqual(
    [above.results.length, above.continuation_token, above.has_more, 'error' in above],
    [133, token, true, false],
  );
  const checked = await nights.run(['check', 'a.json', '-f', 'ndjson'], { noReceipt: true });
  assert.deepEqual([checked.exit, JSON.parse(checked.stdout).problems], [0, []]);

  // The last entry of FILE is on the first page: what follows it is appended, and the rest begins with the second page.
  await nights.run(['uploads', '@a', '-o', 'a.json', '--limit', '30', '--restart']);
  a.list = videos(0, 254);
  assert.deepEqual(outcome(await nights.night()), updated(70, 1));
  const below = await document();
  assert.deepEqual([below.results.length, below.has_more], [100, true]);
  const rest = await nights.run(['uploads', '--continuation', below.continuation_token, '-n', '1']);
  assert.equal(JSON.parse(rest.stdout).videoId, videoId(153));
});

test('rule 3: a feed that is empty, 404, 500 or unreadable is no news, then one page a day later', async (t) => {
  const names = ['empty', 'missing', 'broken', 'garbage', 'odd', 'news'] as const;
  const references = names.flatMap((name) => [`@${name}`, `@good-${name}`]);
  const nights = await nightlyRuns(t, { references, output: ['--output-dir', 'dir', '--concurrency', '1'] });
  const channels = names.map((name) => {
    const list = (own: string) => videos(0, 150, {}, own);
    nights.service.addChannel(`good-${name}`, { list: list('g_') });
    return nights.service.addChannel(name, { list: list('b_') });
  });
  assert.equal((await nights.night()).credits, 24);
  const feeds = ['empty', 404, 500, 'garbage', { body: { status: 'ok' } }, 'empty'] as const;
  for (const [i, channel] of channels.entries()) channel.feed = feeds[i] ?? 'empty';
  channels.at(-1)?.list.unshift(video('b_news'));

  const first = await nights.night();
  assert.equal(first.exit, 7, first.stderr);
  assert.equal(first.credits, 0);
  const bad = (night: Night) =>
    night.receipt?.references.filter(({ reference }) => !reference?.startsWith('@good')) ?? [];
  assert.deepEqual(
    bad(first).map(({ status, exit }) => [status, exit]),
    names.map(() => ['failed', 7]),
  );
  assert.equal(first.mail.length, 4);
  for (const line of first.mail) {
    assert.match(
      line,
      /: the feed of latest is (?:empty|not found \(404\)|not available \(500\)|unreadable), /,
    );
    assert.match(
      line,
      /; nothing was bought; if that has not changed by tomorrow, one page is bought instead \(1 credit\)/,
    );
  }

  const second = await nights.night();
  assert.equal(second.exit, 0, second.stderr);
  assert.equal(second.credits, 6);
  assert.equal(bad(second).length, 6);
  for (const { reference, status, credits, why, new: added } of bad(second)) {
    assert.equal(credits.confirmed, 1, `${reference}`);
    assert.equal(typeof why, 'string', `${reference}`);
    assert.equal(added, reference === '@news' ? 1 : 0);
    assert.equal(status, reference === '@news' ? 'complete' : 'unchanged', `${reference}`);
  }

  const between = (await several(nights, 4)).at(-1) ?? assert.fail();
  assert.equal(between.exit, 0, between.stderr);
  assert.equal(between.credits, 0);
  assert.deepEqual(
    bad(between).map(({ status, exit }) => [status, exit]),
    names.map(() => ['unchecked', 0]),
  );
  // What lasts is reported when it starts and when it changes, not every night.
  assert.equal(between.stderr, '');

  for (const channel of channels) channel.feed = 'list';
  const last = await nights.night();
  assert.deepEqual([last.exit, last.credits, last.counts.unchanged], [0, 0, 12]);
});

test('rule 3: a day has to pass before a page is bought for a missing feed', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  a.feed = 500;
  const line = ['uploads', '@a', '-o', 'a.ndjson', '--update', '--retries', '0'];
  const start = nights.now.getTime();
  const credits: number[] = [];
  for (const hours of [0, 1, 11, 24]) {
    nights.now = new Date(start + hours * 3_600_000);
    credits.push((await nights.run(line)).credits);
  }
  assert.deepEqual(credits, [0, 0, 0, 1]);
});

test('rule 3: a first export needs no feed', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150), feed: 404 });
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits, first.only.status], [0, 2, 'complete']);
  // A channel without uploads has an empty feed: FILE has no entries, so this is nothing new.
  nights.service.addChannel('b', { feed: 'empty' });
  const empty = ['uploads', '@b', '-o', 'b.ndjson', '--update'];
  assert.equal((await nights.run(empty)).exit, 0);
  nights.pass(1);
  assert.deepEqual(outcome(await nights.run(empty)), unchanged);
  a.feed = 'list';
  assert.deepEqual(outcome(await nights.night()), unchanged);
});

test('rule 3: five bad feeds in a row are a feed that is down: no page is bought for that', async (t) => {
  const references = Array.from({ length: 9 }, (_, n) => `@c${n}`);
  const nights = await nightlyRuns(t, { references, output: ['--output-dir', 'dir', '--concurrency', '1'] });
  const channels = references.map((name) =>
    nights.service.addChannel(name.slice(1), { list: videos(0, 20) }),
  );
  assert.equal((await nights.night()).credits, 9);
  // Every third one is well on the first bad night, so that it is no outage.
  for (const [i, channel] of channels.entries()) if (i % 3 < 2) channel.feed = 500;
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits], [7, 0]);
  for (const channel of channels) channel.feed = 500;
  const second = await nights.night();
  const looks = second.requests.filter(({ operation }) => operation === 'latest');
  const fifth = looks[4]?.number ?? Number.POSITIVE_INFINITY;
  const pages = second.requests.filter(({ operation }) => operation === 'uploads');
  assert.equal(looks.length, 9);
  assert.deepEqual(
    pages.filter(({ number }) => number > fifth),
    [],
  );
  assert.equal(second.credits, pages.length);
  assert.equal(second.credits, 3);
});

test('rule 3: a feed that is down stays so in the call, also after one that is well', async (t) => {
  const references = Array.from({ length: 8 }, (_, n) => `@c${n}`);
  const nights = await nightlyRuns(t, { references, output: ['--output-dir', 'dir', '--concurrency', '1'] });
  const channels = references.map((name) =>
    nights.service.addChannel(name.slice(1), { list: videos(0, 20) }),
  );
  await nights.night();
  // Two first nights, so that five failures in a row are no outage.
  for (const bad of [
    [0, 1, 2, 3],
    [4, 6, 7],
  ]) {
    for (const n of bad) {
      const channel = channels[n];
      if (channel !== undefined) channel.feed = 'empty';
    }
    assert.equal((await nights.night()).exit, 7);
  }
  nights.pass(10);
  const night = await nights.night();
  assert.equal(night.exit, 0, night.stderr);
  const statuses = night.receipt?.references.map(({ status }) => status) ?? [];
  assert.deepEqual(statuses, [
    ...Array(4).fill('unchanged'),
    'unchecked',
    'unchanged',
    'unchecked',
    'unchecked',
  ]);
  assert.equal(night.credits, 4);
});

test('rules 3 and 4: one night with a clock that is a year ahead postpones nothing for a year', async (t) => {
  for (const feed of ['ahead of the list', 'missing'] as const) {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: videos(0, 20) });
    await nights.night();
    const real = nights.now;
    a.feed = feed === 'missing' ? 500 : feedOf(videos(0, 21));
    nights.pass(365);
    const wrong = await nights.night();
    assert.deepEqual([wrong.exit, wrong.credits], feed === 'missing' ? [7, 0] : [0, 1], wrong.stderr);
    nights.now = real;
    nights.pass(1);
    a.list = videos(0, 21);
    assert.deepEqual(outcome(await nights.night()), updated(1, 1));
    assert.deepEqual(await nights.ids(), idsIn(videos(0, 21)));
  }
});

test('rule 4: an ID that was looked for in vain is kept whenever a page holds it', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  a.feed = feedWith(a, feedEntry('tardy'));
  assert.equal(sum(creditsOf(await several(nights, 2))), 2);
  a.list.unshift(video('tardy'));
  const later = await several(nights, 3);
  assert.equal(sum(creditsOf(later)), 1);
  assert.equal(sum(later.map(({ only }) => only.new ?? 0)), 1);
  assert.deepEqual(await nights.ids(), ['tardy', ...idsIn(videos(0, 150))]);
});

test('rule 4: another dead ID does not hide a new upload, and a new upload pays for both', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  a.feed = feedWith(a, feedEntry('dead'));
  await several(nights, 3);
  a.list.unshift(video('v_1'));
  a.feed = feedWith(a, feedEntry('dead'));
  assert.deepEqual(outcome(await nights.night()), updated(1, 1));
});

test('rule 5: numVideos above the listed entries is information only', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  a.numVideos = '1,200';
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits, first.only.missing, first.stderr], [0, 2, 1050, '']);
  const quiet = await nights.night();
  assert.deepEqual(outcome(quiet), unchanged);
  assert.deepEqual([quiet.only.missing, quiet.stderr], [null, '']);
  a.list = videos(0, 152);
  const update = await nights.night();
  assert.deepEqual(outcome(update), updated(2, 1));
  assert.deepEqual([update.only.missing, update.stderr], [1048, '']);
});

test('--update --all buys every page, keeps what FILE lacks and drops nothing', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.night();
  const list = [...videos(252, 254), ...videos(100, 250), video('late'), ...videos(0, 90)];
  a.list = list;
  const all = await nights.night(['--all']);
  assert.deepEqual(outcome(all), updated(3, 3));
  const ids = await nights.ids();
  assert.deepEqual(new Set(ids), new Set(idsIn([...list, ...videos(0, 250)])));
  assert.equal(ids.length, 253);
  assert.deepEqual(ids.slice(0, 3), [...idsIn(videos(252, 254)), 'late']);
});

test('uneven pages: the last entry of each page decides', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.night();
  a.list = videos(0, 340);
  a.pageSizes = [30, 90];
  assert.deepEqual(outcome(await nights.night()), updated(90, 2));
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 340)));
});

test('hostile feeds: no ID, IDs that are paths or control characters, dates in the year 9999', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
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
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 20)));
});

test('usage: combinations that --update excludes are refused before anything is paid', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  nights.service.addChannel('b', { list: videos(0, 20) });
  await nights.night();
  const before = await nights.read('a.ndjson');
  const refused = async (args: readonly string[], named: RegExp) => {
    const { exit, credits, stderr } = await nights.run(['uploads', ...args, '--update']);
    assert.equal(exit, 2, stderr);
    assert.equal(credits, 0);
    assert.match(stderr, named);
    assert.equal(await nights.read('a.ndjson'), before);
  };
  const file = ['-o', 'a.ndjson'];
  await refused(
    ['@a', ...file, '--limit', '5'],
    /^chanlist: --update and --limit exclude each other; [^\n]*\n$/,
  );
  await refused(
    ['--continuation', 'x', ...file],
    /^chanlist: --update and --continuation exclude each other; [^\n]*\n$/,
  );
  await refused(
    ['@b', ...file],
    /^chanlist: @b: a\.ndjson holds another channel: UCa-+, not UCb-+; name another file; nothing was bought\n$/,
  );
  await refused(
    ['@a', ...file, '--fields', 'videoId,title'],
    / a\.ndjson was exported without --fields, not with videoId,title; /,
  );
  await refused(
    ['@a', '-o', 'other.ndjson', '--fields', 'title'],
    /^chanlist: --update needs videoId among the --fields; [^\n]*\n$/,
  );
  await refused(['@a', ...file, '-f', 'csv'], / a\.ndjson was exported as ndjson, not as csv; /);
  await refused(['@a'], /^chanlist: --update needs a file; name one with -o FILE or --output-dir DIR\n$/);
});

test('without FILE it is a full export, which is updated the night after', async (t) => {
  const nights = await nightlyRuns(t, { output: ['-o', 'a.csv'] });
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  assert.deepEqual((await nights.night()).credits, 2);
  a.list = videos(0, 151).map((entry, i) => (i === 0 ? { ...entry, members_only: true } : entry));
  const first = await nights.night();
  assert.deepEqual(outcome(first), updated(1, 1));
  assert.match(first.stderr, /members_only/);
  const lines = (await nights.read('a.csv')).split('\n');
  assert.equal(lines.length, 153);
  assert.equal(
    lines[0],
    'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index',
  );
  assert.ok(lines[1]?.startsWith(`${videoId(150)},`));
  // The key is reported when it first appears.
  a.list = [video('v_2', { members_only: true }), ...a.list];
  const second = await nights.night();
  assert.deepEqual(outcome(second), updated(1, 1));
  assert.equal(second.stderr, '');
});

test('@published: the date of the feed when an entry was first seen; old rows never change', async (t) => {
  const nights = await nightlyRuns(t, { output: ['-o', 'a.ndjson', '--fields', 'videoId,@published'] });
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  const dated = (from: number, to: number, published: string) =>
    videos(from, to).map(({ videoId: id }) => feedEntry(String(id), { published }));
  a.feed = dated(5, 20, '2026-02-01T00:00:00Z');
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits], [0, 1]);
  assert.ok(first.operations.indexOf('latest') < first.operations.indexOf('uploads'));
  const row = (n: number, published: string | null) =>
    `{"videoId":"${videoId(n)}","@published":${JSON.stringify(published)}}`;
  const baseline = Array.from({ length: 20 }, (_, i) => row(19 - i, i < 15 ? '2026-02-01T00:00:00Z' : null));
  assert.equal(await nights.read('a.ndjson'), `${baseline.join('\n')}\n`);
  a.list = [video('unknown'), ...videos(0, 21)];
  a.feed = dated(6, 21, '2026-02-27T00:00:00Z');
  assert.deepEqual(outcome(await nights.night()), updated(2, 1));
  assert.equal(
    await nights.read('a.ndjson'),
    `${['{"videoId":"unknown","@published":null}', row(20, '2026-02-27T00:00:00Z'), ...baseline].join('\n')}\n`,
  );
  assert.deepEqual(outcome(await nights.night()), unchanged);
});
