import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
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
  return { folder, service, channel, program };
}

/** Names of the files that got their names by `rename`; each was durable before, and so was its name afterwards. */
async function durableNames(program: TracedProgram, args: readonly string[]): Promise<string[]> {
  const { result, calls } = await program.changes(args);
  assert.equal(result.exit, 0, result.stderr);
  const named: string[] = [];
  for (const [at, call] of calls.entries()) {
    const [, from, to] = /^rename\("([^"]+)", "([^"]+)"/.exec(call) ?? [];
    if (from === undefined || to === undefined || to.endsWith('.lock')) continue;
    assert.notEqual(from, to);
    const isOf = (names: string, path: string) => (line: string) =>
      new RegExp(`^(?:${names})\\(\\d+<`).test(line) && line.includes(`<${path}>`);
    const written = calls.slice(0, at).findLastIndex(isOf('p?write(?:64)?|ftruncate|fchmod', from));
    const synced = calls.slice(0, at).findLastIndex(isOf('fsync|fdatasync', from));
    assert.ok(written !== -1 && synced > written, `${to} was not durable when it got its name`);
    const after = calls.slice(at).findIndex(isOf('fsync', dirname(to)));
    assert.ok(after !== -1, `the name ${to} is not durable`);
    named.push(basename(to));
  }
  return named;
}

test('a renamed file is durable before the rename, and its name after it', {
  skip: noStrace,
}, async (t) => {
  const { program, channel, folder, service } = await setUp(t);
  const id = channelId('a');
  const update = ['uploads', id, '-o', 'a.ndjson', '--update', '--summary', 'summary.json'];
  const exported = ['summary.json', 'a.ndjson.part.json', 'a.ndjson.part', 'a.ndjson', 'a.ndjson.json'];
  assert.deepEqual(await durableNames(program, update), [...exported, 'summary.json']);
  channel.list.unshift(...videos(12, 14));
  assert.deepEqual(await durableNames(program, update), [...exported, 'summary.json']);
  assert.deepEqual(await durableNames(program, ['search', id, 'Title', '-o', 'found.json']), ['found.json']);
  const latest = ['latest', id, '--seen', 'seen.txt'];
  assert.deepEqual(await durableNames(program, latest), ['seen.txt']);
  channel.feed = [feedEntry('new')];
  assert.deepEqual(await durableNames(program, latest), ['seen.txt']);
  await writeFile(join(folder, 'key.txt'), testKey);
  const login = ['auth', 'login', '--key-file', 'key.txt', '--base-url', service.url, '--no-verify'];
  assert.deepEqual(await durableNames(program, login), ['config.json']);
});
