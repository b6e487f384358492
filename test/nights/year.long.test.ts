import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedEntry, short, video } from '../support/simulated-service.ts';
import { long, nightlyRuns } from './fixture.ts';

const day = 24 * 60 * 60 * 1000;

/** A channel that posts a Short a day and a video a week: a video costs a credit, a Short none. */
const [count, videos] = long ? [365, 52] : [60, 8];
test(`${count} nights with a Short per day and a video per week cost ${videos} credits`, async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: [video('old_2'), video('old_1')] });
  const feed = [feedEntry('old_2'), feedEntry('old_1')];
  a.feed = feed;
  await nights.night();
  const baseline = nights.service.charged();
  for (let n = 1; n <= count; n++) {
    const published = `${new Date(nights.now.getTime() - day / 2).toISOString().slice(0, 19)}Z`;
    feed.unshift({ ...short(`short_${n}`), published });
    if (n % 7 === 0) {
      a.list.unshift(video(`video_${n}`));
      feed.unshift(feedEntry(`video_${n}`, { published }));
    }
    a.feed = feed.slice(0, 15);
    const night = await nights.night();
    assert.deepEqual([night.exit, night.stderr], [0, '']);
    assert.ok(night.requests.length <= 3);
  }
  assert.equal(nights.service.charged() - baseline, videos);
  assert.deepEqual(
    await nights.ids(),
    a.list.map(({ videoId }) => videoId),
  );
});
