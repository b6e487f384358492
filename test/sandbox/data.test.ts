import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, type Entry, type List, type Page, page, pages, sandbox } from './client.ts';

const entries = (list: readonly Page[]): Page['results'] => list.flatMap(({ results }) => results);

test('data are the same for every page size', async (t) => {
  const reference = await sandbox(t);
  for (const [path, query] of [
    ['channel/videos', { channel: '@size-250' }],
    ['channel/videos', { channel: '@odd' }],
    ['playlist/videos', { playlist: 'PLdemo' }],
  ] as const) {
    const expected = entries(await pages(reference, path, query));
    for (const pageSize of [7, 50, 1000]) {
      const service = await sandbox(t, { pageSize, seed: pageSize });
      assert.deepEqual(entries(await pages(service, path, query)), expected);
    }
  }
});

test('data are the same on every machine; IDs name the channel and count from the oldest upload', async (t) => {
  const service = await sandbox(t, { pageSize: 2 });
  const rows: string[] = [];
  for (const [path, query] of [
    ['channel/videos', { channel: '@demo' }],
    ['channel/videos', { channel: '@size-250' }],
    ['playlist/videos', { playlist: 'PLdemo' }],
  ] as const)
    for (const { videoId, title, viewCountText } of (await page(service, path, query)).results)
      rows.push(`${videoId} ${title}: ${viewCountText}`);
  assert.deepEqual(rows, [
    'demo0001234 Fixing a bicycle wheel 🎉🔥 #shorts: 434K views • 1 day ago',
    'demo0001233 Why the sky is blue: 134 views • 2 days ago',
    '006Y0000250 One pot, five dinners | Part 11: 26 views • 1 day ago',
    '006Y0000249 Ten plants that need no sun 🎉🔥 #shorts: 18K views • 2 days ago',
    'demo0000001 Live from the garden: 233M views • 3 years ago',
    'demo0000004 "How to sharpen a kitchen knife", said nobody, ever: 14 views • 3 years ago',
  ]);
});

test('a channel of a million: its first page, a page near its end and latest', async (t) => {
  const service = await sandbox(t);
  const channel = '@size-1000000';
  const first = await page(service, 'channel/videos', { channel });
  assert.deepEqual([first.playlist_info.numVideos, first.results[0]?.videoId], ['1000000', 'LFLS1000000']);
  const json = '{"operation":"uploads","list":"UUsize-1000000__________","offset":999900}';
  const continuation = `+/${Buffer.from(json).toString('base64')}`;
  const last = await page(service, 'channel/videos', { continuation });
  assert.deepEqual([last.has_more, last.continuation_token, last.results.length], [false, null, 100]);
  assert.deepEqual([last.results.at(-1)?.index, last.results.at(-1)?.videoId], ['999999', 'LFLS0000001']);
  assert.equal((await body<List>(service, 'channel/latest', { channel })).result_count, 15);
});

test('@odd: a channel as real ones are', async (t) => {
  const service = await sandbox(t);
  const list = await pages(service, 'channel/videos', { channel: '@odd' });
  assert.ok(new Set(list.map(({ results }) => results.length)).size > 1, 'uneven pages');
  for (const { playlist_info } of list) {
    assert.deepEqual(Object.keys(playlist_info), ['title', 'numVideos', 'ownerName']);
    assert.equal(playlist_info.numVideos, '1,017');
  }
  const entries = list.flatMap(({ results }) => results);
  assert.deepEqual(
    entries.map(({ index }) => index),
    Array.from({ length: 262 }, (_, at) => String(at)),
  );
  for (const isOdd of [
    (entry: Entry) => entry.lengthText === 'LIVE' && entry.viewCountText === null,
    (entry: Entry) => entry.members_only === true,
    (entry: Entry) => entry.videoId === null,
    (entry: Entry) => entry.videoId !== null && entry.channelId === null,
    (entry: Entry) => !('lengthText' in entry),
    (entry: Entry) => !('viewCountText' in entry),
  ])
    assert.ok(entries.some(isOdd), String(isOdd));
  for (const key of ['publishedTimeText', 'members_only']) assert.ok(key in (entries[0] ?? {}));

  const { results: feed } = await body<List>(service, 'channel/latest', { channel: '@odd' });
  const listed = new Set(entries.map(({ videoId }) => videoId));
  const unlisted = feed.filter(({ videoId }) => !listed.has(videoId));
  assert.deepEqual([feed.length, unlisted.length], [15, 3]);
  assert.equal(unlisted.filter(({ link }) => String(link).includes('/shorts/')).length, 2);
  assert.equal(unlisted.filter(({ published }) => String(published) > '2090').length, 1);
  const published = feed.map((entry) => String(entry.published));
  assert.deepEqual(published, [...published].sort().reverse());
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
