import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, type Reply, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

test('--max-wait limits the waits since the last success, --retries the rest', async (t) => {
  const slow: Reply = { status: 429, headers: { 'retry-after': '50' } };
  const replies: Reply[] = [slow, slow, { body: page(0, 1, 'x') }, slow, slow, { body: page(1, 2, null) }];
  const service = await scriptedService(t, (_, number) => replies[number] ?? slow);
  const enough = await service.command('uploads @a --max-wait 100');
  assert.deepEqual([enough.exit, enough.waits], [0, [50_000, 50_000, 50_000, 50_000]]);

  const requests = service.seen.length;
  const short = await service.command('uploads @a --max-wait 99');
  assert.deepEqual([short.exit, short.waits, service.seen.length - requests], [6, [50_000], 2]);
  assert.match(short.stderr, /try again in 50 s/);

  const busy = await scriptedService(t, () => ({ status: 503 }));
  assert.equal((await busy.command('uploads @a --retries 2')).exit, 7);
  assert.equal(busy.seen.length, 3);

  // A 503 that asks for waits fails its reference once they would be longer than that together.
  const asks = await scriptedService(t, (_, n) =>
    n < 4 ? { status: 503, headers: { 'retry-after': '50' } } : { body: page(0, 1, null) },
  );
  const waited = await asks.command('uploads @a --max-wait 120');
  assert.deepEqual([waited.exit, waited.waits, asks.seen.length], [7, [50_000, 50_000], 3]);
  assert.match(waited.stderr, /try again in 50 s/);
});

test('a failure that ends the run ends all waits: nothing more is sent', async (t) => {
  const service = await scriptedService(t, async ({ query }) => {
    await service.arrived(4);
    return { status: query.get('input') === '@a' ? 401 : 503 };
  });
  const result = await service.command('resolve @a @b @c @d @e', { sleeping: () => new Promise(() => {}) });
  assert.equal(result.exit, 3);
  assert.equal(service.seen.length, 4);
  // The others were under way, or not sent.
  onlyError(result, '@a: the key was rejected (401); stopped, 4 more not reached');
});

test('a page that may have been charged twice is not requested again in this run', async (t) => {
  const broken: Reply = (_, socket) => void socket.destroy();
  const busy: Reply = { status: 503 };
  for (const [line, replies, exit, requests] of [
    ['uploads @a', [broken, broken], 7, 2],
    ['uploads @a', [broken, busy, broken], 7, 3],
    ['search @a x', [broken, broken], 7, 2],
    // Complete errors are not charged, and other requests have their own count.
    ['uploads @a', [busy, broken, busy, busy], 0, 5],
    ['uploads @a', [broken, { body: page(0, 1, 'next') }, broken], 0, 4],
    // Free requests are sent as often as --retries says.
    ['resolve @a', [broken, broken, broken, broken], 0, 5],
  ] as const) {
    const last = { body: { channel_id: 'UCa', ...page(1, 2, null) } };
    const service = await scriptedService(t, (_, n) => replies[n] ?? last);
    const result = await service.command(line);
    assert.deepEqual([result.exit, service.seen.length], [exit, requests], result.stderr);
    const says =
      /after (?:2 attempts, each|\d attempts, two) of which may have been charged; 0 credits spent, 2 more possibly charged; (?:try again later|run the same command again)/;
    if (exit === 7) assert.match(result.stderr, says);
  }
});
