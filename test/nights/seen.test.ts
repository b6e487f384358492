/** `latest --seen FILE`: a free feed of new uploads. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JsonText } from '../../src/json/json-text.ts';
import { newReference } from '../../src/run/read-references.ts';
import { SeenFile } from '../../src/run/seen.ts';
import { temporaryFolder } from '../support/program.ts';
import { feedEntry, videos } from '../support/simulated-service.ts';
import { onlyError, onlyWarning } from '../support/stderr.ts';
import { statuses } from '../support/summary.ts';
import { idsInText } from '../support/world.ts';
import { idsIn, nightlyRuns } from './fixture.ts';

const line = ['latest', '@a', '@b', '--seen', 'seen.txt'];

async function watched(t: Parameters<typeof nightlyRuns>[0]) {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  const b = nights.service.addChannel('b', { list: videos(0, 20, {}, 'b_') });
  const first = await nights.run(line);
  return { nights, a, b, first };
}

test('the first time is the baseline: nothing printed, one line counts the references', async (t) => {
  const { nights, first } = await watched(t);
  assert.deepEqual([first.exit, first.stdout, first.mail.length], [0, '', 1], first.stderr);
  assert.match(first.stderr, /2 .*seen\.txt/);
  const seen = nights.read('seen.txt').split('\n');
  assert.equal(seen.pop(), '');
  const ids = [...idsIn(videos(5, 20)), ...idsIn(videos(5, 20, {}, 'b_')), '@a', '@b'];
  assert.deepEqual(new Set(seen), new Set(ids));
  assert.equal(seen.length, 32);
  const before = fs.statSync(join(nights.folder, 'seen.txt')).ino;
  const quiet = await nights.run(line);
  assert.deepEqual([quiet.exit, quiet.stdout, quiet.stderr, quiet.credits], [0, '', '', 0]);
  // Nothing was added.
  assert.equal(fs.statSync(join(nights.folder, 'seen.txt')).ino, before);
  const twice = await nights.run(['latest', '@a', '@a', '--seen', 'other.txt']);
  assert.match(twice.stderr, /added 1 reference to/);
});

test('a new spelling of a known channel is no baseline: what is new is printed', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 22);
  const byId = await nights.run(['latest', a.id, '--seen', 'seen.txt']);
  assert.deepEqual([byId.stderr, idsInText(byId.stdout)], ['', idsIn(videos(20, 22))]);
  a.list = videos(20, 60);
  // One shared video does not make a channel known.
  nights.service.addChannel('d', { list: [...videos(21, 22), ...videos(0, 9, {}, 'd_')] });
  const shared = await nights.run('latest @d --seen seen.txt');
  assert.equal(shared.stdout, '');
  assert.equal(shared.stderr, 'chanlist: added 1 reference to seen.txt; later runs print what is new\n');
  // The ID is known from now on.
  onlyWarning(await nights.run(['latest', a.id, '--seen', 'seen.txt']), a.id, 'missed');
});

test('new entries are printed once; a channel that joins is a baseline of its own', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 23);
  nights.service.addChannel('c', { list: videos(0, 5, {}, 'c_') });
  const more = ['latest', '@a', '@b', '@c', '--seen', 'seen.txt'];
  const news = await nights.run(more);
  assert.deepEqual(idsInText(news.stdout), idsIn(videos(20, 23)));
  assert.deepEqual([news.exit, news.mail.length, news.credits], [0, 1, 0], news.stderr);
  assert.match(news.stderr, /1 .*seen\.txt/);
  const quiet = await nights.run(more);
  assert.deepEqual([quiet.stdout, quiet.stderr], ['', '']);
  // All entries of a known channel are new: older ones may have been missed.
  a.list = videos(20, 50);
  const many = await nights.run(more);
  assert.deepEqual([many.exit, idsInText(many.stdout)], [0, idsIn(videos(35, 50))]);
  onlyWarning(many, '@a', 'missed');
});

test('a channel without entries is checked, too: its first upload is printed', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { feed: 'empty' });
  for (const [feed, printed] of [
    [a.feed, []],
    [a.feed, []],
    [[feedEntry('v_1')], ['v_1']],
  ] as const) {
    a.feed = feed;
    const { stdout, stderr } = await nights.run('latest @a --seen seen.txt');
    assert.deepEqual(idsInText(stdout), printed);
    assert.doesNotMatch(stderr, printed.length === 0 ? /missed/ : /added/);
  }
});

test('IDs are added only after stdout has accepted the entries', async (t) => {
  if (!fs.existsSync('/dev/full')) return t.skip('no /dev/full');
  const { nights, a } = await watched(t);
  const before = nights.read('seen.txt');
  a.list = videos(0, 22);
  const stdout = fs.openSync('/dev/full', 'w');
  assert.equal((await nights.run(line, { stdout })).exit, 1);
  fs.closeSync(stdout);
  assert.equal(nights.read('seen.txt'), before);
  assert.deepEqual(idsInText((await nights.run(line)).stdout), idsIn(videos(20, 22)));
});

test('-o would replace what is printed once: 2', async (t) => {
  const { nights } = await watched(t);
  const refused = await nights.run([...line, '-o', 'new.ndjson'], { noSummary: true });
  assert.deepEqual([refused.exit, refused.requests], [2, []]);
  onlyError(refused, '--seen', '--output', '>>');
});

test('a FILE with a line that is neither an ID nor a reference: 2, and left alone', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a');
  const long = `${'x'.repeat(1001)}\n`;
  for (const text of ['# Notes\n', 'videoId,title\n', 'v_1\ntwo words\n', 'v_1\u0085\n', long]) {
    nights.write('notes', text);
    const refused = await nights.run('latest @a --seen notes', { noSummary: true });
    assert.deepEqual([refused.exit, refused.requests], [2, []], text);
    onlyError(refused, `notes: line ${text.startsWith('v_1\n') ? 2 : 1}: `, 'neither');
    assert.equal(nights.read('notes'), text);
    assert.equal(fs.existsSync(join(nights.folder, '.chanlist')), false);
  }
  for (const [text, problem] of [
    [Buffer.from('v_1\n\xff\n', 'latin1'), 'line 2: the line is not UTF-8'],
    [`v_1\n${'x'.repeat(9000)}\n`, 'line 2: the line is longer than 8 KiB'],
  ] as const) {
    fs.writeFileSync(join(nights.folder, 'notes'), text);
    onlyError(await nights.run('latest @a --seen notes', { noSummary: true }), problem);
  }
  const json = await nights.run('latest @a --seen notes --json', { noSummary: true });
  assert.deepEqual([json.exit, JSON.parse(json.stdout).error.code], [2, 'usage']);
  // White space around a line, line ends of other systems and a byte order mark are not part of it.
  nights.write('notes', '\ufeffhttps://example.com/channel/x\r\n\r\n @日本 \n');
  assert.equal((await nights.run('latest @a --seen notes', { noSummary: true })).exit, 0);
});

test('FILE that cannot be saved is 1; what was printed is reported as printed', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 22);
  const file = join(nights.folder, 'seen.txt');
  const unhook = nights.service.on(() => {
    fs.rmSync(file, { recursive: true });
    fs.mkdirSync(join(file, 'full'), { recursive: true });
    unhook();
  });
  const run = await nights.run(line);
  assert.deepEqual(idsInText(run.stdout), idsIn(videos(20, 22)));
  assert.equal(run.exit, 1);
  onlyError(run, 'seen.txt');
  assert.deepEqual(statuses(run.summary), ['complete', 'complete']);
});

test('FILE that cannot be saved is said and counts, also if something else has ended the run before', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 22);
  let requests = 0;
  nights.service.on(() => {
    if (++requests === 2) nights.service.key = 'revoked';
    else fs.rmSync(join(nights.folder, 'seen.txt'));
    fs.mkdirSync(join(nights.folder, 'seen.txt/full'), { recursive: true });
  });
  const run = await nights.run([...line, '--concurrency', '1']);
  assert.equal(run.exit, 1, run.stderr);
  assert.match(run.errors.join('\n'), /seen\.txt/);
});

test('--seen leaves no .chanlist, which a first update would take for a mounted folder', async (t) => {
  const { nights } = await watched(t);
  assert.equal(nights.has('.chanlist'), false);
});

for (const [shape, feed] of [
  ['{"id":{"videoId"}}', [{ id: { videoId: 'q1' } }, { id: { videoId: 'q2' } }]],
  ['{"id"}', [{ id: 'q1' }, { id: 'q2' }]],
  ['texts', ['q1', 'q2']],
] as const)
  test(`entries of a feed of another shape, ${shape}, are printed once`, async (t) => {
    const { nights, a } = await watched(t);
    const other = 'latest @a --seen other.txt';
    a.feed = { body: { results: [] } };
    await nights.run(other);
    a.feed = { body: { results: feed } };
    assert.equal((await nights.run(other)).lines.length, 2);
    assert.equal((await nights.run(other)).stdout, '');
  });

test('--limit: entries beyond it stay unseen, and the next run prints them', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 23);
  const two = [...line, '--limit', '2'];
  const printed = [];
  for (const _ of [1, 2, 3]) printed.push(idsInText((await nights.run(two)).stdout).length);
  assert.deepEqual(printed, [2, 1, 0]);
  a.list = videos(40, 60);
  onlyWarning(await nights.run(two), '@a', 'missed');
});

test('a channel that fails: the others are printed, its own entries in the next run that succeeds', async (t) => {
  const { nights, a, b } = await watched(t);
  a.list = videos(0, 21);
  b.feed = 500;
  const night = await nights.run([...line, '--retries', '0']);
  assert.equal(night.exit, 7);
  assert.deepEqual(idsInText(night.stdout), ['a_000000020']);
  b.feed = 'list';
  b.list = videos(0, 21, {}, 'b_');
  assert.deepEqual(idsInText((await nights.run(line)).stdout), ['b_000000020']);
});

test('two runs on one FILE: the second ends at once with 10', async (t) => {
  const { nights } = await watched(t);
  let second: Promise<{ exit: number | null; requests: readonly unknown[] }> | undefined;
  const remove = nights.service.on(async () => {
    remove();
    second = nights.run(line, { noSummary: true });
    await second;
  });
  const first = await nights.run(line);
  assert.deepEqual([first.exit, (await second)?.exit], [0, 10]);
});

/** Opens a FILE again and again, and returns what it prints of these IDs of a known channel each time. */
async function printed(path: string, ids: readonly string[], value = '@a'): Promise<readonly string[]> {
  using seen = await SeenFile.open(path, new AbortController().signal);
  const input = newReference({ given: value, value, id: null });
  const entries = ids.map((id) => JsonText.of(`{"videoId":${JSON.stringify(id)}}`));
  const { entries: news, accept } = seen.takeNewEntries(entries, input, null);
  accept();
  seen.save({ warn: () => {} });
  return news.map((entry) => entry.get('videoId')?.string() ?? assert.fail());
}

