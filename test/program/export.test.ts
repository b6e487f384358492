import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ExportFixture, exportFixture, uninterrupted } from '../support/exports.ts';
import { onlyError } from '../support/stderr.ts';

const list = '@size-35'; // 4 pages of 10

for (const format of ['ndjson', 'csv', 'json', 'id']) {
  test(`a complete export as ${format}: the bytes of stdout, one credit per page, nothing but FILE`, async (t) => {
    const fixture = await exportFixture(t);
    const expected = await uninterrupted(fixture, `uploads ${list} -f ${format}`);
    const result = await fixture.run(`uploads ${list} -f ${format} -o out`);
    assert.deepEqual([result.exit, result.stdout + result.stderr, result.charged], [0, '', 4]);
    assert.equal(await fixture.read('out'), expected);
    assert.deepEqual(await fixture.files(), ['out']);
    const { status, entries, pages, file, credits, exit, resumed, continuation_token: token } = result.only;
    assert.deepEqual(
      [status, entries, pages, file, exit, resumed, token],
      ['complete', 35, 4, 'out', null, 0, null],
    );
    assert.deepEqual(credits, { confirmed: 4, possibly_charged: 0 });
  });
}

test('-o takes one reference, and no table for a response either', async (t) => {
  const fixture = await exportFixture(t);
  for (const [line, named] of [
    [`uploads ${list} @empty -o x`, '-o'],
    ['playlist PLdemo PLother -o x', '-o'],
    [`latest ${list} -o x -f table`, 'table'],
  ] as const) {
    const result = await fixture.run(line);
    assert.equal(result.exit, 2);
    onlyError(result, named);
  }
  assert.deepEqual([fixture.requests, await fixture.files()], [[], []]);
});

test('-n into a file: exactly that many entries, no page more than needed, status limited', async (t) => {
  const fixture = await exportFixture(t);
  for (const [limit, credits, status] of [
    [10, 1, 'limited'],
    [11, 2, 'limited'],
    [40, 4, 'complete'],
  ] as const) {
    const result = await fixture.run(`uploads ${list} -n ${limit} -o ${limit}.json`);
    assert.deepEqual([result.exit, result.charged, result.only.status], [0, credits, status]);
    const text = await fixture.read(`${limit}.json`);
    const { results, has_more } = JSON.parse(text);
    assert.deepEqual([results.length, has_more], [Math.min(limit, 35), limit < 35]);
    assert.equal(text, (await fixture.run(`uploads ${list} -n ${limit} --json`)).stdout);
  }
});

test('a playlist, its fields and its reference', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const url = 'https://www.example.com/playlist?list=PLdemo';
  const args = ['playlist', url, '--fields', '@reference,videoId,thumbnails.0.url'];
  const expected = await uninterrupted(fixture, [...args, '-f', 'csv']);
  assert.equal((await fixture.run([...args, '-o', 'out.csv', '--max-credits', '2'])).exit, 9);
  const result = await fixture.run([...args, '-o', 'out.csv']);
  assert.deepEqual([result.exit, result.charged], [0, 2]);
  assert.equal(await fixture.read('out.csv'), expected);
});

test('a listing without entries never replaces a FILE that has some: 8', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run('uploads @size-5 -o out -f csv')).exit, 0);
  const before = await fixture.read('out');
  fixture.sandbox.setUploads('@size-5', 0);
  for (const format of ['csv', 'json', 'ndjson']) {
    const result = await fixture.run(`uploads @size-5 -o out -f ${format} --restart`);
    assert.equal(result.exit, 8, result.stderr);
    onlyError(result, '@size-5', 'out', '1 credit spent');
    assert.equal(await fixture.read('out'), before);
    assert.deepEqual(await fixture.files(), ['out']);
  }
});

test('no output destroys an input: 2 names both flags, nothing is sent, no file is changed', async (t) => {
  const fixture = await exportFixture(t);
  const at = (name: string): string => join(fixture.folder, name);
  await writeFile(at('refs.txt'), '@size-5\n');
  await writeFile(at('key'), `${'k'.repeat(20)}\n`, { mode: 0o600 });
  await symlink('refs.txt', at('soft'));
  await link(at('refs.txt'), at('hard'));
  const env = { CHANLIST_API_KEY: '', CHANLIST_API_KEY_FILE: 'key' };
  const within = ['bash', '-c', '"$@" < refs.txt', 'bash'];
  for (const [line, one, other, more] of [
    ['uploads --from soft -o refs.txt --restart', '--from', '--output', {}],
    ['uploads --from refs.txt -o hard --restart', '--from', '--output', {}],
    ['latest --from refs.txt --summary soft', '--from', '--summary', {}],
    ['latest @size-5 --seen refs.txt -o hard', '--seen', '--output', {}],
    ['latest --from refs.txt --seen refs.txt', '--seen', '--from', {}],
    ['resolve @size-5 --key-file key -o key', '--key-file', '--output', {}],
    ['search @size-5 x -o new --summary new', '--summary', '--output', {}],
    ['uploads @size-5 -o new --summary .chanlist/new.json', '--summary', "chanlist's own folder", {}],
    ['search @size-5 x -o .chanlist/new', '--output', "chanlist's own folder", {}],
    ['resolve @size-5 -o key', '--output', 'CHANLIST_API_KEY_FILE', { env }],
    ['resolve --from - -o refs.txt', '--output', '--from', { within }],
  ] as const) {
    const result = await fixture.run(`${line} -f id`, { ...more, noSummary: true });
    assert.equal(result.exit, 2, `${line}: ${result.stderr}`);
    onlyError(result, one, other);
  }
  assert.deepEqual(fixture.requests, []);
  assert.equal(await fixture.read('refs.txt'), '@size-5\n');
  assert.deepEqual(await fixture.files(), ['hard', 'key', 'refs.txt', 'soft']);
});

