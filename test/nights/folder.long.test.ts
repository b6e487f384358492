/** What the memory of a folder makes possible, and what its loss costs (product.md, "The folder remembers"). */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { channelId, feedEntry, feedOf, video, videos } from '../support/simulated-service.ts';
import { idsIn, type Nights, nightlyRuns, outcome, unchanged, updated } from './fixture.ts';

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

/** The files of the memory, by path. */
async function memoryFiles(nights: Nights, folder = 'dir'): Promise<string[]> {
  const memory = join(nights.folder, folder, '.chanlist');
  const names = await readdir(memory, { recursive: true });
  const found: string[] = [];
  for (const name of names) if ((await stat(join(memory, name))).isFile()) found.push(join(memory, name));
  return found;
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

test('a handle that an export in another format has resolved is not resolved again', async (t) => {
  const nights = await nightlyRuns(t, { output: ['--output-dir', 'dir'] });
  nights.service.addChannel('a', { list: videos(0, 5) });
  await nights.night(['-f', 'csv']);
  assert.deepEqual((await nights.night()).operations, ['uploads']);
  assert.deepEqual((await nights.night()).operations, ['latest']);
  assert.deepEqual((await nights.night(['-f', 'csv'])).operations, ['latest']);
});

test('the memory is one small private JSON file per export, with a version', async (t) => {
  const { nights } = await twoChannels(t);
  const files = await memoryFiles(nights);
  assert.equal(files.length, 2);
  for (const file of files) {
    const remembered = JSON.parse(await readFile(file, 'utf8'));
    assert.equal(typeof remembered.version, 'number');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok((await stat(file)).size < 4096);
  }
  // People read it, too.
  const { stdout: help } = await nights.run(['help', 'formats'], { noReceipt: true });
  for (const name of Object.keys(JSON.parse(await readFile(files[0] ?? '', 'utf8'))))
    assert.match(help, new RegExp(`^  ${name} +\\S`, 'm'), name);
});

test('a renamed handle: the known channel is brought up to date, and one warning names the line to change', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.service.handles.delete('@a');
  nights.service.handles.set('@new-a', a.id);
  a.list = videos(0, 152);
  const soon = await nights.night();
  assert.deepEqual([soon.exit, soon.credits, soon.stderr], [0, 1, '']);
  nights.pass(31);
  a.list = videos(0, 155);
  const late = await nights.night();
  assert.deepEqual([late.exit, late.credits, late.mail.length], [0, 1, 1], late.stderr);
  assert.equal(
    late.stderr,
    `chanlist: refs.txt:1 @a: the reference no longer leads to a channel; ${a.id} is still kept up to date; change its line to ${a.id}\n`,
  );
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 155)));
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits, next.stderr], [0, 0, '']);
});

test('a handle that now leads to another channel: no request for that channel, nothing is bought', async (t) => {
  const { nights, a } = await twoChannels(t);
  const stranger = nights.service.addChannel('stranger', { handle: '@a', list: videos(0, 500, {}, 's_') });
  a.list = videos(0, 151);
  nights.pass(31);
  const late = await nights.night();
  assert.deepEqual([late.exit, late.credits, late.mail.length], [0, 1, 1], late.stderr);
  assert.equal(
    late.stderr,
    `chanlist: refs.txt:1 @a: the reference now leads to ${stranger.id}, for which nothing is bought; ${a.id} is still kept up to date; change its line to ${a.id}\n`,
  );
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

test('a channel that vanished: gone since its last successful look, reported once, requested every night', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.service.handles.delete('@a');
  a.gone = true;
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits, first.mail.length], [5, 0, 1], first.stderr);
  assert.match(first.stderr, /^chanlist: refs\.txt:1 @a \([^)]*\): gone: last seen on 2026-03-02; /);
  for (let n = 0; n < 4; n++) {
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits, night.stderr], [5, 0, '']);
    // Its known ID is tried, then its handle; @b comes after that.
    assert.deepEqual(night.operations, ['latest', 'resolve', 'latest']);
    const [first, second] = night.receipt?.references ?? [];
    assert.deepEqual([first?.status, first?.exit, second?.status], ['failed', 5, 'unchanged']);
  }
  // Its handle is resolved again after 30 days: a channel that does not answer is not kept up to date.
  nights.pass(31);
  const later = await nights.night();
  assert.deepEqual([later.exit, later.credits, later.stderr], [5, 0, '']);
  const ofA = later.requests.filter(({ parameters }) => parameters.input === '@a');
  assert.equal(ofA.length, 1);
  a.gone = false;
  a.list = videos(0, 151);
  const back = await nights.night();
  assert.deepEqual([back.exit, back.credits], [0, 1], back.stderr);
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('a reference that was never exported is not gone; gone yields to any other failure', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  await nights.write('refs.txt', '@a\n@b\n@typo\n');
  const typo = await nights.night();
  assert.deepEqual([typo.exit, typo.credits], [5, 0]);
  assert.equal(
    typo.stderr,
    'chanlist: refs.txt:3 @typo: not found (404: no such channel); check the spelling\n',
  );
  await nights.write('refs.txt', '@a\n@b\n');
  nights.service.handles.delete('@a');
  a.gone = true;
  await nights.night();
  await nights.night();
  // Now @a is gone; @b is refused, further down the list.
  b.list = videos(0, 151);
  nights.service.fault = ({ operation, list }) => (operation === 'uploads' && list === b.id ? 422 : null);
  const both = await nights.night();
  assert.equal(both.exit, 8, both.stderr);
});

