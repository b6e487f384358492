import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportFixture, fileFormats, uninterrupted } from '../support/exports.ts';

const list = '@size-35'; // 4 pages of 10

for (const format of fileFormats) {
  test(`a whole export as ${format}: the bytes of stdout, a credit a page, nothing but FILE`, async (t) => {
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

test('a table in a file, several references for one file: usage errors before any request', async (t) => {
  const fixture = await exportFixture(t);
  for (const args of [
    ['uploads', list, '-o', 'x', '-f', 'table'],
    ['uploads', list, '--output-dir', 'x', '-f', 'table'],
    ['latest', list, '-o', 'x', '-f', 'table'],
    ['uploads', list, '@empty', '-o', 'x'],
    ['playlist', 'PLdemo', 'PLother', '-o', 'x'],
    ['uploads', list, '-o', 'x', '--output-dir', 'y'],
    ['uploads', list, '--restart'],
    ['uploads', list, '--update'],
    ['uploads', list, '-o', 'x', '--update', '-n', '3'],
    ['uploads', '--continuation', 'abc', '-o', 'x', '--update'],
    ['playlist', 'PLdemo', '-o', 'x', '--update'],
    ['uploads', list, '-o', 'x', '--update', '--fields', 'title,index'],
    ['uploads', '--continuation', 'abc', '--output-dir', 'x'],
  ]) {
    const result = await fixture.run(args);
    assert.equal(result.exit, 2, args.join(' '));
    assert.match(result.stderr, /^chanlist: [^\n]+\n$/);
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

test('-n into a file: exactly so many, not a page more than they need, status limited', async (t) => {
  const fixture = await exportFixture(t);
  for (const [limit, credits] of [
    [1, 1],
    [10, 1],
    [11, 2],
    [25, 3],
    [40, 4],
  ] as const) {
    const result = await fixture.run(['uploads', list, '-n', String(limit), '-o', 'out.json']);
    assert.equal(result.exit, 0);
    assert.equal(result.charged, credits);
    const text = await fixture.read('out.json');
    const document = JSON.parse(text);
    assert.equal(document.results.length, Math.min(limit, 35));
    assert.equal(document.has_more, limit < 35);
    assert.equal(result.only.status, limit < 35 ? 'limited' : 'complete');
    assert.equal(text, (await fixture.run(['uploads', list, '-n', String(limit), '--json'])).stdout);
    assert.deepEqual(await fixture.files(), ['out.json']);
  }
});

test('--continuation into a file: from that page on; interrupted, the same command continues; another token does not', async (t) => {
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
  assert.equal(misfit.charged, 0);
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
