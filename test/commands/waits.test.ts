import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/program.ts';
import { page, type Reply, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

const resolved: Reply = { body: { channel_id: 'UCx', resolved_from: 'x' } };

test('without Retry-After the waits double from half a second, and end with 7 when retries are used up', async (t) => {
  const service = await scriptedService(t, () => ({ status: 503 }));
  const result = await service.command('uploads @a');
  assert.equal(result.exit, 7);
  assert.deepEqual(result.waits, [500, 1000, 2000, 4000]);
  assert.equal(service.seen.length, 5);
  assert.match(result.stderr, /after 5 attempts/);
});

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

test('a 503 fails its reference once its own request has waited --max-wait, and the message says when to try again', async (t) => {
  const down: Reply = { status: 503, headers: { 'retry-after': '20' } };
  const service = await scriptedService(t, ({ query }) => (query.get('input') === '@up' ? resolved : down));
  const result = await service.command('resolve @a @b @up --retries 0 --max-wait 50 --concurrency 1');
  assert.equal(result.exit, 7);
  assert.deepEqual(result.waits, [20_000, 20_000, 20_000, 20_000]);
  assert.deepEqual(
    service.seen.map(({ query }) => query.get('input')),
    ['@a', '@a', '@a', '@b', '@b', '@b', '@up'],
  );
  onlyError(result, '2 references (@a, @b)', '503', 'try again in 20 s', '--max-wait');
});

test('waits that the service asks for are not retries; a 429 without Retry-After is one', async (t) => {
  const slow: Reply = { status: 429, headers: { 'retry-after': '3' } };
  const busy: Reply = { status: 503, headers: { 'retry-after': '2' } };
  const replies: Reply[] = [slow, busy, slow, busy, slow, busy, { status: 429 }, resolved];
  const service = await scriptedService(t, (_, number) => replies[number] ?? { status: 500 });
  const summary = join(await temporaryFolder(t), 'summary.json');
  const result = await service.command(['resolve', '@a', '--retries', '1', '--summary', summary]);
  assert.equal(result.exit, 0, result.stderr);
  assert.deepEqual(result.waits, [3000, 2000, 3000, 2000, 3000, 2000, 500]);
  const { requests, retries } = JSON.parse(await readFile(summary, 'utf8'));
  assert.deepEqual({ requests, retries }, { requests: 8, retries: 7 });
});

for (const [what, args, reply] of [
  ['resolve', ['resolve', '@a', '@b', '@c', '@d', '@e', '@f'], resolved],
  ['a folder of exports', ['uploads', 'UCa', 'UCb', 'UCc', 'UCd', 'UCe', 'UCf'], { body: page(0, 1, null) }],
] as const) {
  test(`one rate limit for the whole call: a 429 pauses all (${what})`, async (t) => {
    const held: (() => void)[] = [];
    const asleep: (() => void)[] = [];
    const go = (all: readonly (() => void)[]): void => {
      for (const each of all) each();
    };
    let early = 0;
    const service = await scriptedService(t, async (_, number) => {
      // Of three concurrent requests the last is limited; the others get their responses after that.
      if (number === 2) return { status: 429, headers: { 'retry-after': '30' } };
      if (number < 2) await new Promise<void>((resolve) => held.push(resolve));
      else if (asleep.length < 3) {
        early++;
        go(asleep);
      }
      return reply;
    });
    const folder = args[0] === 'uploads' ? ['--output-dir', await temporaryFolder(t)] : [];
    const result = await service.command([...args, ...folder, '--concurrency', '3'], {
      // Nobody wakes before all three wait: the limited one, and those that came in place of the others.
      sleeping: () =>
        new Promise((resolve) => {
          asleep.push(resolve);
          go(held);
          if (asleep.length >= 3) go(asleep);
        }),
    });
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(service.seen.length, 7);
    assert.equal(early, 0);
  });
}

test('a failure that ends the run ends all waits: nothing more is sent', async (t) => {
  const service = await scriptedService(t, async ({ query }) => {
    await service.arrived(4);
    return { status: query.get('input') === '@a' ? 401 : 503 };
  });
  const result = await service.run('resolve @a @b @c @d @e');
  assert.equal(result.exit, 3);
  assert.equal(service.seen.length, 4);
  onlyError(result, 'the key was rejected (401)');
});