test('an ID that was never found is not remembered: check has no problem with it', async (t) => {
  const nights = await nightlyRuns(t, { output: ['--output-dir', 'dir'] });
  nights.service.addChannel('a', { list: videos(0, 20) });
  const typo = await nights.run(['uploads', '@a', channelId('typo'), '--output-dir', 'dir']);
  assert.deepEqual([typo.exit, typo.credits], [5, 1], typo.stderr);
  const check = await nights.run(['check', 'dir'], { noReceipt: true });
  assert.deepEqual([check.exit, check.lines.length], [0, 1], check.stdout);
});

test('a remembered FILE that is gone: nothing is bought, the message asks whether the folder is mounted', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  await rm(join(nights.folder, 'a.ndjson'));
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [1, 0], night.stderr);
  assert.match(
    night.stderr,
    /^chanlist: @a: a\.ndjson is not there, but was exported on 2026-03-01 \(is its folder mounted\?\); nothing was bought; to export it again \(about 2 credits\): chanlist uploads @a [^\n]*--restart\n$/,
  );
  assert.equal((await nights.night()).credits, 0);
  const restart = await nights.run(['uploads', '@a', '-o', 'a.ndjson', '--restart']);
  assert.deepEqual([restart.exit, restart.credits], [0, 2]);
  assert.deepEqual(outcome(await nights.night()), unchanged);
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
      ['complete', 0],
    ],
  );
});

test('a memory whose ID was changed by hand: nothing of the other channel is bought', async (t) => {
  const { nights, a } = await twoChannels(t);
  const stranger = nights.service.addChannel('stranger', { list: videos(0, 500, {}, 's_') });
  const path = join(nights.folder, 'dir/.chanlist', `${a.id}.ndjson.json`);
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(`"${a.id}"`, `"${stranger.id}"`));
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [1, 0], night.stderr);
  assert.match(night.stderr, new RegExp(`holds another channel: ${stranger.id}, not ${a.id}`));
  assert.equal(
    night.requests.some(({ list }) => list === stranger.id),
    false,
  );
});

for (const [how, mail, harm] of [
  [
    'of another service',
    /^$/,
    async (nights: Nights) => {
      for (const file of await memoryFiles(nights)) {
        const text = JSON.stringify({
          ...JSON.parse(await readFile(file, 'utf8')),
          service: 'https://x media',
        });
        await writeFile(file, text);
      }
    },
  ],
  [
    'lost',
    /^chanlist: dir has 2 exports without a memory in dir\/\.chanlist: [^\n]*\n$/,
    (nights: Nights) => rm(join(nights.folder, 'dir/.chanlist'), { recursive: true }),
  ],
  [
    'damaged',
    /^chanlist: dir\/\.chanlist\/UCa-+\.ndjson\.json is damaged \(and 1 more\); [^\n]*\n$/,
    async (nights: Nights) => {
      for (const file of await memoryFiles(nights)) await writeFile(file, '{"version":1,"ref');
    },
  ],
  [
    'edited by hand',
    /^chanlist: dir\/\.chanlist\/UCa-+\.ndjson\.json is damaged \(and 1 more\); [^\n]*\n$/,
    async (nights: Nights) => {
      for (const file of await memoryFiles(nights))
        await writeFile(file, '{"version":1,"id":7,"file":"../x"}');
    },
  ],
  [
    'in the way',
    /^chanlist: dir\/\.chanlist is in the way: it is not a folder [^\n]*\n$/,
    async (nights: Nights) => {
      await rm(join(nights.folder, 'dir/.chanlist'), { recursive: true });
      await nights.write('dir/.chanlist', 'a file of somebody');
    },
  ],
] as const) {
  test(`the memory is ${how}: one warning, everything works, only new uploads are bought`, async (t) => {
    const { nights, a } = await twoChannels(t);
    await harm(nights);
    a.list = videos(0, 151);
    const night = await nights.night();
    assert.equal(night.exit, 0, night.stderr);
    assert.match(night.stderr, mail);
    assert.equal(night.credits, 1);
    assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
    assert.deepEqual(await nights.ids(fileOf('b')), idsIn(videos(0, 150)));
    const next = await nights.night();
    assert.deepEqual([next.exit, next.credits], [0, 0]);
    if (how !== 'in the way') assert.deepEqual(next.operations, ['latest', 'latest']);
    else assert.equal(await nights.read('dir/.chanlist'), 'a file of somebody');
  });
}

