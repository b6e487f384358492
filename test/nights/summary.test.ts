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
