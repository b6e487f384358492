/** Rules 3 and 4 over many nights (product.md, Exports). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedEntry, feedOf, videos } from '../support/simulated-service.ts';
import { type Night, nightlyRuns } from './fixture.ts';

test('rules 3 and 4: 16 nights of a feed that stays empty cost 4 pages, a dead ID in the feed costs 5, then none', async (t) => {
  const nights = await nightlyRuns(t, { references: ['@empty', '@dead'], output: ['--output-dir', 'dir'] });
  const [empty, dead] = ['empty', 'dead'].map((name) =>
    nights.service.addChannel(name, { list: videos(0, 150) }),
  );
  assert.ok(empty && dead);
  await nights.night();
  empty.feed = 'empty';
  dead.feed = [feedEntry('dead'), ...feedOf(dead.list)].slice(0, 15);
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits], [7, 1], first.stderr);
  const all: Night[] = [];
  for (let n = 0; n < 19; n++) all.push(await nights.night());
  const bought = (id: string): number[] =>
    all.map(({ requests }) => requests.filter(({ list, credits }) => list === id && credits > 0).length);
  const [ofEmpty, ofDead] = [bought(empty.id), bought(dead.id)];
  // 1 day after the first look, and 2, 4 and 8 days after that before.
  const days = [1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
  assert.deepEqual([ofEmpty, ofDead], [days, days]);
  for (const [n, { exit, stderr, receipt }] of all.entries()) {
    assert.equal(exit, 0, stderr);
    const [withoutFeed, withDead] = receipt?.references ?? [];
    if (ofEmpty[n] === 0) assert.equal(withoutFeed?.status, 'unchecked');
    assert.equal(typeof withoutFeed?.why, ofEmpty[n] === 0 ? 'object' : 'string');
    assert.equal(withDead?.status, 'unchanged');
    assert.equal(typeof withDead?.why, ofDead[n] === 0 ? 'object' : 'string');
  }
  nights.pass(60);
  const late = await nights.night();
  assert.deepEqual(
    late.requests.filter(({ credits }) => credits > 0).map(({ list }) => list),
    [empty.id],
  );
});
