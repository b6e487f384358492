/** What the records of a folder make possible, and what their loss costs. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { channelId, videos } from '../support/simulated-service.ts';
import { onlyError, onlyWarning } from '../support/stderr.ts';
import type { WorldRun } from '../support/world.ts';
import { exportedNights, idsIn, nightlyRuns } from './fixture.ts';

const fileOf = (name: string) => `dir/${channelId(name)}.ndjson`;

/** A folder with exports of @a and @b (150 entries each), and the night after. */
async function twoChannels(t: TestContext) {
  const nights = await nightlyRuns(t, {
    references: '--from refs.txt',
    output: '--output-dir dir --concurrency 1',
  });
  nights.write('refs.txt', '@a\n@b\n');
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  const b = nights.service.addChannel('b', { list: videos(0, 150) });
  assert.equal((await nights.night()).credits, 4);
  const second = await nights.night();
  assert.deepEqual([second.exit, second.credits, second.stderr], [0, 0, '']);
  return { nights, a, b };
}

test('a handle that now resolves to another channel: no request for that channel, no paid request', async (t) => {
  const { nights, a } = await twoChannels(t);
  const stranger = nights.service.addChannel('stranger', { handle: '@a', list: videos(0, 500, {}, 's_') });
  a.list = videos(0, 151);
  nights.pass(31);
  const late = await nights.night();
  assert.deepEqual([late.exit, late.credits], [0, 1], late.stderr);
  onlyWarning(late, 'refs.txt:1', '@a', a.id, stranger.id);
  assert.deepEqual(nights.ids(fileOf('a')), idsIn(videos(0, 151)));
  // The known one vanishes as well: no page of the other channel is requested.
  a.gone = true;
  for (let n = 0; n < 3; n++) assert.equal((await nights.night()).credits, 0);
  nights.pass(31);
  for (let n = 0; n < 3; n++) assert.equal((await nights.night()).credits, 0);
  assert.deepEqual(
    nights.service.log.filter(({ list, operation }) => list === stranger.id && operation === 'uploads'),
    [],
  );
  assert.deepEqual(nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

for (const status of [404, 500])
  test(`a night in which each handle is ${status}: the known channels are updated; of 404 one line for all of them, in every run`, async (t) => {
    const { nights, a } = await twoChannels(t);
    nights.pass(31);
    a.list = videos(0, 151);
    nights.service.fault = ({ operation }) => (operation === 'resolve' ? status : null);
    for (const credits of [1, 0]) {
      const night = await nights.night();
      assert.deepEqual([night.exit, night.credits], [0, credits], night.stderr);
      if (status === 500) assert.equal(night.stderr, '');
      else onlyWarning(night, '2 references (refs.txt:1 @a, refs.txt:2 @b)', 'no longer resolves', a.id);
    }
    assert.deepEqual(nights.ids(fileOf('a')), idsIn(videos(0, 151)));
    nights.service.fault = () => null;
    assert.equal((await nights.night()).stderr, '');
  });

test('a channel that vanished: gone since its last successful check, in every run; the others are updated', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.service.handles.delete('@a');
  a.gone = true;
  // Its feed is 404: no news for a week, then its page is requested, and is 404, too.
  for (let n = 0; n < 5; n++) {
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits, night.counts], [7, 0, { failed: 1, unchanged: 1 }]);
  }
  nights.pass(2);
  for (let n = 0; n < 3; n++) {
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits], [5, 0], night.stderr);
    onlyError(night, 'refs.txt:1', 'gone: last seen on 2026-03-02');
    const [first, second] = night.summary?.references ?? [];
    assert.deepEqual([first?.status, first?.exit, second?.status], ['failed', 5, 'unchanged']);
  }
  // Its handle is resolved again: that it has none is no second line.
  nights.pass(31);
  assert.equal((await nights.night()).mail.length, 1);
  nights.service.handles.set('@a', a.id);
  a.gone = false;
  a.list = videos(0, 151);
  const back = await nights.night();
  assert.deepEqual([back.exit, back.credits], [0, 1], back.stderr);
  assert.deepEqual(nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('a reference that was never found has no record, and check reports no problem', async (t) => {
  const nights = await nightlyRuns(t, { output: '--output-dir dir' });
  nights.service.addChannel('a', { list: videos(0, 20) });
  const typo = await nights.run(['uploads', '@a', channelId('typo'), '--output-dir', 'dir']);
  assert.deepEqual([typo.exit, typo.credits], [5, 1], typo.stderr);
  const check = await nights.run('check dir');
  assert.deepEqual([check.exit, check.lines.length], [0, 1], check.stdout);
});

test('references that were interrupted last time come first', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.list = videos(0, 151);
  b.list = videos(0, 290);
  const first = await nights.night('--max-credits 2');
  assert.deepEqual([first.exit, first.credits], [9, 2]);
  a.list = videos(0, 152);
  // One that was never checked comes after it.
  nights.service.addChannel('c', { list: videos(0, 5) });
  nights.write('refs.txt', '@c\n@a\n@b\n');
  const second = await nights.night('--max-credits 1');
  assert.deepEqual([second.exit, second.credits], [9, 1]);
  assert.equal(pageOf(second), b.id);
  const third = await nights.night('--max-credits 2');
  assert.deepEqual([third.exit, third.credits], [0, 2]);
});

