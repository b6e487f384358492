import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxSettings } from '../../src/sandbox/defaults.ts';
import { type FaultKind, parseFaultRule } from '../../src/sandbox/faults.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { isFailure } from '../support/failures.ts';
import { get, type Page, page, sandbox } from './client.ts';

const uploads = ['channel/videos', { channel: '@demo' }] as const;
const always = (kind: FaultKind): Partial<SandboxSettings> => ({ pageSize: 10, fail: [{ kind, rate: 1 }] });
const first = ['channel/videos', { channel: '@size-25' }] as const;
const ids = ({ results }: Page): string[] => results.map(({ videoId }) => videoId);
/** The response to a page of uploads, before its body. */
const opened = ({ baseUrl, key }: Sandbox, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${baseUrl}/api/v2/media/channel/videos?channel=@demo`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': 'x' },
    signal,
  });

test('fault rules are KIND:RATE', () => {
  assert.deepEqual(parseFaultRule('429:0.1'), { kind: 429, rate: 0.1 });
  assert.deepEqual(parseFaultRule('400:0'), { kind: 400, rate: 0 });
  assert.deepEqual(parseFaultRule('599:1.0'), { kind: 599, rate: 1 });
  assert.deepEqual(parseFaultRule('reset:.5'), { kind: 'reset', rate: 0.5 });
  const statuses = ['', ':', '429', '429:', ':0.1', '200:1', '399:1', '600:1', '4290:1'];
  const names = ['RESET:1', 'crash:1', 'reset:1.1', 'reset:-1', 'reset:1e-1', 'reset:NaN', 'reset:10%'];
  for (const text of [...statuses, ...names, 'reset:.', 'reset:0.1:2', ' reset:1']) {
    assert.throws(() => parseFaultRule(text), isFailure(2, 'KIND:RATE'), text);
  }
});

test('a status rule of rate 1 gives that status; 429 says when to retry', async (t) => {
  for (const [kind, retryAfter] of [
    [429, '1'],
    [503, null],
  ] as const) {
    const { status, headers } = await get(await sandbox(t, always(kind)), ...uploads);
    assert.deepEqual([status, headers.get('retry-after')], [kind, retryAfter]);
  }
});

test('reset: the connection ends before the headers, nothing is debited', async (t) => {
  const service = await sandbox(t, { credits: 5, ...always('reset') });
  await assert.rejects(get(service, ...uploads), /fetch failed/);
  assert.equal(service.account.credits, 5);
});

test('truncate: headers and part of the body arrive, the credit is debited', async (t) => {
  const service = await sandbox(t, { credits: 5, ...always('truncate') });
  const response = await opened(service);
  assert.equal(response.status, 200);
  await assert.rejects(response.text(), /terminated/);
  assert.equal(service.account.credits, 4);
});

test('garbage: a complete 200 that is not JSON, the credit is debited', async (t) => {
  const service = await sandbox(t, { credits: 5, ...always('garbage') });
  const { status, text } = await get(service, ...uploads);
  assert.equal(status, 200);
  assert.throws(() => JSON.parse(text), SyntaxError);
  assert.equal(service.account.credits, 4);
});

test('loop: the token names the same page again', async (t) => {
  const service = await sandbox(t, always('loop'));
  for (const channel of ['@demo', '@size-3']) {
    const first = await page(service, 'channel/videos', { channel });
    assert.equal(first.has_more, true);
    const again = await page(service, 'channel/videos', { continuation: String(first.continuation_token) });
    assert.deepEqual(again, first);
  }
});

test('expire: a valid token is refused with 410 and not debited, a first page is sent', async (t) => {
  const sound = await sandbox(t);
  const continuation = String((await page(sound, ...uploads)).continuation_token);
  const service = await sandbox(t, { credits: 5, ...always('expire') });
  assert.equal((await get(service, ...uploads)).status, 200);
  assert.equal((await get(service, 'channel/videos', { continuation })).status, 410);
  assert.equal((await get(service, 'channel/videos', { continuation: 'x' })).status, 400);
  assert.equal(service.account.credits, 4);
});

test('faults of a 200 do not change error responses', async (t) => {
  const fail = (['truncate', 'garbage', 'loop'] as const).map((kind) => ({ kind, rate: 1 }));
  const service = await sandbox(t, { fail });
  assert.equal((await get(service, 'channel/resolve', { input: '@nobody' })).status, 404);
});

test('a seed gives the same sequence for any requests, with about the given shares; another seed another one', async (t) => {
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
  const share = (wanted: number): number => one.filter((status) => status === wanted).length;
  assert.deepEqual([share(429), share(503), share(200)], [21, 5, 34]);
});

test('latency: a delayed response does not keep the sandbox from closing', async (t) => {
  const service = await sandbox(t, { latency: 3_600_000 });
  const waiting = assert.rejects(get(service, ...uploads));
  while (service.account.credits === 1000) await new Promise((resolve) => setImmediate(resolve));
  await service.close();
  await waiting;
});

test('feed faults: latest alone fails or is empty', async (t) => {
  const feed = async (kind: FaultKind): Promise<[status: number, ids: string[]]> => {
    const service = await sandbox(t, always(kind));
    const { status, text } = await get(service, 'channel/latest', { channel: '@size-25' });
    assert.equal((await get(service, ...first)).status, 200);
    return [status, status === 200 ? ids(JSON.parse(text) as Page) : []];
  };
  assert.deepEqual(await feed('feed-404'), [404, []]);
  assert.deepEqual(await feed('feed-empty'), [200, []]);
});