test('resolve, search, latest and show do not replace an export that a record names: 2, nothing paid', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run('uploads @size-5 -o out.ndjson')).exit, 0);
  await writeFile(join(fixture.folder, 'other.ndjson'), await fixture.read('out.ndjson'));
  const before = await fixture.read('out.ndjson');
  for (const words of ['resolve @size-5', 'search @size-5 the', 'latest @size-5', 'show other.ndjson']) {
    const result = await fixture.run([...words.split(' '), '-o', 'out.ndjson'], { noSummary: true });
    assert.deepEqual([result.exit, result.charged], [2, 0], words);
    onlyError(result, 'out.ndjson');
    assert.equal(await fixture.read('out.ndjson'), before);
  }
});

/** Runs a command with a small file system at `full`, which has what is in `work`. */
const withDisk = (mebibytes: number, inodes = 1000): string[] => {
  const options = `size=${mebibytes}m,nr_inodes=${inodes},mode=0755`;
  return [
    ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
    ...[`mount -t tmpfs -o ${options} none full && cp -a work/. full && exec "$@"`, 'sh'],
  ];
};

/** A fixture with the folders `full` and `work`; null if this user may not mount a file system. */
async function fixtureWithDisk(t: TestContext): Promise<ExportFixture | null> {
  const fixture = await exportFixture(t);
  for (const name of ['full', 'work']) await mkdir(join(fixture.folder, name));
  const [command = '', ...probe] = [...withDisk(3), 'true'];
  if (spawnSync(command, probe, { cwd: fixture.folder }).status === 0) return fixture;
  t.skip('this user may not mount a file system');
  return null;
}

test('a disk without space for a page: 1, and no paid request', async (t) => {
  const fixture = await fixtureWithDisk(t);
  if (fixture === null) return;
  const result = await fixture.run('uploads @size-20 -o full/out.ndjson', { within: withDisk(3) });
  assert.deepEqual([result.exit, result.charged], [1, 0]);
  onlyError(result, 'full');
});

test('a disk without inodes for the next page: 1, and no paid request', async (t) => {
  const fixture = await fixtureWithDisk(t);
  if (fixture === null) return;
  // Which file finds no inode depends on their number.
  for (const [line, inodes] of [
    ['uploads @size-20 -o full/out.ndjson', 6],
    ['uploads @size-20 -o full/out.ndjson', 7],
    ['search @size-20 video -o full/out.json', 4],
  ] as const) {
    const result = await fixture.run(line, { within: withDisk(30, inodes), noSummary: true });
    assert.deepEqual([result.exit, result.charged], [1, 0], result.stderr);
    onlyError(result, /full.*(?:\d inodes free, 8 required; remove some files|no space left on the device)/);
  }
  const enough = await fixture.run('uploads @size-20 -o full/out.ndjson', { within: withDisk(30, 20) });
  assert.deepEqual([enough.exit, enough.charged], [0, 2], enough.stderr);
});

test('an update needs space for a copy of FILE, too', async (t) => {
  const fixture = await fixtureWithDisk(t);
  if (fixture === null) return;
  await fixture.run('uploads @size-20 -o work/out.ndjson');
  const lines = Array.from({ length: 6000 }, (_, n) => `{"videoId":"v${n}","title":"${'x'.repeat(1000)}"}\n`);
  await appendFile(join(fixture.folder, 'work/out.ndjson'), lines.join(''));
  fixture.sandbox.setUploads('@size-20', 22);
  const update = (mebibytes: number) =>
    fixture.run('uploads @size-20 -o full/out.ndjson --update', { within: withDisk(mebibytes) });
  const full = await update(14);
  assert.deepEqual([full.exit, full.charged], [1, 0], full.stderr);
  onlyError(full, 'not enough disk space');
  const enough = await update(30);
  assert.deepEqual([enough.exit, enough.charged], [0, 1], enough.stderr);
});