test('references that were checked longest ago come first, those that failed last time last', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  assert.equal((await nights.run('uploads @a --output-dir dir --update')).exit, 0);
  nights.pass(1);
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  assert.equal(pageOf(await nights.night('--max-credits 1')), b.id);
  // Now @a is the one that was checked before.
  assert.equal(pageOf(await nights.night('--max-credits 1')), a.id);
  b.feed = 500;
  assert.equal((await nights.night()).exit, 7);
  b.feed = 'list';
  a.list = videos(0, 152);
  b.list = videos(0, 152);
  assert.equal(pageOf(await nights.night('--max-credits 1')), a.id);
});

/** The channel of the first page of a run. */
const pageOf = ({ requests }: WorldRun): string | null | undefined =>
  requests.find(({ operation }) => operation === 'uploads')?.list;

test('a run that ends early does not overwrite a record that another run has written', async (t) => {
  const { nights, a, b } = await twoChannels(t);
  a.list = videos(0, 151);
  b.list = videos(0, 151);
  const remove = nights.service.on(async ({ operation, list }) => {
    if (operation !== 'uploads' || list !== a.id) return;
    remove();
    const other = await nights.run('uploads @b --output-dir dir --update', { noSummary: true });
    assert.deepEqual([other.exit, other.stderr], [0, '']);
    nights.service.fault = ({ operation }) => (operation === 'uploads' ? 402 : null);
  });
  const night = await nights.night([], { noSummary: true });
  assert.deepEqual([night.exit, night.credits], [4, 1], night.stderr);
  const check = await nights.run('check dir -q');
  assert.doesNotMatch(check.stdout, /"(?:lost|damaged)"/);
  assert.deepEqual(nights.ids(fileOf('b')), idsIn(videos(0, 151)));
  nights.service.fault = () => null;
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 1]);
});

test('two references to one channel are one', async (t) => {
  const { nights, a } = await twoChannels(t);
  nights.write('refs.txt', `@a\n@b\n${a.id}\n`);
  a.list = videos(0, 151);
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [0, 1], night.stderr);
  assert.equal(night.stderr, '');
  assert.deepEqual(nights.ids(fileOf('a')), idsIn(videos(0, 151)));
});

test('a FILE name that is too long for its record is 2, nothing is sent', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 5) });
  const long = await nights.run(['uploads', channelId('a'), '-o', `${'x'.repeat(250)}.ndjson`]);
  assert.deepEqual([long.exit, long.requests], [2, []], long.stderr);
  const fits = await nights.run(['uploads', channelId('a'), '-o', `${'x'.repeat(240)}.ndjson`]);
  assert.equal(fits.exit, 0, fits.stderr);
});

test('--restart with a reference that was never exported: its 404 is not_found, not gone', async (t) => {
  const { nights } = await exportedNights(t, 20);
  const wrong = await nights.run('uploads @typo -o a.ndjson --restart');
  assert.deepEqual([wrong.exit, wrong.credits], [5, 0]);
  assert.doesNotMatch(wrong.stderr, /gone/);
  assert.equal((await nights.night()).only.status, 'unchanged');
});

test('-o FILE --restart of a handle that now resolves to another channel: the known one, and a warning', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  nights.service.addChannel('b', { list: videos(100, 350) });
  await nights.night();
  nights.service.handles.set('@a', channelId('b'));
  const soon = await nights.run('uploads @a -o a.ndjson --restart');
  assert.deepEqual([soon.exit, soon.credits, soon.stderr], [0, 1, '']);
  nights.pass(40);
  for (let n = 0; n < 2; n++) {
    const restart = await nights.run('uploads @a -o a.ndjson --restart');
    assert.deepEqual([restart.exit, restart.credits], [0, 1], restart.stderr);
    assert.deepEqual(nights.ids(), idsIn(videos(0, 20)));
    onlyWarning(restart, channelId('a'), channelId('b'));
  }
});
