import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, type Reply, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

test('--max-wait limits the waits since the last success', async (t) => {
  const slow: Reply = { status: 429, headers: { 'retry-after': '50' } };
  const replies: Reply[] = [slow, slow, { body: page(0, 1, 'x') }, slow, slow, { body: page(1, 2, null) }];
  const service = await scriptedService(t, (_, number) => replies[number] ?? slow);
  const enough = await service.command('uploads @a --max-wait 100');
  assert.equal(enough.exit, 0);
  assert.deepEqual(enough.waits, [50_000, 50_000, 50_000, 50_000]);

  const requests = service.seen.length;
  const short = await service.command('uploads @a --max-wait 99');
  assert.equal(short.exit, 6);
  assert.deepEqual(short.waits, [50_000]);
  assert.equal(service.seen.length - requests, 2);
  assert.match(short.stderr, /try again in 50 s/);
});

test('a failure that ends the run ends all waits: nothing more is sent', async (t) => {
  const service = await scriptedService(t, async ({ query }) => {
    await service.arrived(4);
    return { status: query.get('input') === '@a' ? 401 : 503 };
  });
  const result = await service.command('resolve @a @b @c @d @e', { sleeping: () => new Promise(() => {}) });
  assert.equal(result.exit, 3);
  assert.equal(service.seen.length, 4);
  onlyError(result, 'the key was rejected (401)');
});
