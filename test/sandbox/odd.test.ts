import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, get, pages, sandbox } from './client.ts';

type Entry = Readonly<Record<string, unknown>>;

async function odd(t: Parameters<typeof sandbox>[0]) {
  const service = await sandbox(t);
  const list = await pages(service, 'channel/videos', { channel: '@odd' });
  const entries = list.flatMap(({ results }) => results as readonly object[] as readonly Entry[]);
  const feed = body<{ results: Entry[] }>(await get(service, 'channel/latest', { channel: '@odd' })).results;
  return { service, list, entries, feed, listed: new Set(entries.map(({ videoId }) => videoId)) };
}

test('@odd: pages are uneven, numVideos exceeds the listed entries and has a separator', async (t) => {
  const { list, entries } = await odd(t);
  assert.equal(entries.length, 262);
  assert.ok(new Set(list.map(({ results }) => results.length)).size > 1);
  for (const { playlist_info } of list) {
    assert.deepEqual(Object.keys(playlist_info), ['title', 'numVideos', 'ownerName']);
    assert.equal(playlist_info.numVideos, '1,017');
  }
});

test('@odd: null and missing fields, LIVE, members-only, hours, fields beyond the specification', async (t) => {
  const { entries } = await odd(t);
  const some = (is: (entry: Entry) => boolean): void => assert.ok(entries.some(is), String(is));
  some((entry) => entry.lengthText === 'LIVE' && entry.viewCountText === null);
  some((entry) => entry.members_only === true);
  some((entry) => entry.videoId === null);
  some((entry) => entry.videoId !== null && entry.channelId === null);
  some((entry) => !('lengthText' in entry));
  some((entry) => !('viewCountText' in entry));
  some((entry) => /^\d:\d\d:\d\d$/.test(String(entry.lengthText)));
  for (const key of ['publishedTimeText', 'members_only', 'badges', 'captions'])
    assert.ok(key in (entries[0] ?? {}));
  assert.deepEqual(
    entries.map(({ index }) => index),
    Array.from({ length: 262 }, (_, at) => String(at)),
  );
});

test('@odd: the feed has Shorts and a scheduled stream that the list lacks, and lacks others', async (t) => {
  const { entries, feed, listed } = await odd(t);
  assert.equal(feed.length, 15);
  const unlisted = feed.filter(({ videoId }) => !listed.has(videoId));
  const isShort = ({ link }: Entry): boolean => String(link).includes('/shorts/');
  const isFuture = ({ published }: Entry): boolean => String(published) > '2090';
  assert.equal(unlisted.length, 3);
  assert.equal(unlisted.filter(isShort).length, 2);
  assert.equal(unlisted.filter(isFuture).length, 1);
  const shown = new Set(feed.map(({ videoId }) => videoId));
  assert.ok(!shown.has(entries[1]?.videoId), 'the newest upload is not in the feed yet');
  assert.ok(!shown.has(entries.find((entry) => entry.members_only === true)?.videoId));
});

test('@odd: a premiere stands on top of the list, above newer uploads, and at its date in the feed', async (t) => {
  const { entries, feed } = await odd(t);
  assert.equal(entries[0]?.lengthText, 'PREMIERE');
  const date = (entry: Entry | undefined): string =>
    String(feed.find(({ videoId }) => videoId === entry?.videoId)?.published);
  assert.equal(date(entries[0]), '2024-12-20T16:00:00Z');
  assert.equal(date(entries[2]), '2024-12-31T16:00:00Z');
});

test('@odd: a search has an entry without a video', async (t) => {
  const { service } = await odd(t);
  const search = async (limit: string): Promise<Entry[]> =>
    body<{ results: Entry[] }>(await get(service, 'channel/search', { channel: '@odd', q: 'the', limit }))
      .results;
  assert.deepEqual(
    (await search('3')).map(({ type }) => type),
    ['video', 'ad', 'video'],
  );
  assert.equal((await search('1')).length, 1);
});
