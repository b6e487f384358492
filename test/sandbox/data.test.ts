import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, get, type Page, page, pages, sandbox } from './client.ts';

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
  const service = await sandbox(t, { pageSize: 3 });
  const rows = async (path: string, query: Record<string, string>): Promise<string[]> =>
    (await page(service, path, query)).results.map(
      ({ videoId, title, viewCountText }) => `${videoId} ${title}: ${viewCountText}`,
    );
  assert.deepEqual(await rows('channel/videos', { channel: '@demo' }), [
    'demo0001234 Fixing a bicycle wheel 🎉🔥 #shorts: 434K views • 1 day ago',
    'demo0001233 Why the sky is blue: 134 views • 2 days ago',
    'demo0001232 Bread with three ingredients: 32 views • 3 days ago',
  ]);
  const ids = async (path: string, query: Record<string, string>): Promise<string[]> =>
    (await page(service, path, query)).results.map(({ videoId }) => videoId);
  assert.deepEqual(await ids('channel/videos', { channel: '@size-250' }), [
    '006Y0000250',
    '006Y0000249',
    '006Y0000248',
  ]);
  assert.deepEqual(await ids('playlist/videos', { playlist: 'PLdemo' }), [
    'demo0000001',
    'demo0000004',
    'demo0000007',
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
  const latest = body<{ result_count: number }>(await get(service, 'channel/latest', { channel }));
  assert.equal(latest.result_count, 15);
});
