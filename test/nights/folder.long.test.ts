/** What the records of a folder make possible, and what their loss costs (product.md, Exports). */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { channelId, feedEntry, feedOf, videos } from '../support/simulated-service.ts';
import { onlyError, onlyWarning, said } from '../support/stderr.ts';
import { idsIn, type Night, type Nights, nightlyRuns } from './fixture.ts';

const fileOf = (name: string) => `dir/${channelId(name)}.ndjson`;

/** A folder with exports of @a and @b (150 entries each), and the night after. */
async function twoChannels(t: TestContext) {
  const nights = await nightlyRuns(t, {
    references: ['--from', 'refs.txt'],
    output: ['--output-dir', 'dir', '--concurrency', '1'],
  });
  await nights.write('refs.txt', '@a\n@b\n');
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  const b = nights.service.addChannel('b', { list: videos(0, 150) });
  assert.equal((await nights.night()).credits, 4);
  const second = await nights.night();
  assert.deepEqual([second.exit, second.credits, second.stderr], [0, 0, '']);
  return { nights, a, b };
}

/** The records of a folder, by path. */
async function records(nights: Nights, folder = 'dir'): Promise<string[]> {
  const own = join(nights.folder, folder, '.chanlist');
  const names = (await readdir(own)).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(own, name));
}

test('a handle is resolved again only after 30 days; a night without news is one request per channel', async (t) => {
  const { nights } = await twoChannels(t);
  assert.deepEqual((await nights.night()).operations, ['latest', 'latest']);
  nights.pass(26);
  assert.deepEqual((await nights.night()).operations, ['latest', 'latest']);
  nights.pass(3);
  const after = await nights.night();
  assert.equal(after.operations.filter((operation) => operation === 'resolve').length, 2);
  assert.deepEqual([after.exit, after.credits], [0, 0]);
  assert.deepEqual((await nights.night()).operations, ['latest', 'latest']);
});

test('the reference of a FILE whose name begins like an ID is not resolved again, either', async (t) => {
  const nights = await nightlyRuns(t, { output: ['-o', 'UCLA.ndjson'] });
  nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  assert.deepEqual((await nights.night()).operations, ['latest']);
  assert.deepEqual((await nights.night()).operations, ['latest']);
});

test('a record is one small private JSON file per export, with a version; git ignores the folder', async (t) => {
  const { nights } = await twoChannels(t);
  const files = await records(nights);
  assert.equal(files.length, 2);
  for (const file of files) {
    assert.equal(typeof JSON.parse(await readFile(file, 'utf8')).version, 'number');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok((await stat(file)).size < 4096);
  }
  assert.equal((await stat(join(nights.folder, 'dir/.chanlist'))).mode & 0o777, 0o700);
  assert.equal(await nights.read('dir/.chanlist/.gitignore'), '*\n');
});

test('a renamed handle: the known channel is brought up to date, and a warning names the line to change, in every run', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.service.handles.delete('@a');
  nights.service.handles.set('@new-a', a.id);
  a.list = videos(0, 152);
  const soon = await nights.night();
  assert.deepEqual([soon.exit, soon.credits, soon.stderr], [0, 1, '']);
  nights.pass(31);
  a.list = videos(0, 155);
  const late = await nights.night();
  assert.deepEqual([late.exit, late.credits], [0, 1], late.stderr);
  onlyWarning(late, 'refs.txt:1', '@a', a.id);
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 155)));
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 0]);
  onlyWarning(next, 'refs.txt:1', '@a', a.id);
});

