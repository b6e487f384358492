import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { channelId, feedEntry, simulatedService, videos } from '../support/simulated-service.ts';
import { noStrace, TracedProgram } from './traced-program.ts';

async function setUp(t: TestContext) {
  const root = await temporaryFolder(t);
  const folder = join(root, 'work');
  await mkdir(folder);
  const service = await simulatedService(t, { pageSize: 5 });
  const channel = service.addChannel('a', { list: videos(0, 12) });
  const program = new TracedProgram(folder, root, {
    ...serviceEnvironment(service.url),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
  });
  return { channel, program };
}

/** A path below `/proc/self/fd/N` as the path below the folder that was opened last as N. */
function withoutDescriptor(path: string, calls: readonly string[]): string {
  const [, descriptor, rest] = /^\/proc\/self\/fd\/(\d+)\/(.*)$/.exec(path) ?? [];
  if (rest === undefined) return path;
  const opened = new RegExp(` = ${descriptor}<([^>]*)>$`);
  const folder = calls.map((call) => opened.exec(call)?.[1]).findLast((found) => found !== undefined);
  return `${folder}/${rest}`;
}

/** Names of the files that got their names by `rename`; each was durable before, and so was its name afterwards. */
async function durableNames(program: TracedProgram, args: readonly string[]): Promise<string[]> {
  const { result, calls } = await program.calls(args);
  assert.equal(result.exit, 0, result.stderr);
  const named: string[] = [];
  for (const [at, call] of calls.entries()) {
    const [, given, target] =
      /^rename(?:at2?)?\((?:\w+(?:<[^>]*>)?, )?"([^"]+)", (?:\w+(?:<[^>]*>)?, )?"([^"]+)"/.exec(call) ?? [];
    if (given === undefined || target === undefined || /\.(?:gitignore|lock)$/.test(target)) continue;
    const [from, to] = [given, target].map((path) => withoutDescriptor(path, calls.slice(0, at))) as [
      string,
      string,
    ];
    assert.notEqual(from, to);
    const isOf = (names: string, path: string) => (line: string) =>
      new RegExp(`^(?:${names})\\(\\d+<`).test(line) && line.includes(`<${path}>`);
    const lastOf = (names: string, path: string): number =>
      calls.slice(0, at).findLastIndex(isOf(names, path));
    const writes = 'p?write(?:64)?|ftruncate|fchmod';
    // A record names rows: they are durable before it has its name.
    const rows = new Set(
      calls.slice(0, at).flatMap((line) => /^p?write(?:64)?\(\d+<([^>]*\.part)>/.exec(line)?.[1] ?? []),
    );
    for (const path of new Set([from, ...rows])) {
      const [written, synced] = [lastOf(writes, path), lastOf('fsync|fdatasync', path)];
      assert.ok(written !== -1 && synced > written, `${path} was not durable when ${to} got its name`);
    }
    const after = calls.slice(at + 1);
    // No page depends on the record that is written once FILE is in place.
    const isReplaced = after.some((line) => line.startsWith('rename') && line.includes(`/${basename(to)}"`));
    const isLastRecord = to.includes('/.chanlist/') && !isReplaced;
    const next = after.findIndex((line) => line.startsWith('rename'));
    const atOnce = next === -1 ? after : after.slice(0, next);
    assert.ok(isLastRecord || atOnce.some(isOf('fsync', dirname(to))), `the name ${to} is not durable`);
    named.push(basename(to));
  }
  return named;
}

test('a renamed file is durable before the rename, and its name after it', {
  skip: noStrace,
}, async (t) => {
  const { program, channel } = await setUp(t);
  const id = channelId('a');
  const args = ['uploads', id, '-o', 'a.ndjson', '--summary', 'summary.json'];
  const exported = ['summary.json', 'a.ndjson.json', 'a.ndjson'];
  assert.deepEqual(new Set(await durableNames(program, args)), new Set(exported));
  channel.list.unshift(...videos(12, 22));
  const named = await durableNames(program, [...args, '--update']);
  assert.deepEqual(new Set(named), new Set(exported));
  // One checkpoint per page.
  assert.ok(named.filter((name) => name === 'a.ndjson.json').length >= 2);
  assert.deepEqual(await durableNames(program, ['search', id, 'Title', '-o', 'found.json']), ['found.json']);
  const latest = ['latest', id, '--seen', 'seen.txt'];
  assert.deepEqual(await durableNames(program, latest), ['seen.txt']);
  channel.feed = [feedEntry('new')];
  assert.deepEqual(await durableNames(program, latest), ['seen.txt']);
});

test('an unchanged export: its record is read once, FILE is not read', {
  skip: noStrace,
}, async (t) => {
  const { program } = await setUp(t);
  const args = ['uploads', '@a', '--output-dir', '.'];
  const file = `${channelId('a')}.ndjson`;
  assert.equal((await program.run(args)).exit, 0);
  for (const more of [[], ['--update'], ['--update']]) {
    const { result, calls } = await program.calls([...args, ...more], 'all');
    assert.equal(result.exit, 0, result.stderr);
    const ofPath = (names: string, path: string): string[] =>
      calls.filter(
        (line) =>
          new RegExp(`^(?:${names})\\(`).test(line) &&
          (line.includes(`"${path}"`) || line.includes(`/${path}"`)) &&
          !/O_(?:WRONLY|RDWR|DIRECTORY)/.test(line),
      );
    const reads = ofPath('openat', `${file}.json`);
    const stats = ofPath('statx|stat|lstat|newfstatat', file);
    assert.ok(reads.length === 1 && stats.length <= 2, [...reads, ...stats].join('\n'));
    assert.ok(ofPath('openat', file).length <= 1);
  }
});
