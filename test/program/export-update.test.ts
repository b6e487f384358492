import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ExportFixture,
  exportFixture,
  exportsIn,
  type FixtureRunOptions,
  type Outcome,
  uninterrupted,
} from '../support/exports.ts';
import { run } from '../support/program.ts';
import { entry, page, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

const list = '@size-35'; // 4 pages of 10

const formats = ['ndjson', 'csv', 'id'] as const;
type Format = (typeof formats)[number];

const nameOf = (format: Format): string => `out.${format}`;
const argsOf = (format: Format): string[] => ['uploads', list, '-o', nameOf(format), '-f', format];

/** Exports FILE for the first time. */
async function exported(fixture: ExportFixture, format: Format = 'id'): Promise<void> {
  const { exit, charged, stderr } = await fixture.run(argsOf(format));
  assert.deepEqual([exit, charged, stderr], [0, 4, '']);
}

function update(
  fixture: ExportFixture,
  format: Format = 'id',
  more: readonly string[] = [],
  options: FixtureRunOptions = {},
): Promise<Outcome> {
  return fixture.run([...argsOf(format), '--update', ...more], options);
}

/** The entries of an exported file, each as the text of its fields. */
function entriesOf(format: Format, text: string): string[] {
  if (format !== 'csv') return text.split('\n').slice(0, -1);
  const rows = text.split(/\n(?=[\w-]{11},)/);
  assert.equal(
    rows[0],
    'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index',
  );
  return rows.slice(1).map((row) => row.replace(/\n$/, ''));
}

for (const format of formats) {
  test(`--update (${format}): nothing new, then new entries on top of FILE`, async (t) => {
    const fixture = await exportFixture(t);
    const name = nameOf(format);
    await exported(fixture, format);
    const before = await fixture.read(name);
    const nothing = await update(fixture, format);
    assert.deepEqual([nothing.exit, nothing.charged, nothing.stderr], [0, 0, '']);
    assert.deepEqual(
      [nothing.only.status, nothing.only.new, nothing.only.entries, nothing.only.pages],
      ['unchanged', 0, 35, 0],
    );
    assert.equal(await fixture.read(name), before);

    fixture.sandbox.setUploads(list, 38);
    const result = await update(fixture, format);
    assert.deepEqual([result.exit, result.charged, result.stderr], [0, 1, '']);
    const { status, new: added, entries, missing, continuation_token: token } = result.only;
    assert.deepEqual(
      { status, added, entries, missing: missing ?? 0, token },
      { status: 'complete', added: 3, entries: 38, missing: 0, token: null },
    );
    const now = entriesOf(format, await fixture.read(name));
    const all = entriesOf(format, await uninterrupted(fixture, `uploads ${list} -f ${format}`));
    assert.deepEqual(now.slice(0, 3), all.slice(0, 3));
    // Old entries stay as they are: their index is that of the day they were fetched.
    assert.deepEqual(now.slice(3), entriesOf(format, before));
    assert.deepEqual(await fixture.files(), [name]);
    assert.equal((await update(fixture, format)).charged, 0);
  });

  test(`--update (${format}): interrupted at every page, the same command resumes`, async (t) => {
    const fixture = await exportFixture(t);
    const name = nameOf(format);
    await exported(fixture, format);
    const before = await fixture.read(name);
    fixture.sandbox.setUploads(list, 35 + 24);
    let charged = 0;
    for (const [exit, resumed] of [
      [9, 0],
      [9, 10],
      [0, 20],
    ] as const) {
      const result = await update(fixture, format, ['--max-credits', '1']);
      assert.deepEqual([result.exit, result.only.resumed], [exit, resumed], result.stderr);
      charged += result.charged;
      if (exit === 9) assert.equal(await fixture.read(name), before);
    }
    assert.equal(charged, 3);
    const now = entriesOf(format, await fixture.read(name));
    const all = entriesOf(format, await uninterrupted(fixture, `uploads ${list} -f ${format}`));
    assert.deepEqual(now, [...all.slice(0, 24), ...entriesOf(format, before)]);
    assert.deepEqual(await fixture.files(), [name]);
  });
}

test('a full disk during an update: FILE is unchanged, and the same command resumes', async (t) => {
  const fixture = await exportFixture(t);
  await exported(fixture, 'ndjson');
  const limited = (blocks: number) => ({ within: ['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, 'bash'] });
  for (const [uploads, blocks] of [
    [50, 10],
    // Room for the new entries, but not for the old ones below them.
    [53, 12],
  ] as const) {
    fixture.sandbox.setUploads(list, uploads);
    const before = await fixture.read('out.ndjson');
    const full = await update(fixture, 'ndjson', [], limited(blocks));
    assert.equal(full.exit, 1);
    assert.match(full.stderr, /credits? spent/);
    assert.equal(await fixture.read('out.ndjson'), before);
    const again = await update(fixture, 'ndjson');
    assert.equal(again.exit, 0, again.stderr);
    assert.ok(full.charged + again.charged <= (uploads === 50 ? 3 : 1), `${full.charged} + ${again.charged}`);
    assert.equal((await fixture.read('out.ndjson')).split('\n').length - 1, uploads);
    assert.deepEqual(await fixture.files(), ['out.ndjson']);
  }
});

test('FILE without a record contains another channel: 2, nothing paid, FILE unchanged', async (t) => {
  for (const format of ['ndjson', 'csv'] as const) {
    const fixture = await exportFixture(t);
    assert.equal((await fixture.run(['uploads', '@size-5', '-o', nameOf(format)])).exit, 0);
    await rm(join(fixture.folder, '.chanlist'), { recursive: true });
    const before = await fixture.read(nameOf(format));
    const result = await update(fixture, format);
    assert.deepEqual([result.exit, result.charged], [2, 0]);
    onlyError(result, nameOf(format), 'UC');
    assert.equal(await fixture.read(nameOf(format)), before);
  }
});

test('an entry of another channel on top does not make FILE the file of that channel', async (t) => {
  const channelId = 'UCtesttesttesttesttestte';
  const service = await scriptedService(t, ({ path }) => {
    if (path.endsWith('resolve')) return { body: { channel_id: channelId, resolved_from: '@test' } };
    if (path.endsWith('latest')) return { body: { channel: { channelId }, results: [entry(5)] } };
    return { body: page(5, 15, 'next', 11) };
  });
  const fixture = await exportFixture(t, { service });
  const guest = { ...entry(6), channelId: 'UCguest' };
  const lines = [guest, entry(7), entry(14)].map((one) => `${JSON.stringify(one)}\n`);
  await writeFile(join(fixture.folder, 'out.ndjson'), lines.join(''));
  const result = await fixture.run('uploads @test -o out.ndjson --update', {
    baseUrl: service.url,
    unwatched: true,
  });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.only.new, 7);
});

test('an interrupted export is finished first, then updated', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run([...argsOf('id'), '--max-credits', '2'])).exit, 9);
  fixture.sandbox.setUploads(list, 38);
  const result = await update(fixture);
  assert.deepEqual([result.exit, result.charged], [0, 2 + 1], result.stderr);
  assert.deepEqual([result.only.status, result.only.entries, result.only.resumed], ['complete', 38, 20]);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, `uploads ${list} -f id`));

  // Nothing new since: what was written is complete, not unchanged.
  assert.equal((await fixture.run([...argsOf('id'), '--restart', '--max-credits', '2'])).exit, 9);
  const again = await update(fixture);
  assert.deepEqual([again.charged, again.only.status], [2, 'complete']);
});

