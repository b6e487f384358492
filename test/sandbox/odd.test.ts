import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, get, pages, sandbox } from './client.ts';

type Entry = Readonly<Record<string, unknown>>;

test('@odd: a channel as real ones are', async (t) => {
  const service = await sandbox(t);
  const list = await pages(service, 'channel/videos', { channel: '@odd' });
  assert.ok(new Set(list.map(({ results }) => results.length)).size > 1, 'uneven pages');
  for (const { playlist_info } of list) {
    assert.deepEqual(Object.keys(playlist_info), ['title', 'numVideos', 'ownerName']);
    assert.equal(playlist_info.numVideos, '1,017');
  }
  const entries = list.flatMap(({ results }) => results as readonly object[] as readonly Entry[]);
  assert.deepEqual(
    entries.map(({ index }) => index),
    Array.from({ length: 262 }, (_, at) => String(at)),
  );
  for (const is of [
    (entry: Entry) => entry.lengthText === 'LIVE' && entry.viewCountText === null,
    (entry: Entry) => entry.members_only === true,
    (entry: Entry) => entry.videoId === null,
    (entry: Entry) => entry.videoId !== null && entry.channelId === null,
    (entry: Entry) => !('lengthText' in entry),
    (entry: Entry) => !('viewCountText' in entry),
  ])
    assert.ok(entries.some(is), String(is));
  for (const key of ['publishedTimeText', 'members_only']) assert.ok(key in (entries[0] ?? {}));

  const feed = body<{ results: Entry[] }>(await get(service, 'channel/latest', { channel: '@odd' })).results;
  const listed = new Set(entries.map(({ videoId }) => videoId));
  const unlisted = feed.filter(({ videoId }) => !listed.has(videoId));
  assert.deepEqual([feed.length, unlisted.length], [15, 3]);
  assert.equal(unlisted.filter(({ link }) => String(link).includes('/shorts/')).length, 2);
  assert.equal(unlisted.filter(({ published }) => String(published) > '2090').length, 1);
  const dates = new Map(feed.map(({ videoId, published }) => [videoId, published]));
  const [premiere, newest, second] = entries;
  assert.equal(premiere?.lengthText, 'PREMIERE');
  assert.deepEqual(
    [premiere, newest, second, entries.find((entry) => entry.members_only === true)].map((entry) =>
      dates.get(entry?.videoId),
    ),
    ['2024-12-20T16:00:00Z', undefined, '2024-12-31T16:00:00Z', undefined],
  );
});
