import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportFixture, uninterrupted } from '../support/exports.ts';
import { fileFormats } from '../support/file-formats.ts';

const list = '@size-35'; // 4 pages of 10

for (const format of fileFormats) {
  test(`a complete export as ${format}: the bytes of stdout, one credit per page, nothing but FILE`, async (t) => {
    const fixture = await exportFixture(t);
    const expected = await uninterrupted(fixture, ['uploads', list, '-f', format]);
    const result = await fixture.run(['uploads', list, '-f', format, '-o', 'out']);
    assert.equal(result.exit, 0);
    assert.equal(result.stdout + result.stderr, '');
    assert.equal(result.charged, 4);
    assert.equal(await fixture.read('out'), expected);
    assert.deepEqual(await fixture.files(), ['out']);
    const { status, entries, pages, file, credits, exit, continuation_token: token } = result.only;
    assert.deepEqual(
      { status, entries, pages, file, credits, exit, token },
      {
        status: 'complete',
        entries: 35,
        pages: 4,
        file: 'out',
        credits: { confirmed: 4, possibly_charged: 0 },
        exit: 0,
        token: null,
      },
    );
  });
}

test('the credits of a first export are ceil(N / page size)', async (t) => {
  const fixture = await exportFixture(t);
  for (const [count, credits] of [
    [0, 1],
    [1, 1],
    [9, 1],
    [10, 1],
    [11, 2],
    [20, 2],
    [101, 11],
  ] as const) {
    const { exit, charged, only } = await fixture.run([
      'uploads',
      `@size-${count}`,
      '-o',
      `${count}.id`,
      '-f',
      'id',
    ]);
    assert.equal(exit, 0);
    assert.equal(charged, credits, `${count} entries`);
    assert.equal(only.entries, count);
    assert.equal((await fixture.read(`${count}.id`)).split('\n').length - 1, count);
  }
});

test('the format follows the extension, else it is ndjson', async (t) => {
  const fixture = await exportFixture(t);
  for (const [name, first] of [
    ['a.ndjson', '{"videoId":'],
    ['a.jsonl', '{"videoId":'],
    ['a.json', '{"playlist_info":'],
    ['a.JSON', '{"playlist_info":'],
    ['a.csv', 'videoId,title,'],
    ['a', '{"videoId":'],
  ] as const) {
    assert.equal((await fixture.run(['uploads', '@size-3', '-o', name])).exit, 0);
    const text = await fixture.read(name);
    assert.ok(text.startsWith(first), `${name}: ${text.slice(0, 30)}`);
  }
});

test('flags that exclude each other, and a table in a file: usage errors before any request', async (t) => {
  const fixture = await exportFixture(t);
  for (const [args, says] of [
    [['uploads', list, '-o', 'x', '-f', 'table'], 'a table is for people, not for a file'],
    [['uploads', list, '--output-dir', 'x', '-f', 'table'], 'a table is for people, not for a file'],
    [['latest', list, '-o', 'x', '-f', 'table'], 'a table is for people, not for a file'],
    [['uploads', list, '@empty', '-o', 'x'], '-o takes one reference'],
    [['playlist', 'PLdemo', 'PLother', '-o', 'x'], '-o takes one reference'],
    [['uploads', list, '-o', 'x', '--output-dir', 'y'], '--output and --output-dir exclude each other'],
    [['uploads', list, '--restart'], '--restart needs a file'],
    [['uploads', list, '--update'], '--update needs a file'],
    [['uploads', list, '-o', 'x', '--update', '-n', '3'], '--update and --limit exclude each other'],
    [
      ['uploads', '--continuation', 'abc', '-o', 'x', '--update'],
      '--update and --continuation exclude each other',
    ],
    [['playlist', 'PLdemo', '-o', 'x', '--update'], '--update is only for uploads'],
    [
      ['uploads', list, '-o', 'x', '--update', '--fields', 'title,index'],
      '--update needs videoId among the --fields',
    ],
    [
      ['uploads', '--continuation', 'abc', '--output-dir', 'x'],
      '--output-dir and --continuation exclude each other',
    ],
  ] as const) {
    const result = await fixture.run(args);
    assert.equal(result.exit, 2, args.join(' '));
    assert.match(result.stderr, new RegExp(`^chanlist: ${says}; [^\\n]+\\n$`));
  }
  assert.deepEqual(fixture.requests, []);
  assert.deepEqual(await fixture.files(), []);
});

test('-o - is stdout', async (t) => {
  const fixture = await exportFixture(t);
  const result = await fixture.run(['uploads', '@size-3', '-o', '-']);
  assert.equal(result.lines.length, 3);
  assert.deepEqual(await fixture.files(), []);
});

