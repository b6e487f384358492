import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { missing, readmeLine, type Workshop, workshop } from '../support/shell.ts';

interface Entry {
  readonly videoId: string;
  readonly title: string;
  readonly lengthText: string;
}

/** Runs the README's line that begins so; returns its stdout. Nothing may be said on stderr. */
async function recipe({ sh }: Workshop, beginning: string): Promise<string> {
  const { exit, stdout, stderr } = await sh(await readmeLine(beginning));
  assert.deepEqual([exit, stderr], [0, '']);
  return stdout;
}

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

/** All uploads of @demo, as one plain call gives them. */
async function demo({ sh }: Workshop): Promise<Entry[]> {
  const { stdout } = await sh('chanlist uploads @demo');
  return lines(stdout).map((line) => JSON.parse(line) as Entry);
}

test('jq: selects, and makes columns', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  await recipe(at, 'chanlist uploads @demo | jq -r');
  const rows = lines(await readFile(join(at.folder, 'long.tsv'), 'utf8')).map((line) => line.split('\t'));
  const long = (await demo(at)).filter(({ lengthText }) => lengthText.length > 5);
  assert.ok(long.length > 50);
  assert.deepEqual(
    rows,
    // @tsv writes a backslash as two.
    long.map(({ videoId, lengthText, title }) => [videoId, lengthText, title.replaceAll('\\', '\\\\')]),
  );
});

test('head: the first IDs; the pages behind them are not bought', async (t) => {
  const at = await workshop(t);
  const ids = lines(await recipe(at, 'chanlist uploads @demo --format id | head'));
  assert.equal(ids.length, 5);
  const spent = 1000 - at.sandbox.credits();
  assert.ok(spent === 1 || spent === 2, `${spent} credits`);
  assert.deepEqual(
    ids,
    (await demo(at)).slice(0, 5).map(({ videoId }) => videoId),
  );
});

test('xargs: a command for each ID', { skip: missing('xargs') }, async (t) => {
  const at = await workshop(t);
  const addresses = lines(await recipe(at, 'chanlist latest @demo --format id | xargs'));
  const ids = (await demo(at)).slice(0, 15).map(({ videoId }) => videoId);
  assert.deepEqual(
    addresses,
    ids.map((id) => `https://video.example/watch?v=${id}`),
  );
});

test('while read: every record once, its title whole', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  const printed = lines(await recipe(at, 'chanlist search @demo bread | jq -r'));
  const { stdout } = await at.sh('chanlist search @demo bread');
  const found = lines(stdout).map((line) => JSON.parse(line) as Entry);
  assert.equal(found.length, 30);
  assert.deepEqual(
    printed,
    found.map(({ videoId, title }) => `${videoId}: ${title}`),
  );
});

test('--from: what came of each reference', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  await writeFile(join(at.folder, 'refs.txt'), '# ours\r\n@demo\r\n\r\n@size-250\r\n@demo\r\n');
  const counts = await recipe(at, 'chanlist uploads --from refs.txt --fields');
  assert.match(counts, /^ *10 @demo\n *10 @size-250\n$/);
});

test('sqlite3: CSV becomes a table of nine columns', { skip: missing('sqlite3', 'jq') }, async (t) => {
  const at = await workshop(t);
  await recipe(at, 'chanlist uploads @demo --output uploads.csv');
  assert.equal(await recipe(at, "sqlite3 uploads.db '.import --csv"), '1234\n');
  const { stdout } = await at.sh("sqlite3 -json uploads.db 'select * from uploads order by rowid'");
  const rows = JSON.parse(stdout) as Record<string, string>[];
  const entries = (await demo(at)) as unknown as Record<string, unknown>[];
  assert.deepEqual(
    rows.map(({ thumbnails = '', ...rest }) => ({ ...rest, thumbnails: JSON.parse(thumbnails) as unknown })),
    entries,
  );
});

test('sqlite3: NDJSON becomes rows of JSON, and these a table', { skip: missing('sqlite3') }, async (t) => {
  const at = await workshop(t);
  await recipe(at, 'chanlist uploads @demo --output uploads.ndjson');
  await recipe(at, "sqlite3 uploads.db 'create table lines");
  await recipe(at, 'sqlite3 uploads.db "create table videos');
  const { stdout } = await at.sh("sqlite3 -json uploads.db 'select id, title from videos order by rowid'");
  assert.deepEqual(
    JSON.parse(stdout),
    (await demo(at)).map(({ videoId, title }) => ({ id: videoId, title })),
  );
});

test('GNU parallel: a whole file for each channel', { skip: missing('parallel') }, async (t) => {
  const at = await workshop(t);
  await recipe(at, 'parallel --jobs 2');
  for (const [name, count] of [
    ['@demo', 1234],
    ['@size-250', 250],
  ] as const)
    assert.equal(lines(await readFile(join(at.folder, `${name}.ndjson`), 'utf8')).length, count);
  assert.equal(1000 - at.sandbox.credits(), 13 + 3);
});

test('exit codes: a script tells a missing channel from a known one', async (t) => {
  const at = await workshop(t);
  assert.equal(await recipe(at, 'chanlist resolve @nobody'), 'unknown\n');
  const errors = await readFile(join(at.folder, 'errors.log'), 'utf8');
  assert.match(errors, /^chanlist: @nobody: not found .*\n$/);
});

test('the receipt of a night: what jq makes of it', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  await writeFile(join(at.folder, 'refs.txt'), '@demo\n@size-250\n');
  await recipe(at, 'chanlist uploads --from refs.txt --output-dir exports');
  assert.deepEqual(JSON.parse(await recipe(at, 'jq .credits')), { confirmed: 16, possibly_charged: 0 });
  assert.deepEqual(lines(await recipe(at, "jq -r '.references[]")), [
    '@demo\tcomplete\t1234\t',
    '@size-250\tcomplete\t250\t',
  ]);
  await recipe(at, 'chanlist uploads --from refs.txt --output-dir exports');
  assert.equal(await recipe(at, "jq -r '.references[]"), '');
});
