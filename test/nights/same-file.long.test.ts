/** One FILE, and runs with other arguments: what is remembered describes FILE, not what a run wanted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelId, type Entry, feedEntry, video, videos } from '../support/simulated-service.ts';
import { idsIn, type Nights, nightlyRuns, outcome, unchanged, updated } from './fixture.ts';

const plain = ['uploads', '@a', '-o', 'a.ndjson'];

const memoryOf = async (nights: Nights) =>
  JSON.parse(await nights.read('.chanlist/a.ndjson.json')) as Record<string, unknown>;

/** A night with nothing new, and one with a new upload. */
async function goesOn(nights: Nights, list: Entry[], more: readonly string[] = []): Promise<void> {
  assert.deepEqual(outcome(await nights.night(more)), unchanged);
  list.unshift(video(`v_new_${list.length}`));
  assert.deepEqual(outcome(await nights.night(more)), updated(1, 1));
  assert.deepEqual(outcome(await nights.night(more)), unchanged);
}

const mistakes = [
  ['other --fields', ['uploads', '@a', '-o', 'a.ndjson', '--fields', 'videoId']],
  ['another format', ['uploads', '@a', '-o', 'a.ndjson', '-f', 'csv']],
  ['another channel', ['uploads', '@b', '-o', 'a.ndjson']],
] as const;
for (const [what, mistake] of mistakes)
  for (const isKnown of [false, true])
    test(`--update with ${what} by mistake, ${isKnown ? 'with' : 'before there is'} a memory: 2, and nothing of it stays`, async (t) => {
      const nights = await nightlyRuns(t);
      const a = nights.service.addChannel('a', { list: videos(0, 20) });
      nights.service.addChannel('b', { list: videos(100, 120) });
      assert.equal((await nights.run(plain)).credits, 1);
      if (isKnown) assert.deepEqual(outcome(await nights.night()), unchanged);
      for (let n = 0; n < 2; n++) {
        const wrong = await nights.run([...mistake, '--update']);
        assert.deepEqual([wrong.exit, wrong.credits], [2, 0], wrong.stderr);
      }
      await goesOn(nights, a.list);
      assert.deepEqual((await nights.ids()).slice(1), idsIn(videos(0, 20)));
      assert.equal((await nights.run(['check', 'a.ndjson'], { noReceipt: true })).exit, 0);
    });

for (const [was, is] of [
  ['ndjson', 'id'],
  ['json', 'id'],
  ['csv', 'id'],
  ['ndjson', 'json'],
  ['json', 'ndjson'],
  ['csv', 'json'],
  ['id', 'csv'],
  ['id', 'ndjson'],
] as const)
  test(`--update -f ${is} of a FILE in ${was}, without a memory: 2, and nothing is sent`, async (t) => {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 20) });
    await nights.run(['uploads', '@a', '-o', 'out', '-f', was]);
    const before = await nights.read('out');
    const wrong = await nights.run(['uploads', channelId('a'), '-o', 'out', '-f', is, '--update']);
    assert.deepEqual([wrong.exit, wrong.requests], [2, []], wrong.stderr);
    assert.match(wrong.stderr, new RegExp(`out was exported as ${was}, not as ${is}; `));
    assert.equal(await nights.read('out'), before);
  });

test('--restart with other --fields, another format or another channel: the nights after it update the new FILE', async (t) => {
  for (const [reference, more] of [
    ['@a', ['--fields', 'videoId']],
    ['@a', ['-f', 'csv']],
    ['@b', []],
  ] as const) {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 20) });
    nights.service.addChannel('b', { list: videos(100, 120) });
    await nights.night();
    const line = ['uploads', reference, '-o', 'a.ndjson', ...more];
    const restart = await nights.run([...line, '--restart']);
    assert.deepEqual([restart.exit, restart.credits], [0, 1], restart.stderr);
    const next = await nights.run([...line, '--update']);
    assert.deepEqual(outcome(next), unchanged, next.stderr);
    assert.equal(next.stderr, '');
    assert.equal((await nights.run(['check', 'a.ndjson'], { noReceipt: true })).exit, 0);
    const { id, format, fields, credits } = await memoryOf(nights);
    assert.deepEqual(
      [id, format, fields, credits],
      [
        channelId(reference.slice(1)),
        more[0] === '-f' ? 'csv' : 'ndjson',
        more[0] === '--fields' ? 'videoId' : null,
        { confirmed: reference === '@a' ? 2 : 1, possibly_charged: 0 },
      ],
    );
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

test('a limited --restart: IDs of the feed that the new FILE lacks are expected', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  assert.deepEqual(outcome(await nights.night()), unchanged);
  assert.equal((await nights.run([...plain, '--restart', '-n', '3'])).exit, 0);
  assert.deepEqual(outcome(await nights.night()), updated(17, 1));
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 20)));
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

