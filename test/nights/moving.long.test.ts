/** Lists that change while they are read, and exports that are interrupted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedEntry, type SimulatedChannel, video, videos } from '../support/simulated-service.ts';
import { idsInText } from '../support/world.ts';
import { idsIn, type Nights, nightlyRuns, outcome, updated } from './fixture.ts';

/** Two uploads appear when the second page is requested: the last two entries of the first page are on it again. */
function moveOnce({ service }: Nights, channel: SimulatedChannel): void {
  const remove = service.on(({ operation, parameters }) => {
    if (operation !== 'uploads' || parameters.continuation === undefined) return;
    remove();
    channel.list = [video('m_2'), video('m_1'), ...channel.list];
  });
}

test('entries that move to the next page are not repeated', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  moveOnce(nights, a);
  const file = await nights.run('uploads @a -o a.ndjson');
  assert.deepEqual([file.exit, file.credits, file.only.entries], [0, 3, 250], file.stderr);
  assert.deepEqual(nights.ids(), idsIn(videos(0, 250)));
  // The two are found the night after.
  assert.deepEqual(outcome(await nights.night()), updated(2, 1));
  a.list = videos(0, 250);
  moveOnce(nights, a);
  const stdout = await nights.run('uploads @a');
  assert.deepEqual(idsInText(stdout.stdout), idsIn(videos(0, 250)));
  a.list = videos(0, 250);
  moveOnce(nights, a);
  const limited = await nights.run('uploads @a --limit 201');
  assert.deepEqual([idsInText(limited.stdout).length, limited.credits], [201, 3]);
});

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
      const whole = nights.read(name);
      if (extension === 'csv') return [whole];
      await runs(40, [...videos(30, 55), ...old], dated(40, 55, '2026-01-05T00:00:00Z'));
      return [whole, nights.read(name)];
    };
    const expected = await written([], [0]);
    assert.match(expected.at(-1) ?? '', extension === 'csv' ? /2026-01-01T/ : /2026-01-05T/);
    assert.doesNotMatch(expected.join(), /2026-02-02/);
    assert.deepEqual(await written(['--max-credits', '1'], [9, 9, 0]), expected);
  });
}