test('FILE is read under its lock; an entry without an ID is new each time', async (t) => {
  const path = join(await temporaryFolder(t), 'seen.txt');
  const opening = printed(path, ['v_1', '', 'v_2']);
  // A run that has just ended.
  fs.writeFileSync(path, '@a\nv_1\n');
  assert.deepEqual(await opening, ['', 'v_2']);
  assert.deepEqual(await printed(path, ['v_1', '', 'v_2']), ['']);
});

test('a reference in FILE may be written as people write it', async (t) => {
  const path = join(await temporaryFolder(t), 'seen.txt');
  fs.writeFileSync(path, 'https://www.example.com/@a/videos\n');
  assert.deepEqual(await printed(path, ['v_1']), ['v_1']);
});

test('what stdout has not accepted is not said to be added', async (t) => {
  const path = join(await temporaryFolder(t), 'seen.txt');
  using seen = await SeenFile.open(path, new AbortController().signal);
  seen.takeNewEntries([], newReference({ given: '@a', value: '@a', id: null }), null);
  assert.equal(seen.save({ warn: (...warning) => assert.fail(warning.join()) }), null);
  assert.equal(fs.existsSync(path), false);
});

test('an ID that cannot be a line of its own is printed once, and FILE stays readable', async (t) => {
  const path = join(await temporaryFolder(t), 'seen.txt');
  fs.writeFileSync(path, '@a\n');
  const characters = [...'\0\n\t ,\u0085\u2028\u200b\ufeff', '\ud800', '\ud801', '\udc00'];
  const long = ['x'.repeat(9000), 'x'.repeat(9001)];
  const ids = [...characters.flatMap((each) => [each, `a${each}`, `${each}b`]), ...long];
  const others = ['a'.repeat(1000), '日本', 'a😀', '#1', '-x'];
  assert.deepEqual(await printed(path, [...ids, ...others]), [...ids, ...others]);
  const text = fs.readFileSync(path, 'utf8');
  assert.ok(others.every((id) => text.split('\n').includes(id)));
  assert.equal(text.match(/^sha256:[0-9a-f]{64}$/gm)?.length, ids.length);
  for (const id of [...ids, ...others]) assert.deepEqual(await printed(path, [id]), [], JSON.stringify(id));
  // Such a reference is a baseline once.
  const url = 'https://example.com/c/a,b';
  assert.deepEqual(await printed(path, ['v_1'], url), []);
  assert.deepEqual(await printed(path, ['v_2', 'v_1'], url), ['v_2']);
});

test('a new spelling of a channel hides nothing of the old one; an ID twice in a feed is printed once', async (t) => {
  const { nights, a } = await watched(t);
  a.list = [...videos(20, 21), ...videos(0, 20)];
  a.feed = { body: [feedEntry('v20'), feedEntry('v20')] };
  const run = await nights.run(['latest', a.id, '@a', '--seen', 'seen.txt', '--format', 'id']);
  assert.deepEqual([run.exit, run.stdout], [0, 'v20\n'], run.stderr);
  assert.equal((await nights.run(['latest', a.id, '@a', '--seen', 'seen.txt'])).stdout, '');
});