test('-o FILE --restart of a handle that now leads to another channel: the known one is exported, with one warning', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  nights.service.addChannel('b', { list: videos(100, 350) });
  await nights.night();
  nights.service.handles.set('@a', channelId('b'));
  for (const days of [1, 40]) {
    nights.pass(days);
    const dry = await nights.run([...plain, '--restart', '--dry-run'], { noReceipt: true });
    const restart = await nights.run([...plain, '--restart']);
    assert.deepEqual([restart.exit, restart.credits], [0, 1], restart.stderr);
    assert.equal(restart.operations.length, days === 1 ? 1 : 2);
    assert.match(dry.stdout, days === 1 ? /videos\?channel=UCa/ : /resolve\?input=/);
    assert.deepEqual(await nights.ids(), idsIn(videos(0, 20)));
    assert.equal(restart.mail.length, days === 1 ? 0 : 1);
    assert.match(restart.stderr, days === 1 ? /^$/ : /now leads to UCb.*; change its line to UCa/);
  }
});

test('an interrupted --restart with other arguments is finished by --update with them', async (t) => {
  for (const [reference, more] of [
    ['@a', ['--fields', 'videoId']],
    ['@a', ['-f', 'csv']],
    ['@b', []],
  ] as const) {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 150) });
    nights.service.addChannel('b', { list: videos(200, 350) });
    await nights.night();
    const line = ['uploads', reference, '-o', 'a.ndjson', ...more];
    assert.equal((await nights.run([...line, '--restart', '--max-credits', '1'])).exit, 9);
    const finished = await nights.run([...line, '--update']);
    assert.deepEqual([finished.exit, finished.credits, finished.only.entries], [0, 1, 150], finished.stderr);
    assert.deepEqual(outcome(await nights.run([...line, '--update'])), unchanged);
    const { id, credits } = await memoryOf(nights);
    assert.equal(id, channelId(reference.slice(1)));
    assert.deepEqual(credits, { confirmed: reference === '@a' ? 4 : 2, possibly_charged: 0 });
  }
});

test('check reads a FILE without an extension, and without a memory, in the format that it has', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  for (const format of ['csv', 'id', 'json', 'ndjson']) {
    await nights.run(['uploads', '@a', '-o', `as-${format}`, '-f', format]);
    const { exit, stdout } = await nights.run(['check', `as-${format}`], { noReceipt: true });
    assert.deepEqual([exit, JSON.parse(stdout).entries], [0, 20], stdout);
  }
});

test('check: an interrupted --restart or update does not change how many entries FILE misses', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.night();
  const missing = async (): Promise<unknown> => {
    const { stdout } = await nights.run(['check', 'a.ndjson'], { noReceipt: true });
    const { entries, missing, problems } = JSON.parse(stdout);
    return [entries, missing, problems.length];
  };
  assert.deepEqual(await missing(), [250, 0, 0]);
  assert.equal((await nights.run([...plain, '--restart', '--max-credits', '1'])).exit, 9);
  assert.deepEqual(await missing(), [250, 0, 1]);
  assert.equal((await nights.run(plain)).exit, 0);
  a.list = [...videos(1000, 1150), ...a.list];
  assert.equal((await nights.night(['--max-credits', '1'])).exit, 9);
  assert.deepEqual(await missing(), [250, 0, 1]);
});

test('FILE without channel IDs that was replaced by hand: no entry of another list is added', async (t) => {
  const nights = await nightlyRuns(t, { output: ['-o', 'a.id', '-f', 'id'] });
  nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  const other = idsIn(videos(100, 130)).join('\n');
  await nights.write('a.id', `${other}\n`);
  const night = await nights.night();
  assert.equal(night.exit, 8);
  assert.match(night.stderr, /no entry of a\.id is in the list: it may hold another channel/);
  assert.equal(await nights.read('a.id'), `${other}\n`);
});

test('a run on another service that fails leaves the memory as it is', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  const before = await nights.read('.chanlist/a.ndjson.json');
  const line = ['uploads', channelId('a'), '-o', 'a.ndjson', '--update', '--retries', '0'];
  const other = await nights.run([...line, '--namespace', 'other']);
  assert.equal(other.exit, 5, other.stderr);
  assert.equal(await nights.read('.chanlist/a.ndjson.json'), before);
});

test('rule 3 holds for a service at another address: a page is bought a day later', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  a.feed = 500;
  const address = nights.service.url.replace('127.0.0.1', 'localhost');
  const line = ['uploads', '@a', '-o', 'a.ndjson', '--update', '--retries', '0', '--base-url', address];
  const credits: number[] = [];
  for (let night = 0; night < 4; night++) {
    credits.push((await nights.run(line)).credits);
    nights.pass(1);
  }
  assert.deepEqual(credits, [0, 1, 0, 1]);
});

test('uploads -o onto an empty FILE needs no flag, also if a memory describes it', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: [] });
  assert.equal((await nights.night()).credits, 1);
  assert.equal(await nights.read('a.ndjson'), '');
  a.list = videos(0, 3);
  const run = await nights.run(plain);
  assert.deepEqual([run.exit, run.credits], [0, 1], run.stderr);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 3)));
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
