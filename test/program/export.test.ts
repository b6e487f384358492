/** What of exports needs a process: signals, kills, full disks, other users. */
import assert from 'node:assert/strict';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { channelId, videoId, videos } from '../support/simulated-service.ts';
import { onlyError } from '../support/stderr.ts';
import { noUnprivileged, unprivileged } from '../support/users.ts';
import { World } from '../support/world.ts';

const line = 'uploads @a -o a.ndjson';
const rows = (to: number): string[] => Array.from({ length: to }, (_, n) => videoId(to - 1 - n));

/** A world with a channel of 25 uploads, 10 a page. */
async function worldOf(t: TestContext) {
  const world = Object.assign(await World.open(t, { pageSize: 10 }), { isReported: true });
  return { world, channel: world.service.addChannel('a', { list: videos(0, 25) }) };
}

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  test(`stopped by ${signal}: the old FILE stays, and what it says resumes with the next page`, async (t) => {
    const { world } = await worldOf(t);
    world.write('a.ndjson', 'the old one\n');
    const stopped = await world.spawn(`${line} --restart`, 3, signal);
    assert.deepEqual([stopped.exit, world.read('a.ndjson')], [exit, 'the old one\n'], stopped.stderr);
    onlyError(stopped, `stopped by ${signal}`, /\d credits? spent, 1 more possibly charged/);
    onlyError(stopped, 'run the same command without --restart to resume');
    const again = await world.run(line);
    assert.deepEqual([again.exit, again.credits, world.ids()], [0, 1, rows(25)], again.stderr);
  });

test('killed again and again while several files are written: the same command resumes all of them', async (t) => {
  const { world } = await worldOf(t);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) world.service.addChannel(name, { list: videos(0, 25) });
  const args = ['uploads', ...names.map(channelId), '--output-dir', 'lists', '--concurrency', '3'];
  let kills = 0;
  for (let at = 1; (await world.spawn(args, at)).exit !== 0; at++) kills++;
  assert.ok(kills > 2);
  // Three requests may be in flight when the process dies.
  assert.ok(world.service.charged() <= 12 + 3 * kills, `${world.service.charged()} credits, ${kills} kills`);
  for (const name of names) assert.deepEqual(world.ids(`lists/${channelId(name)}.ndjson`), rows(25));
  assert.equal(world.files('lists').length, names.length);
});

/** A limit of so many KiB for each file that is written. */
const limited = (blocks: number) => ({ within: ['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, 'bash'] });

test('files that may not be as large as FILE: 1, before anything is paid', async (t) => {
  const { world, channel } = await worldOf(t);
  await world.run(line);
  channel.list = videos(0, 55);
  const before = world.read('a.ndjson');
  const run = await world.run(`${line} --update`, limited(4096));
  assert.deepEqual([run.exit, run.credits, world.read('a.ndjson')], [1, 0, before], run.stderr);
  onlyError(run, 'larger than allowed', 'allow larger files (ulimit -f)');
  assert.equal((await world.run(`${line} --update`, limited(5000))).exit, 0);
});

test('a response that may not be as large as it can be: 1, before anything is paid', async (t) => {
  const { world } = await worldOf(t);
  world.write('a', 'old\n');
  const run = await world.run('search @a Title -o a', { ...limited(4), noSummary: true });
  onlyError(run, 'larger than allowed');
  assert.deepEqual([run.exit, run.credits, world.read('a'), world.files()], [1, 0, 'old\n', ['a']]);
});

for (const format of ['ndjson', 'json'])
  test(`a full disk below stdout, as ${format}: 1, and the page that does not fit is not counted`, async (t) => {
    const { world } = await worldOf(t);
    const stdout = openSync(join(world.folder, 'out'), 'w');
    const run = await world.run(`uploads @a -f ${format}`, { ...limited(4), stdout });
    closeSync(stdout);
    assert.deepEqual([run.exit, run.credits, run.only.entries], [1, 2, 10], run.stderr);
    onlyError(run, '2 credits spent', /resume with: .*--continuation=/);
  });

const away = ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh'];

for (const [what, within, lines, named] of [
  [
    'a folder that cannot be written',
    unprivileged,
    [
      ...['-o out', '-o out --update', '@b --output-dir .', '--output-dir new'].map(
        (flags) => `uploads @a ${flags}`,
      ),
      'search @a Title -o out',
    ],
    /permission|mounted/,
  ],
  [
    'a working directory that has been removed',
    away,
    [
      ...['uploads @a -o out', 'uploads @a --output-dir lists'],
      ...['latest @a --seen seen.txt', 'resolve --from refs.txt', 'check lists', 'show out.ndjson'],
    ],
    /exist|removed|no such/,
  ],
] as const)
  test(`${what}: 2, before any request`, { skip: within === unprivileged && noUnprivileged }, async (t) => {
    const { world } = await worldOf(t);
    if (within === unprivileged) chmodSync(world.folder, 0o555);
    chmodSync(world.home, 0o777);
    for (const each of lines) {
      const run = await world.run(each, { within, noSummary: true });
      assert.deepEqual([run.exit, run.requests], [2, []], `${each}: ${run.stderr}`);
      onlyError(run, named);
    }
    assert.deepEqual(world.files(), []);
  });
