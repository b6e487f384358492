import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { channelId, feedEntry, videos } from '../support/simulated-service.ts';
import { World } from '../support/world.ts';
import { noStrace, traced } from './traced.ts';

const id = channelId('a');

async function setUp(t: TestContext, count = 12) {
  const world = await World.open(t, { pageSize: 5 });
  world.now = Date.now();
  return { world, channel: world.service.addChannel('a', { list: videos(0, count) }) };
}

/** Names of the files that got them by `rename`; each was durable before, and so was its name afterwards. */
async function durableNames(world: World, args: readonly string[]): Promise<string[]> {
  const { exit, stderr, calls } = await traced(world, args);
  assert.equal(exit, 0, stderr);
  return calls.flatMap((call, at) => {
    const [, from = '', to = ''] = /^rename\("([^"]+)", "([^"]+)"/.exec(call) ?? [];
    if (from === '' || /\.(?:gitignore|lock)$/.test(to)) return [];
    const isOf = (names: string, path: string) => (line: string) =>
      new RegExp(`^(?:${names})\\(\\d+<`).test(line) && line.includes(`<${path}>`);
    const before = calls.slice(0, at);
    const written = before.findLastIndex(isOf('p?write(?:64)?|ftruncate|fchmod', from));
    const synced = before.findLastIndex(isOf('fsync|fdatasync', from));
    assert.ok(written !== -1 && synced > written, `${from} was not durable when ${to} got its name`);
    const after = calls.slice(at + 1);
    // The record can be written again from the pages, which go after it.
    const isRecord = to.includes('/.chanlist/') && to.endsWith('.json');
    const next = after.findIndex((line) => (isRecord ? /^unlink\(".*\.run"/ : /^rename/).test(line));
    const atOnce = next === -1 ? after : after.slice(0, next);
    assert.ok(atOnce.some(isOf('fsync', dirname(to))), `the name ${to} is not durable`);
    return [basename(to)];
  });
}

test('a renamed file is durable before the rename, and its name after it', { skip: noStrace }, async (t) => {
  const { world, channel } = await setUp(t);
  const args = ['uploads', id, '-o', 'a.ndjson'];
  const exported = ['a.ndjson.run', 'a.ndjson', 'a.ndjson.json'];
  assert.deepEqual(await durableNames(world, args), exported);
  channel.list.unshift(...videos(12, 22));
  assert.deepEqual(await durableNames(world, [...args, '--update']), exported);
  const search = ['search', id, 'Title', '-o', 'found.json', '--summary', 's.json'];
  assert.deepEqual(new Set(await durableNames(world, search)), new Set(['s.json', 'found.json']));
  const latest = ['latest', id, '--seen', 'seen.txt'];
  assert.deepEqual(await durableNames(world, latest), ['seen.txt']);
  channel.feed = [feedEntry('new')];
  assert.deepEqual(await durableNames(world, latest), ['seen.txt']);
});

test('a page is synced once, and the end of a run needs a fixed number of syncs', {
  skip: noStrace,
}, async (t) => {
  const syncs: number[] = [];
  for (const pages of [2, 3, 12]) {
    const { world } = await setUp(t, pages * 5);
    const { exit, calls } = await traced(world, ['uploads', id, '-o', 'a.ndjson'], 'fsync,fdatasync');
    assert.equal(exit, 0);
    syncs.push(calls.length - pages);
  }
  assert.deepEqual(syncs, Array(3).fill(syncs[0]));
  t.diagnostic(`${syncs[0]} besides those of the pages`);
  assert.ok((syncs[0] ?? 0) <= 9);
});

test('an unchanged archive is not read', { skip: noStrace }, async (t) => {
  const { world } = await setUp(t);
  const args = ['uploads', '@a', '--output-dir', '.'];
  assert.equal((await world.run(args)).exit, 0);
  // The first update finds no feed in the record.
  for (const [more, reads] of [
    [[], 0],
    [['--update'], 1],
    [['--update'], 0],
  ] as const) {
    const { exit, stderr, calls } = await traced(world, [...args, ...more], 'openat');
    assert.equal(exit, 0, stderr);
    const opened = calls.filter((line) => line.includes(`${id}.ndjson", O_RDONLY`));
    assert.equal(opened.length, reads, opened.join('\n'));
  }
});
