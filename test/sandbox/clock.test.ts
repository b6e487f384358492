import assert from 'node:assert/strict';
import { test } from 'node:test';
import { body, get, idsOf, type List, page, sandbox } from './client.ts';

const start = Date.parse('2026-03-01T12:00:00Z');
const resolve = ['channel/resolve', { input: '@demo' }] as const;

test('--rate: X-RateLimit headers on every response, 429 with Retry-After beyond, a new window after a minute', async (t) => {
  let time = start;
  const service = await sandbox(t, { rate: 3, now: () => time });
  const call = async (key = service.key): Promise<(string | number | null)[]> => {
    const { status, headers } = await get({ ...service, key }, ...resolve);
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];
    return [status, ...names.map((name) => headers.get(name))];
  };
  const reset = String(start / 1000 + 60);
  assert.deepEqual(await call(), [200, '3', '2', reset, null]);
  time += 10_000;
  assert.deepEqual(await call('wrong'), [401, '3', '1', reset, null]);
  assert.deepEqual(await call(), [200, '3', '0', reset, null]);
  time += 10_500;
  assert.deepEqual(await call(), [429, '3', '0', reset, '40']);
  time += 39_500;
  assert.deepEqual(await call(), [200, '3', '2', String(start / 1000 + 120), null]);
  const { headers } = await get(await sandbox(t), ...resolve);
  assert.equal(headers.get('x-ratelimit-limit'), null, 'without --rate');
});

test('--grow: new uploads on top of list and feed, dated when they appear; old ones keep their IDs', async (t) => {
  let time = start;
  const service = await sandbox(t, { grow: 6, now: () => time });
  const channel = '@size-20';
  const list = async () => idsOf((await page(service, 'channel/videos', { channel })).results);
  const before = await list();
  time += 60_000;
  const after = await list();
  assert.equal(after.length, 26);
  assert.deepEqual(after.slice(6), before);
  assert.equal(new Set(after).size, 26);
  const { results } = await body<List>(service, 'channel/latest', { channel });
  assert.deepEqual(idsOf(results), after.slice(0, 15));
  const dates = results.slice(0, 6).map(({ published }) => String(published));
  assert.deepEqual(dates, [...dates].sort().reverse());
  for (const date of dates) assert.ok(date > '2026-03-01T12:00:00Z' && date <= '2026-03-01T12:01:00Z', date);
});
