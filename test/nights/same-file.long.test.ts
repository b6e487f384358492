/** One FILE, and runs with other arguments: the record describes FILE, and nothing is discarded before its time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelId, type Entry, feedEntry, video, videos } from '../support/simulated-service.ts';
import { onlyWarning } from '../support/stderr.ts';
import { idsIn, type Nights, nightlyRuns, outcome, unchanged, updated } from './fixture.ts';

const plain = ['uploads', '@a', '-o', 'a.ndjson'];

/** A night with nothing new, and one with a new upload. */
async function goesOn(nights: Nights, list: Entry[], more: readonly string[] = []): Promise<void> {
  assert.deepEqual(outcome(await nights.night(more)), unchanged);
  list.unshift(video(`v_new_${list.length}`));
  assert.deepEqual(outcome(await nights.night(more)), updated(1, 1));
  assert.deepEqual(outcome(await nights.night(more)), unchanged);
}

/** Whether `check` finds nothing wrong. */
const isWell = async (nights: Nights): Promise<boolean> =>
  (await nights.run(['check', 'a.ndjson'], { noReceipt: true })).exit === 0;

for (const [what, mistake] of [
  ['other --fields', ['uploads', '@a', '-o', 'a.ndjson', '--fields', 'videoId']],
  ['another format', ['uploads', '@a', '-o', 'a.ndjson', '-f', 'csv']],
  ['another channel', ['uploads', '@b', '-o', 'a.ndjson']],
] as const)
  test(`--update with ${what} by mistake: 2, and nothing of it stays`, async (t) => {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: videos(0, 20) });
    nights.service.addChannel('b', { list: videos(100, 120) });
    await nights.night();
    for (let n = 0; n < 2; n++) {
      const wrong = await nights.run([...mistake, '--update']);
      assert.deepEqual([wrong.exit, wrong.credits], [2, 0], wrong.stderr);
    }
    await goesOn(nights, a.list);
    assert.deepEqual((await nights.ids()).slice(1), idsIn(videos(0, 20)));
    assert.ok(await isWell(nights));
  });

test('--restart with other --fields or another format: the nights after it update the new FILE', async (t) => {
  for (const more of [
    ['--fields', 'videoId'],
    ['-f', 'csv'],
  ]) {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 150) });
    await nights.night();
    const stopped = await nights.run([...plain, ...more, '--restart', '--max-credits', '1']);
    assert.equal(stopped.exit, 9, stopped.stderr);
    const restart = await nights.run([...plain, ...more, '--restart']);
    assert.deepEqual([restart.exit, restart.credits, restart.only.entries], [0, 1, 150], restart.stderr);
    const next = await nights.run([...plain, ...more, '--update']);
    assert.deepEqual(outcome(next), unchanged, next.stderr);
    assert.ok(await isWell(nights));
  }
});

test('a folder exported again with other --fields is updated with them', async (t) => {
  const nights = await nightlyRuns(t, { output: ['--output-dir', 'dir'] });
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  const fields = ['--fields', 'videoId,title'];
  assert.equal((await nights.run(['uploads', '@a', '--output-dir', 'dir', ...fields, '--restart'])).exit, 0);
  await goesOn(nights, a.list, fields);
});

test('--restart of a reference that never was in FILE: 404 is a spelling mistake, and FILE has not vanished', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  const wrong = await nights.run(['uploads', '@typo', '-o', 'a.ndjson', '--restart']);
  assert.deepEqual([wrong.exit, wrong.credits], [5, 0]);
  assert.doesNotMatch(wrong.stderr, /gone/);
  assert.deepEqual(outcome(await nights.night()), unchanged);
});

test('-o FILE --restart of a handle that now resolves to another channel: the known one, and a warning', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  nights.service.addChannel('b', { list: videos(100, 350) });
  await nights.night();
  nights.service.handles.set('@a', channelId('b'));
  const soon = await nights.run([...plain, '--restart']);
  assert.deepEqual([soon.exit, soon.credits, soon.stderr], [0, 1, '']);
  nights.pass(40);
  for (let n = 0; n < 2; n++) {
    const restart = await nights.run([...plain, '--restart']);
    assert.deepEqual([restart.exit, restart.credits], [0, 1], restart.stderr);
    assert.deepEqual(await nights.ids(), idsIn(videos(0, 20)));
    onlyWarning(restart, channelId('a'), channelId('b'));
  }
});