test('FILE that is changed while its update is interrupted: the entries are there once', async (t) => {
  const fixture = await exportFixture(t);
  await exported(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  // By another export: what the update had is in it already, and must not be there twice.
  const all = await uninterrupted(fixture, `uploads ${list} -f id`);
  await writeFile(join(fixture.folder, 'out.id'), all);
  const again = await update(fixture);
  assert.equal(again.exit, 0, again.stderr);
  assert.equal(await fixture.read('out.id'), all);
  assert.deepEqual(await fixture.files(), ['out.id']);
});

test('FILE without a record and without videoId: 2, nothing is paid', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out.ndjson', '--fields', 'title'];
  assert.equal((await fixture.run(args)).exit, 0);
  await rm(join(fixture.folder, '.chanlist'), { recursive: true });
  const result = await update(fixture, 'ndjson');
  assert.deepEqual([result.exit, result.charged], [2, 0]);
  onlyError(result, 'out.ndjson');
});

test('FILE that others have changed: csv with a byte order mark is up to date; without videoId it is 2', async (t) => {
  const fixture = await exportFixture(t);
  const line = `uploads ${list} -o out.csv`;
  assert.equal((await fixture.run(line)).exit, 0);
  const path = join(fixture.folder, 'out.csv');
  await writeFile(path, `\ufeff${await fixture.read('out.csv')}`);
  const same = await fixture.run(`${line} --update`);
  assert.deepEqual([same.exit, same.charged, same.only.status], [0, 0, 'unchanged'], same.stderr);
  const changed = (await fixture.read('out.csv')).replace('videoId', 'video');
  await writeFile(path, changed);
  const refused = await fixture.run(`${line} --update`);
  assert.deepEqual([refused.exit, refused.charged], [2, 0]);
  onlyError(refused, 'out.csv has no videoId', '--restart');
  assert.equal(await fixture.read('out.csv'), changed);
});

