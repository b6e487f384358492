import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { get, pages, sandbox } from './client.ts';

const requests = [
  ['channel/resolve', { input: '@demo' }, 0],
  ['channel/search', { channel: '@demo', q: 'bread' }, 1],
  ['channel/videos', { channel: '@demo' }, 1],
  ['channel/latest', { channel: '@demo' }, 0],
  ['playlist/videos', { playlist: 'PLdemo' }, 1],
] as const;

for (const [path, query, cost] of requests) {
  test(`spec 1: ${path} costs ${cost} on a 200`, async (t) => {
    const service = await sandbox(t, { credits: 3 });
    assert.equal((await get(service, path, query)).status, 200);
    assert.equal(service.account.credits, 3 - cost);
  });

  test(`spec 1, 5 rule 2: ${path} needs at least 1 credit`, async (t) => {
    const service = await sandbox(t, { credits: 0 });
    assert.equal((await get(service, path, query)).status, 402);
    service.account.credits = 1;
    assert.equal((await get(service, path, query)).status, 200);
  });

  test(`spec 1 rule 3: ${path} debits nothing when refused`, async (t) => {
    for (const kind of [400, 401, 402, 403, 404, 408, 410, 422, 429, 500, 502, 503, 504]) {
      const service = await sandbox(t, { credits: 3, fail: [{ kind, rate: 1 }] });
      assert.equal((await get(service, path, query)).status, kind);
      assert.equal(service.account.credits, 3);
    }
    const service = await sandbox(t, { credits: 3 });
    assert.equal((await get({ ...service, key: 'wrong' }, path, query)).status, 401);
    assert.equal(service.account.credits, 3);
  });
}

test('spec 1: 1 credit per page', async (t) => {
  const service = await sandbox(t, { credits: 20 });
  await pages(service, 'channel/videos', { channel: '@demo' });
  assert.equal(service.account.credits, 7);
  await pages(service, 'playlist/videos', { playlist: 'PLdemo' });
  assert.equal(service.account.credits, 3);
});

test('spec 1: an empty result is debited', async (t) => {
  const service = await sandbox(t, { credits: 2 });
  await get(service, 'channel/videos', { channel: '@empty' });
  await get(service, 'channel/search', { channel: '@empty', q: 'x' });
  assert.equal(service.account.credits, 0);
});

test('eight requests compete for the last credit: one gets it', async (t) => {
  const lines: string[] = [];
  const decided = new EventEmitter();
  // No response is sent before all are decided, or ever.
  const service = await sandbox(t, {
    credits: 1,
    latency: 3_600_000,
    onRequest: (line) => {
      if (lines.push(line) === 8) decided.emit('all');
    },
  });
  const all = once(decided, 'all');
  const race = Array.from({ length: 8 }, () => get(service, 'channel/videos', { channel: '@demo' }));
  await all;
  const statuses = lines.map((line) => /channel=%40demo (\d+) /.exec(line)?.[1]).sort();
  assert.deepEqual(statuses, ['200', '402', '402', '402', '402', '402', '402', '402']);
  assert.equal(service.account.credits, 0);
  await service.close();
  for (const { status } of await Promise.allSettled(race)) assert.equal(status, 'rejected');
});

test('the log of a request has no control characters', async (t) => {
  const lines: string[] = [];
  const service = await sandbox(t, { onRequest: (line) => lines.push(line) });
  await get(service, 'channel/resolve', { input: '@no\u009bbody\n' });
  assert.deepEqual(lines, [
    'GET /api/v2/media/channel/resolve?input=%40no%C2%9Bbody%0A 422 1,000 credits left',
  ]);
});