test('-o FILE --update: a memory that is damaged or in the way is one warning, and everything works', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.write('.chanlist', 'a file of somebody');
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits, first.mail.length], [0, 1, 1], first.stderr);
  assert.match(first.stderr, /\.chanlist is in the way/);
  assert.equal(await nights.read('.chanlist'), 'a file of somebody');
  await rm(join(nights.folder, '.chanlist'));
  assert.equal((await nights.night()).stderr, '');
  await nights.write('.chanlist/a.ndjson.json', '{"version":1,"ref');
  a.list = videos(0, 21);
  const damaged = await nights.night();
  assert.deepEqual([damaged.exit, damaged.credits, damaged.mail.length], [0, 1, 1], damaged.stderr);
  assert.match(damaged.stderr, /a\.ndjson\.json is damaged/);
  assert.deepEqual([(await nights.night()).stderr, await nights.ids()], ['', idsIn(videos(0, 21))]);
});

test('-o FILE --restart over a memory of a newer version: 2, nothing paid', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  await nights.write('.chanlist/a.ndjson.json', '{"version":1000}');
  const run = await nights.run(['uploads', '@a', '-o', 'a.ndjson', '--restart']);
  assert.deepEqual([run.exit, run.credits], [2, 0], run.stderr);
  assert.match(
    run.stderr,
    /: the memory in \.chanlist was written by a newer version of chanlist; [^\n]*\n$/,
  );
  assert.equal(await nights.read('.chanlist/a.ndjson.json'), '{"version":1000}');
});

test('a memory of a newer version is left alone: 2, nothing paid', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  const texts = new Map<string, string>();
  for (const file of await memoryFiles(nights)) {
    const text = JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version: 1000 });
    texts.set(file, text);
    await writeFile(file, text);
  }
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [2, 0], night.stderr);
  assert.deepEqual(night.mail, [
    'chanlist: 2 references: the memory in .chanlist was written by a newer version of chanlist; it is left as it is, and nothing was bought; update chanlist: refs.txt:1 @a, refs.txt:2 @b',
  ]);
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

test('IDs looked for in vain are remembered in a copy, too', async (t) => {
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
  b.list = videos(0, 151);
  const first = await nights.night(['--max-credits', '1']);
  assert.deepEqual([first.exit, first.credits], [9, 1]);
  a.list = videos(0, 152);
  const second = await nights.night(['--max-credits', '1']);
  assert.deepEqual([second.exit, second.credits], [9, 1]);
  const page = second.requests.find(({ operation }) => operation === 'uploads');
  assert.equal(page?.list, b.id);
  const third = await nights.night(['--max-credits', '1']);
  assert.deepEqual([third.exit, third.credits], [0, 1]);
});

test('a call that ends early leaves what another run has remembered meanwhile', async (t) => {
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
  assert.doesNotMatch(check.stdout, /"changed"/);
  const remembered = JSON.parse(await nights.read(`dir/.chanlist/${b.id}.ndjson.json`));
  assert.deepEqual([remembered.entries, remembered.interrupted], [151, true]);
  nights.service.fault = () => null;
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 1]);
});

test('two references to one channel are one, and stderr says so', async (t) => {
  const { nights, a } = await twoChannels(t);
  await nights.write('refs.txt', `@a\n@b\n${a.id}\n`);
  a.list = videos(0, 151);
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [0, 1], night.stderr);
  assert.equal(
    night.stderr,
    `chanlist: 1 reference resolves to the ID of another one and is exported once: refs.txt:3 ${a.id}\n`,
  );
  assert.deepEqual(await nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('with -o and --update the folder of FILE remembers, too', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  assert.equal((await memoryFiles(nights, '.')).length, 1);
  a.list.unshift(video('v_1'));
  const night = await nights.night();
  assert.deepEqual(night.operations, ['latest', 'uploads']);
  assert.deepEqual(outcome(night), updated(1, 1));
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
