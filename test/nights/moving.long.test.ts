/** Lists that change while they are read, and exports that are interrupted. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { feedEntry, type SimulatedChannel, video, videos } from '../support/simulated-service.ts';
import { idsIn, idsOf, type Night, type Nights, nightlyRuns, outcome, updated } from './fixture.ts';

const extensions = ['ndjson', 'csv', 'json', 'txt'] as const;

/** Two uploads appear when the second page is requested: the last two entries of the first page are on it again. */
function moveOnce({ service }: Nights, channel: SimulatedChannel): void {
  const remove = service.on(({ operation, parameters }) => {
    if (operation !== 'uploads' || parameters.continuation === undefined) return;
    remove();
    channel.list = [video('m_2'), video('m_1'), ...channel.list];
  });
}

const exportTo = (name: string): string[] => [
  'uploads',
  '@a',
  '-o',
  name,
  '-f',
  name.endsWith('txt') ? 'id' : name.slice(name.indexOf('.') + 1),
];

/** What an uninterrupted run writes. */
async function uninterrupted(t: TestContext, name: string, entries: number): Promise<string> {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, entries) });
  moveOnce(nights, a);
  const whole = await nights.run(exportTo(name));
  assert.deepEqual([whole.exit, whole.stderr], [0, '']);
  return nights.read(name);
}

test('entries that move to the next page are not repeated', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  moveOnce(nights, a);
  const file = await nights.run(['uploads', '@a', '-o', 'a.ndjson']);
  assert.deepEqual([file.exit, file.credits, file.only.entries], [0, 3, 250], file.stderr);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 250)));
  // The two are found the night after.
  assert.deepEqual(outcome(await nights.night()), updated(2, 1));
  a.list = videos(0, 250);
  moveOnce(nights, a);
  const stdout = await nights.run(['uploads', '@a']);
  assert.deepEqual(idsOf(stdout.stdout), idsIn(videos(0, 250)));
  a.list = videos(0, 250);
  moveOnce(nights, a);
  const limited = await nights.run(['uploads', '@a', '--limit', '201']);
  assert.deepEqual([idsOf(limited.stdout).length, limited.credits], [201, 3]);
});

test('an export that is resumed after the list has moved by more than a page keeps each entry once', async (t) => {
  for (const name of ['a.ndjson', 'a.csv', 'a.json']) {
    const nights = await nightlyRuns(t, { pageSize: 10 });
    const a = nights.service.addChannel('a', { list: videos(0, 45) });
    const line = ['uploads', '@a', '-o', name];
    assert.equal((await nights.run([...line, '--max-credits', '2'])).exit, 9);
    a.list = videos(0, 70);
    const resumed = await nights.run(line);
    assert.deepEqual([resumed.exit, resumed.only.entries], [0, 50], resumed.stderr);
    const check = await nights.run(['check', name], { noReceipt: true });
    assert.equal(check.exit, 0, check.stdout);
    // The third page now starts with five videos that are new.
    const list = [...videos(25, 45), ...videos(45, 50), ...videos(0, 25)];
    if (name === 'a.ndjson') assert.deepEqual(await nights.ids(), idsIn(list));
  }
});

test('an update on a moving list keeps each entry once', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 50) });
  await nights.night();
  a.list = videos(0, 200);
  moveOnce(nights, a);
  assert.deepEqual(outcome(await nights.night()), updated(150, 2));
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 200)));
  assert.deepEqual(outcome(await nights.night()), updated(2, 1));
});

test('an update that is resumed after the list has moved by more than a page keeps each entry once', async (t) => {
  const nights = await nightlyRuns(t, { pageSize: 10 });
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  a.list = videos(0, 50);
  const stopped = await nights.night(['--max-credits', '2']);
  assert.deepEqual([stopped.exit, stopped.credits], [9, 2]);
  a.list = videos(0, 70);
  // The token's page now holds what the first page held; what is new since is found by the update that follows.
  assert.equal((await nights.night()).exit, 0);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 70)));
});

for (const extension of extensions) {
  const name = `a.${extension}`;
  test(`${extension}: stopped by the budget after each page, the bytes are those of an uninterrupted run`, async (t) => {
    const whole = await uninterrupted(t, name, 350);
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: videos(0, 350) });
    moveOnce(nights, a);
    const exits: (number | null)[] = [];
    for (let n = 0; n < 4; n++)
      exits.push((await nights.run([...exportTo(name), '--max-credits', '1'])).exit);
    assert.deepEqual(exits, [9, 9, 9, 0]);
    assert.equal(await nights.read(name), whole);
    assert.equal(nights.service.charged(), 4);
  });
}