test('--restart: FILE is replaced only once the new pages are there, an interrupted export once there is one', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  assert.equal((await nights.run([...plain, '--max-credits', '2'])).credits, 2);
  nights.service.failPaid(1, 500);
  const failed = await nights.run([...plain, '--restart', '--retries', '0']);
  assert.deepEqual([failed.exit, failed.credits], [7, 0], failed.stderr);
  const resumed = await nights.run(plain);
  assert.deepEqual([resumed.exit, resumed.credits], [0, 1], resumed.stderr);
  a.list = [...videos(240, 255), ...videos(0, 230)];
  const seen: unknown[] = [];
  nights.service.on(async ({ operation }) => {
    if (operation === 'uploads') seen.push((await nights.ids()).length);
  });
  const restart = await nights.run([...plain, '--restart']);
  assert.deepEqual([restart.exit, restart.credits, seen], [0, 3, [250, 250, 250]], restart.stderr);
  assert.deepEqual(await nights.ids(), idsIn(a.list));
});

test('--output-dir keeps complete exports, exports the others, and warns once', async (t) => {
  const nights = await nightlyRuns(t);
  for (const name of ['a', 'b', 'c', 'd']) nights.service.addChannel(name, { list: videos(0, 150) });
  const into = ['--output-dir', 'dir'];
  assert.equal((await nights.run(['uploads', '@a', '@b', ...into])).credits, 4);
  const more = await nights.run(['uploads', '@a', '@c', '@b', '@d', ...into]);
  assert.deepEqual([more.exit, more.credits], [0, 4], more.stderr);
  onlyWarning(more, '2 ', '--update');
  assert.deepEqual(
    more.receipt?.references.map(({ status }) => status),
    ['kept', 'complete', 'kept', 'complete'],
  );
  assert.deepEqual(more.counts, { kept: 2, complete: 2 });
  const kept = await nights.run(['uploads', '@a', '@c', '@b', '@d', ...into]);
  assert.deepEqual([kept.exit, kept.credits, kept.counts], [0, 0, { kept: 4 }]);
});

test('check: an interrupted --restart or update does not change how many entries FILE misses', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  a.numVideos = '260';
  await nights.night();
  const missing = async (): Promise<unknown> => {
    const { stdout } = await nights.run(['check', 'a.ndjson'], { noReceipt: true });
    const { entries, missing, problem } = JSON.parse(stdout);
    return [entries, missing, problem?.code ?? null];
  };
  assert.deepEqual(await missing(), [250, 10, null]);
  assert.equal((await nights.run([...plain, '--restart', '--max-credits', '1'])).exit, 9);
  assert.deepEqual(await missing(), [250, 10, 'interrupted']);
  assert.equal((await nights.run([...plain, '--restart'])).exit, 0);
  a.list = [...videos(1000, 1150), ...a.list];
  assert.equal((await nights.night(['--max-credits', '1'])).exit, 9);
  assert.deepEqual(await missing(), [250, 10, 'interrupted']);
});

test('--restart with @published: FILE may be damaged, or have other fields or another format; its dates are kept', async (t) => {
  const fields = ['--fields', 'videoId,@published'];
  const dates = (text: string): number => text.match(/2026-0\d-\d\dT/g)?.length ?? 0;
  for (const [what, more] of [
    ['fields', ['--fields', 'videoId,title,@published']],
    ['format', ['-f', 'csv', ...fields]],
    ['format', ['-f', 'json', ...fields]],
    ['damaged', fields],
  ] as const) {
    const nights = await nightlyRuns(t);
    const list = videos(0, 20);
    const a = nights.service.addChannel('a', { list });
    a.feed = list
      .slice(0, 15)
      .map(({ videoId }) => feedEntry(`${videoId}`, { published: '2026-02-01T00:00:00Z' }));
    await nights.run([...plain, ...fields]);
    const text = await nights.read('a.ndjson');
    assert.equal(dates(text), 15);
    if (what === 'damaged') await nights.write('a.ndjson', text.slice(0, -5));
    a.feed = [];
    const restart = await nights.run([...plain, ...more, '--restart']);
    assert.deepEqual([restart.exit, restart.credits], [0, 1], restart.stderr);
    assert.equal(dates(await nights.read('a.ndjson')), 15, what);
  }
});