test('a handle that now resolves to another channel: no request for that channel, nothing is bought', async (t) => {
  const { nights, a } = await twoChannels(t);
  const stranger = nights.service.addChannel('stranger', { handle: '@a', list: videos(0, 500, {}, 's_') });
  a.list = videos(0, 151);
  nights.pass(31);
  const late = await nights.night();
  assert.deepEqual([late.exit, late.credits], [0, 1], late.stderr);
  onlyWarning(late, 'refs.txt:1', '@a', a.id, stranger.id);
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
  // The known one vanishes as well: the stranger is bought neither then nor later.
  a.gone = true;
  for (let n = 0; n < 3; n++) assert.equal((await nights.night()).credits, 0);
  nights.pass(31);
  for (let n = 0; n < 3; n++) assert.equal((await nights.night()).credits, 0);
  assert.deepEqual(
    nights.service.log.filter(({ list, operation }) => list === stranger.id && operation === 'uploads'),
    [],
  );
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('a resolution that fails is no move: the known channel is brought up to date', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.pass(31);
  a.list = videos(0, 151);
  nights.service.fault = ({ operation }) => (operation === 'resolve' ? 500 : null);
  const night = await nights.night(['--retries', '0']);
  assert.deepEqual([night.exit, night.credits, night.stderr], [0, 1, '']);
});

test('a channel that vanished: gone since its last successful check, in every run; the others go on', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.service.handles.delete('@a');
  a.gone = true;
  // Its feed is 404: no news for a week, then its page is asked for, and is 404, too.
  for (let n = 0; n < 5; n++) {
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits, night.counts], [7, 0, { failed: 1, unchanged: 1 }]);
  }
  nights.pass(2);
  for (let n = 0; n < 3; n++) {
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits], [5, 0], night.stderr);
    onlyError(night, 'refs.txt:1', 'gone: last seen on 2026-03-02');
    const [first, second] = night.receipt?.references ?? [];
    assert.deepEqual([first?.status, first?.exit, second?.status], ['failed', 5, 'unchanged']);
  }
  a.gone = false;
  a.list = videos(0, 151);
  const back = await nights.night();
  assert.deepEqual([back.exit, back.credits], [0, 1], back.stderr);
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('a reference that was never exported is not gone', async (t) => {
  const { nights } = await twoChannels(t);
  await nights.write('refs.txt', '@a\n@b\n@typo\n');
  const typo = await nights.night();
  assert.deepEqual([typo.exit, typo.credits], [5, 0]);
  const line = onlyError(typo, 'refs.txt:3', '@typo', '404');
  assert.doesNotMatch(line, /gone/);
});

test('an ID that was never found has no record: check has no problem with it', async (t) => {
  const nights = await nightlyRuns(t, { output: ['--output-dir', 'dir'] });
  nights.service.addChannel('a', { list: videos(0, 20) });
  const typo = await nights.run(['uploads', '@a', channelId('typo'), '--output-dir', 'dir']);
  assert.deepEqual([typo.exit, typo.credits], [5, 1], typo.stderr);
  const check = await nights.run(['check', 'dir'], { noReceipt: true });
  assert.deepEqual([check.exit, check.lines.length], [0, 1], check.stdout);
});

test('a folder run stops only the reference whose file is gone', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  await rm(join(nights.folder, fileOf('a')));
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [1, 1], night.stderr);
  assert.deepEqual(
    night.receipt?.references.map(({ status, exit }) => [status, exit]),
    [
      ['failed', 1],
      ['complete', null],
    ],
  );
});

for (const [how, harm] of [
  ['lost', (nights: Nights) => rm(join(nights.folder, 'dir/.chanlist'), { recursive: true })],
  [
    'damaged',
    async (nights: Nights) => {
      for (const file of await records(nights)) await writeFile(file, '{"version":1,"ref');
    },
  ],
  [
    'edited by hand',
    async (nights: Nights) => {
      for (const file of await records(nights)) await writeFile(file, '{"version":1,"id":7,"file":"../x"}');
    },
  ],
] as const) {
  test(`the records are ${how}: at most one warning, everything works, only new uploads are bought`, async (t) => {
    const { nights, a } = await twoChannels(t);
    await harm(nights);
    a.list = videos(0, 151);
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits, night.errors], [0, 1, []], night.stderr);
    assert.ok(night.warnings.length <= 1, night.stderr);
    if (how !== 'lost') onlyWarning(night, '.chanlist');
    assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
    assert.deepEqual(await nights.ids(fileOf('b')), idsIn(videos(0, 150)));
    const next = await nights.night();
    assert.deepEqual([next.exit, next.credits, next.stderr], [0, 0, '']);
    assert.deepEqual(next.operations, ['latest', 'latest']);
  });
}

test('records of a newer version are left alone: 2, nothing paid', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  const texts = new Map<string, string>();
  for (const file of await records(nights)) {
    const text = JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version: 1000 });
    texts.set(file, text);
    await writeFile(file, text);
  }
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [2, 0], night.stderr);
  assert.equal(said(night.stderr).errors.length, 1, night.stderr);
  for (const [file, text] of texts) assert.equal(await readFile(file, 'utf8'), text);
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 150)));
});

