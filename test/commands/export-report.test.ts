/** What runs over several exports, and dry runs, say of those that they did not reach or would refuse. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportFixture } from '../support/exports.ts';

test('references that a dead connection kept from being resolved are counted as not reached', async (t) => {
  const { run } = await exportFixture(t);
  const line =
    'uploads @a @b @c --output-dir lists --concurrency 1 --retries 0 --base-url http://127.0.0.1:1';
  const { exit, stderr } = await run(line);
  assert.equal(exit, 7);
  assert.match(stderr, /^chanlist: error: @a: cannot reach [^\n]*; stopped, 2 more not reached; [^\n]*\n$/);
});

test('--dry-run: refusals with one cause are one line, as in a run; a cost that is not known is not guessed', async (t) => {
  const { run, folder } = await exportFixture(t);
  const line = 'uploads @size-5 @size-8 --output-dir lists';
  await run(line);
  const later = { now: Date.now() + 40 * 86_400_000 };
  assert.match(
    (await run(`${line} --update --dry-run`, later)).stderr,
    /\n?chanlist: 2 requests, free, then .*\n$/,
  );
  for (const name of readdirSync(join(folder, 'lists')).filter((each) => each.endsWith('.ndjson')))
    writeFileSync(join(folder, 'lists', name), '{"videoId":"x"}\n');
  const { exit, stderr } = await run(`${line} --update --dry-run`);
  assert.equal(exit, 1);
  assert.match(
    stderr,
    /^chanlist: error: 2 references \(@size-5, @size-8\): [^\n]*\nchanlist: 0 requests, free\n$/,
  );
});

test('a record that is damaged beside interrupted rows: one line, and --restart keeps them until its first page', async (t) => {
  const { run, folder } = await exportFixture(t);
  const line = 'uploads @size-25 -o a.ndjson';
  assert.equal((await run(`${line} --max-credits 1`)).exit, 9);
  const own = join(folder, '.chanlist');
  writeFileSync(join(own, 'a.ndjson.json'), '{');
  const refused = await run(line);
  assert.deepEqual([refused.exit, refused.stderr.split('\n').length], [1, 2], refused.stderr);
  const rows = (): string[] => readdirSync(own).filter((name) => name.endsWith('.part'));
  const [before] = rows();
  assert.equal((await run(`${line} --restart --max-credits 0`)).exit, 9);
  assert.deepEqual(rows(), [before]);
  const checked = await run('check a.ndjson', { noSummary: true });
  assert.match(checked.stderr, /error: damaged: a\.ndjson: its record is damaged, and there are rows/);
  assert.equal((await run(`${line} --restart`)).exit, 0);
  await run(`${line} --update`);
  assert.deepEqual(rows(), []);
});

test('check of two folders: no fix names one of them for exports of the other', async (t) => {
  const { run } = await exportFixture(t);
  await run('uploads @empty --output-dir a');
  for (const channel of ['@size-15', '@size-25'])
    assert.equal((await run(`uploads ${channel} --output-dir b --max-credits 1`)).exit, 9);
  const { stderr } = await run('check a b', { noSummary: true });
  assert.match(
    stderr,
    /^chanlist: error: interrupted: 2 exports .*; fix: one at a time, the first: .* -o b\/[^\n]*\n$/,
  );
});

test('records that cannot be used for two reasons are two warnings', async (t) => {
  const { run, folder } = await exportFixture(t);
  const line = 'uploads @empty @size-5 --output-dir lists';
  await run(line);
  const own = join(folder, 'lists', '.chanlist');
  const [one = '', other = ''] = readdirSync(own).filter((name) => name.endsWith('.ndjson.json'));
  writeFileSync(join(own, one), '{');
  writeFileSync(join(own, other), '{"version":1}');
  const ids = [one, other].map((name) => name.replace('.ndjson.json', '')).join(' ');
  const { stderr } = await run(`uploads ${ids} --output-dir lists`);
  assert.match(stderr, /is damaged; continuing/);
  assert.match(stderr, /is of an older version; continuing/);
});

test('a file whose name begins with a dash: what is printed can be pasted', async (t) => {
  const { run } = await exportFixture(t);
  const line = 'uploads @size-5 -o-x.ndjson';
  assert.equal((await run(line)).exit, 0);
  const { stderr } = await run(`${line} --fields videoId`);
  assert.match(stderr, /chanlist show \.\/-x\.ndjson /);
});
