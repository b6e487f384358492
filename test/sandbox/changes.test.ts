import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { body, get, page, sandbox } from './client.ts';

async function ids(service: Sandbox, channel: string): Promise<string[]> {
  const { results } = await page(service, 'channel/videos', { channel });
  return results.map(({ videoId }) => videoId);
}

async function latest(service: Sandbox, channel: string): Promise<string[]> {
  const { results } = body<{ results: { videoId: string }[] }>(
    await get(service, 'channel/latest', { channel }),
  );
  return results.map(({ videoId }) => videoId);
}

test('a channel that grows gets its new uploads on top and keeps its ID and its old ones', async (t) => {
  const service = await sandbox(t);
  const before = await ids(service, '@size-20');
  const resolved = (await get(service, 'channel/resolve', { input: '@size-20' })).text;
  service.setUploads('@size-20', 23);
  const after = await page(service, 'channel/videos', { channel: '@size-20' });
  assert.deepEqual(
    after.results.slice(3).map(({ videoId }) => videoId),
    before,
  );
  assert.equal(new Set(after.results.map(({ videoId }) => videoId)).size, 23);
  assert.deepEqual(after.results[0]?.index, '0');
  assert.equal(after.playlist_info.numVideos, '23');
  assert.equal((await get(service, 'channel/resolve', { input: '@size-20' })).text, resolved);
  assert.deepEqual(await latest(service, '@size-20'), (await ids(service, '@size-20')).slice(0, 15));
});

test('a deleted upload is gone from the list, the count and latest', async (t) => {
  const service = await sandbox(t);
  const before = await ids(service, '@size-20');
  const [first = '', second = '', , fourth = ''] = before;
  for (const id of [fourth, first, second]) service.hide('@size-20', id);
  const left = before.filter((id) => ![first, second, fourth].includes(id));
  assert.deepEqual(await ids(service, '@size-20'), left);
  assert.deepEqual(await latest(service, '@size-20'), left.slice(0, 15));
  const { playlist_info } = await page(service, 'channel/videos', { channel: '@size-20' });
  assert.equal(playlist_info.numVideos, '17');
  assert.throws(() => service.hide('@size-20', first));
});

test('latest can be ahead of the list, which catches up', async (t) => {
  const service = await sandbox(t);
  const before = await ids(service, '@size-20');
  service.latestAhead('@size-20', 2);
  const ahead = await latest(service, '@size-20');
  assert.deepEqual(await ids(service, '@size-20'), before);
  assert.deepEqual(ahead.slice(2), before.slice(0, 13));
  service.latestAhead('@size-20', 0);
  service.setUploads('@size-20', 22);
  assert.deepEqual((await ids(service, '@size-20')).slice(0, 15), ahead);
});