for (const extension of ['ndjson', 'csv'] as const) {
  const name = `a.${extension}`;
  test(`${extension}: resumed with the dates and the columns of its first night, the bytes are those of an uninterrupted run`, async (t) => {
    const line = ['uploads', '@a', '-o', name, '--fields', '*,@published'];
    const dated = (from: number, to: number, published: string) =>
      videos(from, to).map(({ videoId }) => feedEntry(String(videoId), { published }));
    /** The first export and an update, each in as many runs; the dates of the feed change between them. */
    const written = async (budget: readonly string[], exits: readonly number[]) => {
      const nights = await nightlyRuns(t, { pageSize: 10 });
      const a = nights.service.addChannel('a');
      const runs = async (first: number, list: typeof a.list, feed: typeof a.feed) => {
        [a.list, a.feed] = [list, feed];
        const update = first === 15 ? [] : ['--update'];
        for (const exit of exits) {
          const { exit: ended, stderr } = await nights.run([...line, ...update, ...budget]);
          assert.equal(ended, exit, stderr);
          a.feed = dated(first, first + 15, '2026-02-02T00:00:00Z');
        }
        nights.pass(1);
      };
      // Fields that the list of fields of the first page does not have follow on later pages.
      const old = videos(0, 30).map((entry, i) => ({ ...entry, ...(i < 10 ? { extra: i } : { later: i }) }));
      await runs(15, old, dated(15, 30, '2026-01-01T00:00:00Z'));
      const whole = await nights.read(name);
      await runs(40, [...videos(30, 55), ...old], dated(40, 55, '2026-01-05T00:00:00Z'));
      return [whole, await nights.read(name)];
    };
    const expected = await written([], [0]);
    assert.match(expected[1] ?? '', /2026-01-05T00:00:00Z/);
    assert.doesNotMatch(expected.join(), /2026-02-02/);
    assert.deepEqual(await written(['--max-credits', '1'], [9, 9, 0]), expected);
  });
}

test('killed with a page in flight, at each page: at most that page is paid again, the bytes are the same', async (t) => {
  const whole = await uninterrupted(t, 'a.ndjson', 350);
  for (const page of [1, 2, 3, 4]) {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: videos(0, 350) });
    moveOnce(nights, a);
    const killed = await killAtPage(nights, page, exportTo('a.ndjson'));
    assert.equal(killed.signal, 'SIGKILL');
    const resumed = await nights.run(exportTo('a.ndjson'));
    assert.deepEqual([resumed.exit, resumed.credits], [0, 5 - page], resumed.stderr);
    assert.equal(resumed.only.resumed, [0, 100, 198, 298][page - 1]);
    assert.equal(await nights.read('a.ndjson'), whole);
  }
});

/** Runs the program and kills it while so many pages have been requested and the last one has not been answered. */
async function killAtPage({ service, run }: Nights, page: number, args: readonly string[]): Promise<Night> {
  let child: ChildProcess | undefined;
  let pages = 0;
  service.failPaid(page, 'hang');
  const remove = service.on(({ operation }) => {
    if (operation === 'uploads' && ++pages === page) child?.kill('SIGKILL');
  });
  const started = (process: ChildProcess): void => {
    child = process;
  };
  const night = await run(args, { started });
  remove();
  return night;
}

test('a killed update: its entries are in the receipt of the next night', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.night();
  a.list = videos(0, 170);
  const killed = await killAtPage(nights, 2, ['uploads', '@a', '-o', 'a.ndjson', '--update']);
  nights.pass(1);
  assert.deepEqual([killed.signal, killed.receipt?.exit], ['SIGKILL', null]);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 20)));
  const after = await nights.night();
  assert.deepEqual(
    [after.exit, after.credits, after.only.new, after.only.resumed],
    [0, 1, 150, 100],
    after.stderr,
  );
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 170)));
});

test('FILE that cannot be read midway, after a page was paid: 1, and the same command resumes at no cost', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.night();
  a.list.unshift(video('new'));
  const [file, away] = ['a.ndjson', 'away'].map((name) => join(nights.folder, name)) as [string, string];
  const off = nights.service.on(async ({ operation }) => {
    if (operation !== 'uploads') return;
    await rename(file, away);
    await mkdir(file);
  });
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits, night.mail.length], [1, 1, 1], night.stderr);
  assert.match(night.stderr, /1 credit spent/);
  off();
  await rmdir(file);
  await rename(away, file);
  assert.deepEqual(outcome(await nights.night()), updated(1, 0));
  assert.deepEqual(await nights.ids(), ['new', ...idsIn(videos(0, 150))]);
});