for (const what of ['a link', 'a FIFO', 'a folder', 'another file'] as const)
  test(`FILE that becomes ${what} while a page is fetched: 1, nothing is read through it`, async (t) => {
    const fixture = await exportFixture(t);
    await exported(fixture);
    const path = join(fixture.folder, 'out.id');
    const before = await fixture.read('out.id');
    await writeFile(join(fixture.folder, 'secret'), 'secret\n');
    fixture.sandbox.setUploads(list, 37);
    fixture.onRequest = (line) => {
      if (!line.includes('/videos') || existsSync(join(fixture.folder, 'moved'))) return;
      renameSync(path, join(fixture.folder, 'moved'));
      if (what === 'a link') symlinkSync('secret', path);
      else if (what === 'a FIFO') execFileSync('mkfifo', [path]);
      else if (what === 'a folder') mkdirSync(path);
      else writeFileSync(path, 'x\n');
    };
    const result = await update(fixture);
    assert.deepEqual([result.exit, result.charged], [1, 1], result.stderr);
    onlyError(result, 'out.id');
    assert.equal(await fixture.read('secret'), 'secret\n');
    fixture.onRequest = () => {};
    rmSync(path, { recursive: true });
    renameSync(join(fixture.folder, 'moved'), path);
    const again = await update(fixture);
    assert.deepEqual([again.exit, again.charged], [0, 0], again.stderr);
    const lines = (await fixture.read('out.id')).split('\n');
    assert.deepEqual([lines.length, lines.slice(2).join('\n')], [38, before]);
  });

test('FILE that is gone has no entries in the receipt', async (t) => {
  const fixture = await exportFixture(t);
  await fixture.run(`uploads ${list} -o out.ndjson`);
  await rm(join(fixture.folder, 'out.ndjson'));
  const { exit, only } = await fixture.run(`uploads ${list} -o out.ndjson --update`);
  assert.deepEqual([exit, only.entries, only.exit], [1, 0, 1]);
});

test('an update of every page in two runs does not say that the channel lists nothing known', async (t) => {
  const fixture = await exportFixture(t);
  const line = `uploads ${list} -o out.ndjson`;
  await fixture.run(line);
  const lines = (await fixture.read('out.ndjson')).split('\n');
  await writeFile(join(fixture.folder, 'out.ndjson'), `${lines.slice(0, 20).join('\n')}\n`);
  assert.equal((await fixture.run(`${line} --update --all --max-credits 3`)).exit, 9);
  const { exit, stderr } = await fixture.run(`${line} --update --all`);
  assert.deepEqual([exit, stderr], [0, '']);
});

test('FILE without a record: 2 names --update only where it works', async (t) => {
  const fixture = await exportFixture(t);
  const line = `uploads ${list} -o`;
  await writeFile(join(fixture.folder, 'a.ndjson'), '{"videoId":"x"}\n{');
  onlyError(await fixture.run(`${line} a.ndjson`), 'adopt it: ', '--update --all;', '--restart');
  assert.equal((await fixture.run(`${line} a.ndjson --update --all`)).exit, 0);
  // An export of it was interrupted before others wrote it.
  assert.equal((await fixture.run(`${line} b.ndjson --max-credits 1`)).exit, 9);
  await writeFile(join(fixture.folder, 'b.ndjson'), '{"videoId":"x"}\n');
  const refused = await fixture.run(`${line} b.ndjson`);
  assert.equal(refused.exit, 2);
  onlyError(refused, 'replace it: ', '--restart');
  assert.doesNotMatch(refused.stderr, /--update/);
});

