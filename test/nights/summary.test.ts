/** Summaries of nights: `--summary`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedEntry, feedOf, videos } from '../support/simulated-service.ts';
import { nightlyRuns } from './fixture.ts';

test('counts, credits, new and why of each reference', async (t) => {
  const nights = await nightlyRuns(t, {
    references: '@a @b @c @d @none',
    output: '--output-dir dir --concurrency 1',
  });
  const [a, b, c] = ['a', 'b', 'c', 'd'].map((name) =>
    nights.service.addChannel(name, { list: videos(0, 150) }),
  );
  assert.deepEqual((await nights.night()).counts, { complete: 4, failed: 1 });
  if (a) a.list = videos(0, 250);
  if (b) b.feed = [feedEntry('dead'), ...feedOf(b.list)];
  if (c) c.feed = 404;
  const night = await nights.night();
  assert.equal(night.exit, 7, night.stderr);
  assert.deepEqual(
    night.summary?.references.map(({ reference, status, pages, credits, exit, why, ...rest }) =>
      [reference, status, pages, credits.confirmed, rest.resumed, rest.new ?? 0, exit, typeof why].join(' '),
    ),
    [
      '@a complete 2 2 0 100  object',
      '@b unchanged 1 1 0 0  string',
      '@c failed 0 0 0 0 7 object',
      '@d unchanged 0 0 0 0  object',
      '@none failed 0 0 0 0 5 object',
    ],
  );
  assert.deepEqual(night.counts, { complete: 1, unchanged: 2, failed: 2 });
  assert.deepEqual(night.summary?.credits, { confirmed: 3, possibly_charged: 0 });
  const [first] = night.summary?.references ?? [];
  assert.deepEqual([first?.id, first?.file?.endsWith(`dir/${a?.id}.ndjson`)], [a?.id, true]);
});

test('the check of an export that took several runs has the time of its first page', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 150) });
  for (const exit of [9, 0]) {
    assert.equal((await nights.run('uploads @a -o a.ndjson --max-credits 1')).exit, exit);
    nights.pass(1);
  }
  const { stdout } = await nights.run('check a.ndjson', { noSummary: true });
  assert.equal(JSON.parse(stdout).checked.slice(0, 16), '2026-03-01T03:00');
});

test('possibly charged: a page without a complete response', async (t) => {
  for (const [fault, charged] of [
    ['truncate', 1],
    ['reset', 0],
    ['reset-charged', 1],
  ] as const) {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 150) });
    nights.service.failPaid(2, fault);
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits], [7, 1 + charged], night.stderr);
    assert.deepEqual(night.summary?.credits, { confirmed: 1, possibly_charged: 1 });
    const after = await nights.night();
    assert.deepEqual([after.exit, after.credits], [0, 1], after.stderr);
  }
});
