import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ExportFixture,
  exportFixture,
  type FixtureRunOptions,
  type Outcome,
  uninterrupted,
} from '../support/exports.ts';
import { entry, page, scriptedService } from '../support/service.ts';

const list = '@size-35'; // 4 pages of 10
const args = ['uploads', list, '-o', 'out.ndjson'];

/** Exports FILE for the first time. */
async function exported(fixture: ExportFixture): Promise<void> {
  const { exit, charged, stderr } = await fixture.run(args);
  assert.deepEqual([exit, charged, stderr], [0, 4, '']);
}

const update = (
  fixture: ExportFixture,
  more: readonly string[] = [],
  options: FixtureRunOptions = {},
): Promise<Outcome> => fixture.run([...args, '--update', ...more], options);

test('a full disk during an update: FILE is unchanged, and the same command resumes', async (t) => {
  const fixture = await exportFixture(t);
  await exported(fixture);
  const limited = (blocks: number) => ({ within: ['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, 'bash'] });
  for (const [uploads, blocks] of [
    [50, 10],
    // Room for the new entries, but not for the old ones below them.
    [53, 12],
  ] as const) {
    fixture.sandbox.setUploads(list, uploads);
    const before = await fixture.read('out.ndjson');
    const full = await update(fixture, [], limited(blocks));
    assert.equal(full.exit, 1);
    assert.match(full.stderr, /credits? spent/);
    assert.equal(await fixture.read('out.ndjson'), before);
    const again = await update(fixture);
    assert.equal(again.exit, 0, again.stderr);
    assert.ok(full.charged + again.charged <= (uploads === 50 ? 3 : 1), `${full.charged} + ${again.charged}`);
    assert.equal((await fixture.read('out.ndjson')).split('\n').length - 1, uploads);
    assert.deepEqual(await fixture.files(), ['out.ndjson']);
  }
});

test('FILE that is changed while its update is interrupted: the entries are there once', async (t) => {
  const fixture = await exportFixture(t);
  await exported(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, ['--max-credits', '1'])).exit, 9);
  // By another export: what the update had is in it already, and must not be there twice.
  const all = await uninterrupted(fixture, `uploads ${list}`);
  await writeFile(join(fixture.folder, 'out.ndjson'), all);
  const again = await update(fixture);
  assert.equal(again.exit, 0, again.stderr);
  assert.equal(await fixture.read('out.ndjson'), all);
  assert.deepEqual(await fixture.files(), ['out.ndjson']);
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
  const args = ['uploads', '@test', '-o', 'out.ndjson'];
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
  assert.match(dry.stdout, /^free, then \S.* {2}GET \S+\/latest\?channel=UC\S+$/m);
  const { exit, charged, only } = await fixture.run([...args, '--update']);
  assert.deepEqual([exit, charged, only.entries], [0, 0, 37]);
});

test('--dry-run compares the fields as the run does', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'a.ndjson', '--fields', 'videoId, title'];
  assert.equal((await fixture.run(args)).exit, 0);
  const { exit, stdout, stderr } = await fixture.run([...args, '--dry-run']);
  assert.deepEqual([exit, stdout], [0, `free  no request: ${list}\n`]);
  assert.match(stderr, /kept: already exported; use --update to add new uploads$/m);
});
