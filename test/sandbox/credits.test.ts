import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, sandbox } from './client.ts';

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
