import assert from 'node:assert/strict';
import { test } from 'node:test';
import { specifiedFields } from '../support/specified-fields.ts';
import { body, get, idsOf, type List, page, pages, sandbox } from './client.ts';

const demoId = 'UCdemo__________________';

test('spec 2.1, 2.3, 4.1, 4.3: resolve returns channel_id and the input, also for any canonical ID; first pages', async (t) => {
  const service = await sandbox(t);
  const unknown = 'UC0123456789abcdefghijkl';
  const { text } = await get(service, 'channel/resolve', { input: unknown });
  assert.equal(text, `{"channel_id":"${unknown}","resolved_from":"${unknown}"}`);
  for (const [handle, id, size, count, viewCount, hasMore] of [
    ['@demo', demoId, '1234', 100, '52441759', true],
    ['@empty', 'UCempty_________________', '0', 0, null, false],
    ['@size-0', 'UCsize-0________________', '0', 0, null, false],
    ['@size-100', 'UCsize-100______________', '100', 100, null, false],
    ['@size-101', 'UCsize-101______________', '101', 100, '4210488', true],
    ['@size-1000000', 'UCsize-1000000__________', '1000000', 100, null, true],
  ] as const) {
    const { text } = await get(service, 'channel/resolve', { input: handle });
    assert.equal(text, `{"channel_id":"${id}","resolved_from":"${handle}"}`);
    const { playlist_info, results, has_more } = await page(service, 'channel/videos', { channel: id });
    assert.deepEqual([playlist_info.numVideos, playlist_info.viewCount], [size, viewCount]);
    assert.deepEqual([results.length, has_more], [count, hasMore]);
    for (const { channelHandle } of results) assert.equal(channelHandle, handle);
  }
});

test('spec 2.2, 2.3, 2.4: an uploads page has the fields of the specification and no others', async (t) => {
  const service = await sandbox(t);
  const first = await page(service, 'channel/videos', { channel: '@demo' });
  assert.deepEqual(Object.keys(first), ['results', 'playlist_info', 'continuation_token', 'has_more']);
  assert.deepEqual(Object.keys(first.playlist_info), ['title', 'numVideos', 'ownerName', 'viewCount']);
  assert.equal(first.playlist_info.numVideos, '1234');
  assert.equal(first.results.length, 100);
  for (const [at, entry] of first.results.entries()) {
    assert.deepEqual(Object.keys(entry), specifiedFields);
    assert.match(String(entry.videoId), /^[A-Za-z0-9_-]{11}$/);
    assert.deepEqual([entry.index, entry.channelId], [String(at), demoId]);
    assert.match(String(entry.lengthText), /^\d+:[0-5]\d$/);
    const views = /^([1-9]\d*(\.\d)?[KM]? views?|No views) • \d+ (year|month|week|day|hour)s? ago$/;
    assert.match(String(entry.viewCountText), views);
    const thumbnails = entry.thumbnails as readonly object[];
    assert.equal(thumbnails.length, 3);
    for (const thumbnail of thumbnails) assert.deepEqual(Object.keys(thumbnail), ['url', 'width', 'height']);
  }
});

test('spec 4.3 rules 1 to 3: channel first, continuation afterwards, until has_more is false', async (t) => {
  const service = await sandbox(t);
  const all = await pages(service, 'channel/videos', { channel: '@demo' });
  assert.equal(all.length, 13);
  for (const [at, { results, has_more, continuation_token }] of all.entries())
    assert.deepEqual(
      [results.length, has_more, typeof continuation_token === 'string'],
      at < 12 ? [100, true, true] : [34, false, false],
    );
  assert.equal(new Set(idsOf(all.flatMap(({ results }) => results))).size, 1234);
  assert.equal(service.account.credits, 1000 - 13);
});

test('spec 4.4: latest returns the first 15 of the uploads, dated without milliseconds', async (t) => {
  const service = await sandbox(t);
  const { results } = await page(service, 'channel/videos', { channel: '@demo' });
  const latest = await body<List>(service, 'channel/latest', { channel: '@demo' });
  assert.equal(latest.result_count, 15);
  assert.deepEqual(idsOf(latest.results), idsOf(results.slice(0, 15)));
  assert.deepEqual(Object.keys(latest.channel), ['channelId', 'title', 'author', 'url', 'published']);
  assert.equal(latest.results[0]?.published, '2025-01-01T16:00:00Z');
  assert.equal((await body<List>(service, 'channel/latest', { channel: '@size-3' })).results.length, 3);
});

test('spec 4.2, 8: search finds all words of q in titles, in any case, newest first, 30 by default', async (t) => {
  const service = await sandbox(t);
  const search = (query: Record<string, string>): Promise<List> =>
    body<List>(service, 'channel/search', { channel: '@demo', ...query });
  const uploads = (await pages(service, 'channel/videos', { channel: '@demo' })).flatMap((p) => p.results);
  const expected = uploads.filter(({ title }) => /bread.*three|three.*bread/i.test(String(title)));
  const found = await search({ q: 'THREE bread', limit: '50' });
  assert.ok(expected.length > 30);
  assert.deepEqual(idsOf(found.results), idsOf(expected.slice(0, 50)));
  assert.equal(found.result_count, found.results.length);
  assert.equal((await search({ q: 'bread' })).results.length, 30);
  assert.equal((await search({ q: 'bread', limit: '1' })).results.length, 1);
  assert.deepEqual(await search({ q: 'nothing has this' }), { results: [], result_count: 0 });
});

test('spec 4.5: a playlist by ID or URL, with a description; UU is the uploads list of a channel', async (t) => {
  const service = await sandbox(t);
  const uploads = `UU${demoId.slice(2)}`;
  for (const [playlist, count] of [
    ['PLdemo', '321'],
    ['video.example/watch?v=abc&list=PLdemo&index=2', '321'],
    [`https://video.example/playlist?list=${uploads}`, '1234'],
  ] as const) {
    const { playlist_info } = await page(service, 'playlist/videos', { playlist });
    assert.equal(playlist_info.numVideos, count);
    const keys = ['title', 'numVideos', 'ownerName', 'viewCount', 'description'];
    assert.deepEqual(Object.keys(playlist_info), keys);
  }
  const list = await page(service, 'playlist/videos', { playlist: uploads });
  const channel = await page(service, 'channel/videos', { channel: '@demo' });
  assert.deepEqual(list.results, channel.results);
});

const requests = [
  ['channel/resolve', { input: '@demo' }, 0],
  ['channel/search', { channel: '@demo', q: 'bread' }, 1],
  ['channel/videos', { channel: '@demo' }, 1],
  ['channel/latest', { channel: '@demo' }, 0],
  ['playlist/videos', { playlist: 'PLdemo' }, 1],
] as const;

test('spec 1, 5, 7: what each operation costs; it needs a credit, and is free when refused', async (t) => {
  for (const [path, query, cost] of requests) {
    const service = await sandbox(t, { credits: 0 });
    assert.equal((await get(service, path, query)).status, 402);
    service.account.credits = 3;
    assert.equal((await get({ ...service, key: 'wrong' }, path, query)).status, 401);
    assert.equal(service.account.credits, 3);
    assert.equal((await get(service, path, query)).status, 200);
    assert.equal(service.account.credits, 3 - cost, path);
    for (const kind of [400, 402, 404, 429, 503]) {
      const failing = await sandbox(t, { credits: 3, fail: [{ kind, rate: 1 }] });
      const { status, headers } = await get(failing, path, query);
      assert.deepEqual([status, headers.get('retry-after')], [kind, kind === 429 ? '1' : null]);
      assert.equal(failing.account.credits, 3);
    }
  }
});
