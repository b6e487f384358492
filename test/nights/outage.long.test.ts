/** What a failure stops, and how much mail it makes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { videos } from '../support/simulated-service.ts';
import { statuses } from '../support/summary.ts';
import { idsIn, nightlyRuns } from './fixture.ts';

const into = ['--output-dir', 'dir', '--concurrency', '1'];

const names = (count: number, prefix = 'c'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`);

test('five feeds in a row with 500 end the run, with 404 they do not; no paid request', async (t) => {
  const all = names(9);
  const nights = await nightlyRuns(t, { references: all.map((name) => `@${name}`), output: into });
  const channels = all.map((name) => nights.service.addChannel(name, { list: videos(0, 20) }));
  await nights.night();
  for (const [feed, checked] of [
    [500, 5],
    [404, 9],
  ] as const) {
    for (const channel of channels) channel.feed = feed;
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits], [7, 0], night.stderr);
    assert.equal(night.operations.filter((operation) => operation === 'latest').length, checked);
    assert.deepEqual(night.counts, { failed: checked, ...(checked < 9 && { interrupted: 9 - checked }) });
    if (feed === 404) assert.match(night.stderr, /address/);
    // Those that failed come last: the next run ends at others. One outage is one line.
    else {
      assert.match(
        night.mail.join('\n'),
        /^[^\n]*5 references [^\n]*; stopped, 4 more not reached; [^\n]*\(1 credit each\)$/,
      );
      assert.equal((await nights.night()).mail.length, 1);
    }
  }
});

test('a spent budget stops paid requests, not checks', async (t) => {
  const nights = await nightlyRuns(t, { references: ['@a', '@b', '@c', '@d'], output: into });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => nights.service.addChannel(name, { list: videos(0, 150) }));
  const d = nights.service.addChannel('d', { list: videos(0, 150) });
  await nights.night();
  if (a) a.list = videos(0, 300);
  if (c) c.list = videos(0, 151);
  const night = await nights.night('--max-credits 1');
  assert.deepEqual([night.exit, night.credits], [9, 1], night.stderr);
  assert.deepEqual(statuses(night.summary), ['interrupted 9', 'unchanged', 'interrupted 9', 'unchanged']);
  const looked = night.requests.filter(({ operation }) => operation === 'latest').map(({ list }) => list);
  assert.ok(looked.includes(b?.id ?? null) && looked.includes(d.id));
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 2], next.stderr);
  assert.deepEqual(nights.ids(`dir/${a?.id}.ndjson`), idsIn(videos(0, 300)));
});