test('-n into a file: exactly that many entries, no page more than needed, status limited', async (t) => {
  const fixture = await exportFixture(t);
  for (const [limit, credits] of [
    [1, 1],
    [10, 1],
    [11, 2],
    [25, 3],
    [40, 4],
  ] as const) {
    const name = `${limit}.json`;
    const result = await fixture.run(['uploads', list, '-n', String(limit), '-o', name]);
    assert.equal(result.exit, 0);
    assert.equal(result.charged, credits);
    const text = await fixture.read(name);
    const document = JSON.parse(text);
    assert.equal(document.results.length, Math.min(limit, 35));
    assert.equal(document.has_more, limit < 35);
    assert.equal(result.only.status, limit < 35 ? 'limited' : 'complete');
    assert.equal(text, (await fixture.run(['uploads', list, '-n', String(limit), '--json'])).stdout);
  }
});

test('--continuation into a file starts at that page; interrupted, the same command resumes, another start is 2', async (t) => {
  const fixture = await exportFixture(t);
  const first = await fixture.run(['uploads', list, '--json', '-n', '10']);
  const token: string = JSON.parse(first.stdout).continuation_token;
  const rest = await uninterrupted(fixture, ['uploads', '--continuation', token, '-f', 'id']);
  const args = ['uploads', `--continuation=${token}`, '-f', 'id', '-o', 'out'];
  assert.equal((await fixture.run([...args, '--max-credits', '1'])).exit, 9);
  const other: string = JSON.parse(
    (await fixture.run(['uploads', list, '--json', '-n', '20'])).stdout,
  ).continuation_token;
  const misfit = await fixture.run(['uploads', `--continuation=${other}`, '-f', 'id', '-o', 'out']);
  assert.equal(misfit.exit, 2);
  assert.match(misfit.stderr, /^chanlist: out: the interrupted export differs: of --continuation /);
  assert.equal(misfit.charged, 0);
  const requests = fixture.requests.length;
  const whole = await fixture.run(['uploads', list, '-f', 'id', '-o', 'out']);
  assert.equal(whole.exit, 2, 'the pages before the token would be missing');
  assert.match(
    whole.stderr,
    /^chanlist: [^\n]*out: the interrupted export differs: of --continuation [^\n]*, not @[^\n]*\n$/,
  );
  assert.equal(fixture.requests.length, requests);
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 2);
  assert.equal(await fixture.read('out'), rest);
  assert.deepEqual(await fixture.files(), ['out']);
});

test('a playlist, its fields and its reference', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const args = [
    'playlist',
    'https://www.example.com/playlist?list=PLdemo',
    '--fields',
    '@reference,videoId,thumbnails.0.url',
  ];
  const expected = await uninterrupted(fixture, [...args, '-f', 'csv']);
  assert.equal((await fixture.run([...args, '-o', 'out.csv', '--max-credits', '2'])).exit, 9);
  const result = await fixture.run([...args, '-o', 'out.csv']);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 2);
  assert.equal(await fixture.read('out.csv'), expected);
});

test('uploads onto an existing FILE needs --update or --restart: 2 names both and their cost, nothing is sent', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(['uploads', list, '-o', 'out.ndjson', '--update'])).charged, 4);
  await writeFile(join(fixture.folder, 'mine.ndjson'), 'mine\n');
  const sent = fixture.requests.length;
  for (const [name, cost] of [
    ['out.ndjson', 'about 1 credit'],
    ['mine.ndjson', '1 credit per page'],
  ] as const) {
    const before = await fixture.read(name);
    const result = await fixture.run(['uploads', list, '-o', name]);
    assert.equal(result.exit, 2);
    assert.match(result.stderr, new RegExp(`^chanlist: [^\\n]*${name}[^\\n]*\\n$`));
    for (const says of [
      '--update brings it up to date (free if there is nothing new, else 1 credit per page)',
      cost,
      '--restart',
    ])
      assert.ok(result.stderr.includes(says), result.stderr);
    assert.equal(await fixture.read(name), before);
  }
  assert.equal(fixture.requests.length, sent);

  const restarted = await fixture.run(['uploads', list, '-o', 'mine.ndjson', '--restart']);
  assert.deepEqual([restarted.exit, restarted.charged], [0, 4]);
  await writeFile(join(fixture.folder, 'empty.ndjson'), '');
  assert.equal((await fixture.run(['uploads', list, '-o', 'empty.ndjson'])).charged, 4);
});

test('playlist -o FILE replaces FILE', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  await writeFile(join(fixture.folder, 'out.ndjson'), 'old\n');
  for (let time = 0; time < 2; time++) {
    const result = await fixture.run(['playlist', 'PLdemo', '-o', 'out.ndjson']);
    assert.deepEqual([result.exit, result.charged], [0, 4]);
  }
  assert.equal((await fixture.read('out.ndjson')).split('\n').length - 1, 321);
});

test('a listing without entries never replaces a FILE that has some: 8', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(['uploads', '@size-5', '-o', 'out.csv'])).exit, 0);
  const before = await fixture.read('out.csv');
  fixture.sandbox.setUploads('@size-5', 0);
  const result = await fixture.run(['uploads', '@size-5', '-o', 'out.csv', '--restart']);
  assert.equal(result.exit, 8);
  assert.match(
    result.stderr,
    /^chanlist: @size-5: the service lists no entries, but out\.csv has some; [^\n]*1 credit spent[^\n]*\n$/,
  );
  assert.equal(await fixture.read('out.csv'), before);
  assert.deepEqual(await fixture.files(), ['out.csv']);
  // A file that is no listing of this format has some, too.
  for (const format of ['json', 'ndjson']) {
    const other = ['uploads', '@size-5', '-o', 'out.csv', '-f', format, '--restart'];
    assert.equal((await fixture.run(other)).exit, 8);
    assert.equal(await fixture.read('out.csv'), before);
    assert.deepEqual(await fixture.files(), ['out.csv']);
  }
});

