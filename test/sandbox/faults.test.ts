import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { parseFaultRule } from '../../src/sandbox/faults.ts';
import { get, type Page, page, sandbox } from './client.ts';

const uploads = ['channel/videos', { channel: '@demo' }] as const;

test('fault rules are KIND:RATE', () => {
  assert.deepEqual(parseFaultRule('429:0.1'), { kind: 429, rate: 0.1 });
  assert.deepEqual(parseFaultRule('400:0'), { kind: 400, rate: 0 });
  assert.deepEqual(parseFaultRule('599:1.0'), { kind: 599, rate: 1 });
  assert.deepEqual(parseFaultRule('reset:.5'), { kind: 'reset', rate: 0.5 });
  for (const kind of ['truncate', 'garbage', 'loop', 'expire']) {
    assert.deepEqual(parseFaultRule(`${kind}:1`), { kind, rate: 1 });
  }
});

for (const text of [
  '',
  ':',
  '429',
  '429:',
  ':0.1',
  '200:1',
  '399:1',
  '600:1',
  '4290:1',
  'RESET:1',
  'crash:1',
  'reset:1.1',
  'reset:-1',
  'reset:1e-1',
  'reset:NaN',
  'reset:10%',
  'reset:.',
  'reset:0.1:2',
  ' reset:1',
]) {
  test(`'${text}' is not a fault rule, and the message says what is one`, () => {
    assert.throws(
      () => parseFaultRule(text),
      (error) => error instanceof Failure && error.exit === 2 && /KIND:RATE/.test(error.hint ?? ''),
    );
  });
}

test('a status rule of rate 1 answers that status; 429 says when to come back', async (t) => {
  const limited = await get(await sandbox(t, { fail: [{ kind: 429, rate: 1 }] }), ...uploads);
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get('retry-after'), '1');
  const down = await get(await sandbox(t, { fail: [{ kind: 503, rate: 1 }] }), ...uploads);
  assert.equal(down.status, 503);
  assert.equal(down.headers.get('retry-after'), null);
});

test('reset: the connection ends before the headers, nothing is debited', async (t) => {
  const service = await sandbox(t, { credits: 5, fail: [{ kind: 'reset', rate: 1 }] });
  await assert.rejects(get(service, ...uploads));
  assert.equal(service.credits(), 5);
});

test('truncate: headers and a part of the body arrive, the credit is debited', async (t) => {
  const service = await sandbox(t, { credits: 5, fail: [{ kind: 'truncate', rate: 1 }] });
  const response = await fetch(`${service.baseUrl}/api/v2/media/channel/videos?channel=@demo`, {
    headers: { authorization: `Bearer ${service.key}`, 'user-agent': 'x' },
  });
  assert.equal(response.status, 200);
  await assert.rejects(response.text());
  assert.equal(service.credits(), 4);
});

test('garbage: a whole 200 that is no JSON, the credit is debited', async (t) => {
  const service = await sandbox(t, { credits: 5, fail: [{ kind: 'garbage', rate: 1 }] });
  const { status, text } = await get(service, ...uploads);
  assert.equal(status, 200);
  assert.throws(() => JSON.parse(text));
  assert.equal(service.credits(), 4);
});

test('loop: the token leads back to the same page', async (t) => {
  const service = await sandbox(t, { fail: [{ kind: 'loop', rate: 1 }] });
  for (const channel of ['@demo', '@size-3']) {
    const first = await page(service, 'channel/videos', { channel });
    assert.equal(first.has_more, true);
    const again = await page(service, 'channel/videos', { continuation: String(first.continuation_token) });
    assert.deepEqual(again, first);
  }
});

test('expire: a good token is refused with 410, a first page is not; nothing is debited for it', async (t) => {
  const sound = await sandbox(t);
  const continuation = String((await page(sound, ...uploads)).continuation_token);
  const service = await sandbox(t, { credits: 5, fail: [{ kind: 'expire', rate: 1 }] });
  assert.equal((await get(service, ...uploads)).status, 200);
  assert.equal((await get(service, 'channel/videos', { continuation })).status, 410);
  assert.equal((await get(service, 'channel/videos', { continuation: 'x' })).status, 400);
  assert.equal(service.credits(), 4);
});

test('faults that need a 200 leave refusals alone', async (t) => {
  const fail = (['truncate', 'garbage', 'loop'] as const).map((kind) => ({ kind, rate: 1 }));
  const service = await sandbox(t, { fail });
  assert.equal((await get(service, 'channel/resolve', { input: '@nobody' })).status, 404);
});

test('a seed gives the same sequence, whatever is asked; another seed another one', async (t) => {
  const fail = [parseFaultRule('429:0.3'), parseFaultRule('503:0.2')];
  const sequence = async (seed: number, path: string, query: Record<string, string>): Promise<number[]> => {
    const service = await sandbox(t, { seed, fail });
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) statuses.push((await get(service, path, query)).status);
    return statuses;
  };
  const one = await sequence(7, 'channel/resolve', { input: '@demo' });
  assert.deepEqual(await sequence(7, 'channel/latest', { channel: '@empty' }), one);
  assert.notDeepEqual(await sequence(8, 'channel/latest', { channel: '@empty' }), one);
  for (const status of [200, 429, 503]) assert.ok(one.includes(status), String(status));
});

test('rates hold over many requests', async (t) => {
  const service = await sandbox(t, { seed: 3, fail: [parseFaultRule('500:0.25')] });
  let failed = 0;
  for (let n = 0; n < 400; n++) {
    if ((await get(service, 'channel/resolve', { input: '@demo' })).status === 500) failed++;
  }
  assert.ok(failed > 70 && failed < 130, String(failed));
});

test('latency: a waiting answer does not keep the sandbox from closing', async (t) => {
  const service = await sandbox(t, { latency: 3_600_000 });
  const waiting = get(service, ...uploads).then(
    (answer): Page['has_more'] => answer.status === 200,
    () => false,
  );
  while (service.credits() === 1000) await new Promise((resolve) => setImmediate(resolve));
  await service.close();
  assert.equal(await waiting, false);
});
