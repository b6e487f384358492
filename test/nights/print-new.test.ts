/** `--print-new`: at least once, up to stdout, and never paid twice. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { video, videos } from '../support/simulated-service.ts';
import { onlyError } from '../support/stderr.ts';
import { idsInText } from '../support/world.ts';
import { exportedNights, idsIn, nightlyRuns, outcome, unchanged } from './fixture.ts';

test('a first export prints nothing; new entries are printed once, as they stand in FILE', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  const first = await nights.night('--print-new');
  assert.deepEqual([first.exit, first.credits, first.stdout], [0, 2, '']);
  assert.equal((await nights.night('--print-new')).stdout, '');
  const late = videos(0, 150);
  late.splice(50, 0, video('late'));
  a.list = [...videos(150, 153), ...late];
  const night = await nights.night('--print-new');
  assert.deepEqual([night.exit, night.credits, night.only.new], [0, 1, 4], night.stderr);
  assert.deepEqual(idsInText(night.stdout), [...idsIn(videos(150, 153)), 'late']);
  assert.ok(nights.read('a.ndjson').startsWith(night.stdout));
  const after = await nights.night('--print-new');
  assert.deepEqual([after.stdout, after.credits], ['', 0]);
});

test('a first export by --update prints nothing, also one that was interrupted', async (t) => {
  const nights = await nightlyRuns(t);
  for (const name of ['a', 'b']) nights.service.addChannel(name, { list: videos(0, 150) });
  assert.equal((await nights.run('uploads @a -o a.ndjson')).exit, 0);
  const line = 'uploads @b -o b.ndjson --update --print-new';
  const bound = await nights.run(`${line} --max-credits 1`);
  assert.deepEqual([bound.exit, bound.stdout], [9, '']);
  const first = await nights.run(line);
  assert.deepEqual([first.exit, first.credits, first.stdout], [0, 1, '']);
});

test('several references: one after another, whole lines', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const nights = await nightlyRuns(t, {
    references: names.map((name) => `@${name}`),
    output: '--output-dir dir',
  });
  const channels = names.map((name) =>
    nights.service.addChannel(name, { list: videos(0, 20, {}, `${name}_`) }),
  );
  assert.equal((await nights.night('--print-new')).stdout, '');
  for (const [i, channel] of channels.entries()) channel.list = videos(0, 20 + i, {}, `${names[i]}_`);
  const night = await nights.night('--print-new');
  const printed = idsInText(night.stdout).map((id) => id?.slice(0, 1));
  assert.equal(printed.length, 15);
  // Each reference's entries are together.
  const runs = printed.filter((name, i) => name !== printed[i - 1]);
  assert.deepEqual([...runs].sort(), ['b', 'c', 'd', 'e', 'f']);
});

test('stdout that fails ends the run: nothing more is bought', async (t) => {
  const output = '--output-dir dir --concurrency 1';
  const nights = await nightlyRuns(t, { references: ['@a', '@b'], output });
  const channels = ['a', 'b'].map((name) => nights.service.addChannel(name, { list: videos(0, 20) }));
  await nights.night();
  for (const channel of channels) channel.list = videos(0, 22);
  const stdout = closedPipe(nights.home);
  const failed = await nights.night('--print-new', { stdout });
  closeSync(stdout);
  assert.deepEqual([failed.exit, failed.credits, failed.errors.length], [1, 1, 1], failed.stderr);
  assert.deepEqual(failed.counts, { interrupted: 2 });
  const again = await nights.night('--print-new');
  assert.deepEqual([again.exit, again.credits, again.lines.length], [0, 1, 4], again.stderr);
});

for (const how of ['full device', 'closed pipe'] as const) {
  test(`stdout fails (${how}): 1, FILE is not replaced, printed again without paying twice`, async (t) => {
    if (how === 'full device' && !existsSync('/dev/full')) return t.skip('no /dev/full');
    const { nights, a } = await exportedNights(t, 150);
    const before = nights.read('a.ndjson');
    // The first of two pages ends with an entry that FILE has.
    a.list = videos(0, 153);
    const stdout = how === 'full device' ? openSync('/dev/full', 'w') : closedPipe(nights.home);
    const failed = await nights.night('--print-new', { stdout });
    closeSync(stdout);
    assert.deepEqual([failed.exit, failed.credits], [1, 1], failed.stderr);
    onlyError(failed, 'stdout', '1 credit spent');
    assert.equal(nights.read('a.ndjson'), before);
    const again = await nights.night('--print-new');
    assert.deepEqual([again.exit, again.credits, again.only.why], [0, 0, null], again.stderr);
    assert.deepEqual(idsInText(again.stdout), idsIn(videos(150, 153)));
    assert.deepEqual(nights.ids(), idsIn(videos(0, 153)));
    assert.equal((await nights.night('--print-new')).stdout, '');
  });
}

/** The writing end of a pipe that nobody reads any more. */
function closedPipe(folder: string): number {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  closeSync(reader);
  return writer;
}

test('an interrupted update is finished and printed: every new entry at least once', async (t) => {
  const { nights, a } = await exportedNights(t, 20);
  a.list = videos(0, 170);
  const stopped = await nights.night('--print-new --max-credits 1');
  assert.deepEqual([stopped.exit, stopped.credits], [9, 1]);
  assert.deepEqual(nights.ids(), idsIn(videos(0, 20)));
  const finished = await nights.night('--print-new');
  assert.deepEqual([finished.exit, finished.credits, finished.only.new], [0, 1, 150], finished.stderr);
  assert.equal(finished.only.why, null);
  const printed = new Set([...idsInText(stopped.stdout), ...idsInText(finished.stdout)]);
  assert.deepEqual(printed, new Set(idsIn(videos(20, 170))));
  assert.deepEqual(nights.ids(), idsIn(videos(0, 170)));
  assert.deepEqual(outcome(await nights.night('--print-new')), unchanged);
});