test('what cannot be updated: a kept or adopted FILE, a damaged one and check name --restart', async (t) => {
  for (const [i, line] of ['uploads @size-35 --fields title', 'playlist PLdemo -f csv'].entries()) {
    const fixture = await exportFixture(t);
    const words = `${line} --output-dir lists`;
    const only = async (expected: number): Promise<void> => {
      const { exit, charged, stderr } = await fixture.run(words);
      assert.deepEqual([exit, charged], [expected, 0], stderr);
      assert.match(stderr, /--restart/);
      assert.doesNotMatch(stderr, /--update/);
    };
    await fixture.run(words);
    await only(0);
    await rm(join(fixture.folder, 'lists/.chanlist'), { recursive: true });
    await only(0);
    const [name = ''] = await exportsIn(join(fixture.folder, 'lists'));
    await writeFile(join(fixture.folder, 'lists', name), i === 0 ? '{' : 'videoId\n"');
    await only(1);
    const { stdout } = await run('check lists', { cwd: fixture.folder });
    assert.match(JSON.parse(stdout).problem.fix, /--restart/);
  }
});

test('latest of any shape: a list of known IDs is nothing new; anything else is 7, without a paid request', async (t) => {
  const id = (n: number): string => String(entry(n).videoId);
  let body: unknown;
  const service = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('latest')) return { body };
    if (path.endsWith('resolve'))
      return { body: { channel_id: 'UCtesttesttesttesttestte', resolved_from: '@test' } };
    return { body: query.has('continuation') ? page(10, 20, null) : page(0, 10, 'next', 20) };
  });
  const fixture = await exportFixture(t, { service });
  const args = ['uploads', '@test', '-o', 'out.id', '-f', 'id'];
  assert.equal((await fixture.run(args)).exit, 0);
  for (const [shape, exit] of [
    [[entry(0), entry(1)], 0],
    [{ results: [{ videoId: id(0) }, { videoId: id(1) }] }, 0],
    [{ items: [{ id: { videoId: id(1) } }], etag: 'x' }, 0],
    [{ videos: [id(0), id(2)] }, 0],
    [{ results: [] }, 7],
    [{ results: [{ link: 'https://video.example/v/1' }] }, 7],
    [{ feed: { entry: 'something else' } }, 7],
    ['text', 7],
    [null, 7],
    [{ a: [id(0)], b: [id(1)] }, 7],
    [{ channel: { channelId: 'UCotherotherotherotherot' }, results: [{ videoId: id(0) }] }, 7],
  ] as const) {
    body = shape;
    const result = await fixture.run([...args, '--update']);
    assert.equal(result.exit, exit, `${JSON.stringify(body)}: ${result.stderr}`);
    assert.equal(result.only.credits.confirmed, 0, JSON.stringify(body));
    assert.equal(result.only.status, exit === 0 ? 'unchanged' : 'failed');
  }
});

test('--dry-run --update after all pages were fetched: FILE is written for free, then updated', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('no /dev/full');
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'a.ndjson'];
  await fixture.run(args);
  fixture.sandbox.setUploads(list, 37);
  const within = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
  assert.equal((await fixture.run([...args, '--update', '--print-new'], { within })).exit, 1);
  const dry = await fixture.run([...args, '--update', '--dry-run']);
  assert.match(dry.stdout, /^GET \S+\/latest\?channel=UC\S+ {2}free/);
  const { exit, charged, only } = await fixture.run([...args, '--update']);
  assert.deepEqual([exit, charged, only.entries], [0, 0, 37]);
});

test('--dry-run compares the fields as the run does', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'a.ndjson', '--fields', 'videoId, title'];
  assert.equal((await fixture.run(args)).exit, 0);
  const { exit, stdout, stderr } = await fixture.run([...args, '--dry-run']);
  assert.deepEqual([exit, stdout], [0, '']);
  assert.match(stderr, /skipped: already exported; use --update to refresh it$/m);
});