test('no output destroys an input: 2 names both flags, nothing is sent, all files are as they were', async (t) => {
  const fixture = await exportFixture(t);
  const at = (name: string): string => join(fixture.folder, name);
  await writeFile(at('refs.txt'), '@size-5\n');
  await writeFile(at('refs.txt.part'), '@size-5\n');
  await writeFile(at('key'), `${'k'.repeat(20)}\n`, { mode: 0o600 });
  await symlink('refs.txt', at('soft'));
  await link(at('refs.txt'), at('hard'));
  for (const [args, flags] of [
    [
      ['uploads', '--from', 'refs.txt', '-o', 'refs.txt', '--restart'],
      ['--from', '--output'],
    ],
    [
      ['uploads', '--from', 'soft', '-o', 'refs.txt', '--restart'],
      ['--from', '--output'],
    ],
    [
      ['uploads', '--from', 'refs.txt', '-o', 'hard', '--restart'],
      ['--from', '--output'],
    ],
    [
      ['uploads', '--from', 'refs.txt.part', '-o', 'refs.txt', '--restart'],
      ['--from', '--output'],
    ],
    [
      ['latest', '--from', 'refs.txt', '--summary', 'soft'],
      ['--from', '--summary'],
    ],
    [
      ['latest', '@size-5', '--seen', 'refs.txt', '-o', 'hard'],
      ['--seen', '--output'],
    ],
    [
      ['latest', '--from', 'refs.txt', '--seen', 'refs.txt'],
      ['--seen', '--from'],
    ],
    [
      ['resolve', '@size-5', '--key-file', 'key', '-o', 'key'],
      ['--key-file', '--output'],
    ],
    [
      ['search', '@size-5', 'x', '-o', 'new', '--summary', 'new'],
      ['--summary', '--output'],
    ],
    [
      ['uploads', '@size-5', '-o', 'new', '--summary', 'new.part.json'],
      ['--summary', '--output'],
    ],
  ] as const) {
    const result = await fixture.run([...args, '-f', 'id'], { noSummary: true });
    assert.equal(result.exit, 2, `${args.join(' ')}: ${result.stderr}`);
    assert.match(result.stderr, /^chanlist: [^\n]+\n$/);
    for (const flag of flags) assert.ok(result.stderr.includes(flag), result.stderr);
  }
  const env = { CHANLIST_API_KEY: '', CHANLIST_API_KEY_FILE: 'key' };
  const variable = await fixture.run(['resolve', '@size-5', '-o', 'key', '-f', 'id'], {
    env,
    noSummary: true,
  });
  assert.equal(variable.exit, 2, variable.stderr);
  assert.match(variable.stderr, /^chanlist: --output key and CHANLIST_API_KEY_FILE key are the same file, /);
  const stdin = await fixture.run(['resolve', '--from', '-', '-o', 'refs.txt', '-f', 'id'], {
    within: ['bash', '-c', '"$@" < refs.txt', 'bash'],
    noSummary: true,
  });
  assert.equal(stdin.exit, 2, stdin.stderr);
  assert.match(stdin.stderr, /^chanlist: --output refs\.txt and --from - are the same file, /);
  assert.deepEqual(fixture.requests, []);
  assert.equal(await fixture.read('refs.txt'), '@size-5\n');
  assert.deepEqual(await fixture.files(), ['hard', 'key', 'refs.txt', 'refs.txt.part', 'soft']);
});

test('appending to a file through /dev/stdout appends', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'log'), 'first\n');
  const result = await fixture.run(['uploads', '@size-3', '-o', '/dev/stdout', '-f', 'id'], {
    within: ['bash', '-c', '"$@" >> log', 'bash'],
  });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal((await fixture.read('log')).split('\n').length - 1, 4);
  assert.match(await fixture.read('log'), /^first\n/);
});

/** Runs a command with a file system of 3 MiB at `full`. */
const withFullDisk = [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  ...['mount -t tmpfs -o size=3m none full && exec "$@"', 'sh'],
];

test('a disk without room for a page: 1, and no page is bought', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'full'));
  const [command = '', ...probe] = [...withFullDisk, 'true'];
  if (spawnSync(command, probe, { cwd: fixture.folder }).status !== 0)
    return t.skip('this user may not mount a file system');
  const args = ['uploads', '@size-20', '-o', 'full/out.ndjson'];
  const result = await fixture.run(args, { within: withFullDisk });
  assert.equal(result.exit, 1);
  assert.match(result.stderr, /no room/);
  assert.equal(result.charged, 0);
});
