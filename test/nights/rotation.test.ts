/** The rotation of docs/cron.md: `--update --all` under a bound per day reads every list whole equally often. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { videos } from '../support/simulated-service.ts';
import { nightlyRuns } from './fixture.ts';

test('60 nights of --update --all --max-credits 20/day over 40 channels read each list whole 15 times', async (t) => {
  const output = '--output-dir dir --concurrency 1';
  const nights = await nightlyRuns(t, { pageSize: 10, references: '--from refs.txt', output });
  const { service } = nights;
  // One page, or three: 80 pages, so that lists are interrupted at the end of a night.
  const channels = Array.from({ length: 40 }, (_, n) =>
    service.addChannel(`c${n}`, { list: videos(0, 5 + 20 * (n % 2), {}, `c${n}_`) }),
  );
  nights.write('refs.txt', channels.map(({ id }) => `${id}\n`).join(''));
  assert.equal((await nights.night()).credits, 80);
  const before = service.log.length;
  for (let n = 0; n < 60; n++) {
    const night = await nights.night('--all --max-credits 20/day');
    assert.deepEqual([night.exit, night.credits, night.mail.length], [9, 20, 1], night.stderr);
    // Once no page can be bought, no feed is requested.
    assert.ok(night.operations.length <= 20 + 21, night.operations.join());
  }
  const bought = service.log.slice(before).filter(({ credits }) => credits > 0);
  const pagesOf = (id: string): number => bought.filter(({ list }) => list === id).length;
  assert.deepEqual(
    channels.map(({ id }) => pagesOf(id)),
    Array(20).fill([15, 45]).flat(),
  );
  // Between two readings of a list, every other one is read: never a list twice before all others.
  const starts = bought.filter(({ parameters }) => parameters.channel !== undefined).map(({ list }) => list);
  for (let round = 0; round < 15; round++)
    assert.equal(new Set(starts.slice(40 * round, 40 * round + 40)).size, 40);
});

test('plain updates between the nights of --all do not change whose turn it is', async (t) => {
  const output = '--output-dir dir --concurrency 1';
  const nights = await nightlyRuns(t, { references: '@a @b @c', output });
  for (const name of ['a', 'b', 'c']) nights.service.addChannel(name, { list: videos(0, 5, {}, `${name}_`) });
  await nights.night();
  const read: unknown[] = [];
  for (let n = 0; n < 6; n++) {
    assert.equal((await nights.night()).credits, 0);
    const before = nights.service.log.length;
    await nights.night('--all --max-credits 1/day');
    const bought = nights.service.log.slice(before).filter(({ credits }) => credits > 0);
    read.push(...bought.map(({ list }) => list));
  }
  assert.equal(new Set(read.slice(0, 3)).size, 3);
  assert.deepEqual(read.slice(3), read.slice(0, 3));
});