test('a folder is copied and moved whole', async (t) => {
  const { nights, a } = await twoChannels(t);
  await cp(join(nights.folder, 'dir'), join(nights.folder, 'copy'), { recursive: true });
  await rename(join(nights.folder, 'dir'), join(nights.folder, 'moved'));
  for (const folder of ['copy', 'moved']) {
    const again = ['uploads', '--from', 'refs.txt', '--output-dir', folder, '--update'];
    const quiet = await nights.run(again);
    assert.deepEqual([quiet.exit, quiet.credits, quiet.stderr], [0, 0, '']);
    assert.deepEqual(quiet.operations, ['latest', 'latest']);
  }
  a.list = videos(0, 151);
  const night = await nights.run(['uploads', '--from', 'refs.txt', '--output-dir', 'copy', '--update']);
  assert.deepEqual([night.exit, night.credits], [0, 1]);
});

test('IDs that pages did not contain are known in a copy, too', async (t) => {
  const { nights, a } = await twoChannels(t);
  a.feed = [feedEntry('dead'), ...feedOf(a.list)];
  assert.equal((await nights.night()).credits, 1);
  await cp(join(nights.folder, 'dir'), join(nights.folder, 'copy'), { recursive: true });
  nights.now = new Date(nights.now.getTime() - 20 * 3_600_000);
  const copy = await nights.run(['uploads', '--from', 'refs.txt', '--output-dir', 'copy', '--update']);
  assert.deepEqual([copy.exit, copy.credits], [0, 0]);
});

test('references that were interrupted last time come first', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.list = videos(0, 151);
  b.list = videos(0, 290);
  const first = await nights.night(['--max-credits', '2']);
  assert.deepEqual([first.exit, first.credits], [9, 2]);
  a.list = videos(0, 152);
  // One that was never checked comes after it.
  nights.service.addChannel('c', { list: videos(0, 5) });
  await nights.write('refs.txt', '@c\n@a\n@b\n');
  const second = await nights.night(['--max-credits', '1']);
  assert.deepEqual([second.exit, second.credits], [9, 1]);
  assert.equal(pageOf(second), b.id);
  const third = await nights.night(['--max-credits', '2']);
  assert.deepEqual([third.exit, third.credits], [0, 2]);
});

test('references that failed last time come last', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.feed = 500;
  assert.equal((await nights.night()).exit, 7);
  a.feed = 'list';
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  assert.equal(pageOf(await nights.night(['--max-credits', '1'])), b.id);
});

/** The channel of the first page of a run. */
const pageOf = ({ requests }: Night): string | null | undefined =>
  requests.find(({ operation }) => operation === 'uploads')?.list;

test('a run that ends early leaves what another run has recorded meanwhile', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  const remove = nights.service.on(async ({ operation, list }) => {
    if (operation !== 'uploads' || list !== a.id) return;
    remove();
    const other = await nights.run(['uploads', '@b', '--output-dir', 'dir', '--update'], { noReceipt: true });
    assert.deepEqual([other.exit, other.stderr], [0, '']);
    nights.service.fault = ({ operation }) => (operation === 'uploads' ? 402 : null);
  });
  const night = await nights.night([], { noReceipt: true });
  assert.deepEqual([night.exit, night.credits], [4, 1], night.stderr);
  const check = await nights.run(['check', 'dir', '-q'], { noReceipt: true });
  assert.doesNotMatch(check.stdout, /"(?:lost|damaged)"/);
  assert.deepEqual(await nights.ids(fileOf('b')), idsIn(videos(0, 151)));
  nights.service.fault = () => null;
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 1]);
});

test('two references to one channel are one', async (t) => {
  const { nights, a } = await twoChannels(t);
  await nights.write('refs.txt', `@a\n@b\n${a.id}\n`);
  a.list = videos(0, 151);
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [0, 1], night.stderr);
  onlyWarning(night, 'refs.txt:3', 'refs.txt:1 @a');
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('a reference that moves, comes back and moves again is reported each time', async (t) => {
  const { nights, a } = await twoChannels(t);
  const stranger = nights.service.addChannel('stranger', { handle: null, list: [] });
  for (const [id, lines] of [
    [stranger.id, 1],
    [a.id, 0],
    [stranger.id, 1],
  ] as const) {
    nights.service.handles.set('@a', id);
    nights.pass(31);
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits, night.mail.length], [0, 0, lines], night.stderr);
  }
});

test('a FILE name that is too long for its record is 2, nothing is sent', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 5) });
  const long = await nights.run(['uploads', channelId('a'), '-o', `${'x'.repeat(250)}.ndjson`]);
  assert.deepEqual([long.exit, long.requests], [2, []], long.stderr);
  const fits = await nights.run(['uploads', channelId('a'), '-o', `${'x'.repeat(240)}.ndjson`]);
  assert.equal(fits.exit, 0, fits.stderr);
});
