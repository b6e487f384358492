import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, pages, sandbox } from './client.ts';

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
      assert.equal((await get(failing, path, query)).status, kind);
      assert.equal(failing.account.credits, 3);
    }
  }
});

test('spec 1: 1 credit per page', async (t) => {
  const service = await sandbox(t, { credits: 20 });
  await pages(service, 'channel/videos', { channel: '@demo' });
  assert.equal(service.account.credits, 7);
  await pages(service, 'playlist/videos', { playlist: 'PLdemo' });
  assert.equal(service.account.credits, 3);
});

test('the log of a request has no control characters', async (t) => {
  const lines: string[] = [];
  const service = await sandbox(t, { onRequest: (line) => lines.push(line) });
  await get(service, 'channel/resolve', { input: '@no\u009bbody\n' });
  assert.deepEqual(lines, [
    'GET /api/v2/media/channel/resolve?input=%40no%C2%9Bbody%0A 422 1,000 credits left',
  ]);
});
