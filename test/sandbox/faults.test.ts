import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaultKind, parseFaultRule, type SandboxSettings } from '../../src/sandbox/defaults.ts';
import { isFailure } from '../support/failures.ts';
import { get, page, sandbox } from './client.ts';

const uploads = ['channel/videos', { channel: '@demo' }] as const;
const always = (kind: FaultKind): Partial<SandboxSettings> => ({ pageSize: 10, fail: [{ kind, rate: 1 }] });
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

test('reset sends and debits nothing; truncate and garbage are a 200 that is debited', async (t) => {
  const sent = async (kind: FaultKind): Promise<[text: string, left: number]> => {
    const service = await sandbox(t, { credits: 5, ...always(kind) });
    const text = await get(service, ...uploads).then(
      (received) => `${received.status} ${received.text.slice(0, 24)}`,
      (error: Error) => error.message,
    );
    return [text, service.account.credits];
  };
  assert.deepEqual(await sent('reset'), ['fetch failed', 5]);
  assert.deepEqual(await sent('truncate'), ['terminated', 4]);
  assert.deepEqual(await sent('garbage'), ['200 {"results": [{"videoId":', 4]);
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
  assert.deepEqual([share(429), share(503), share(200)], [15, 12, 33]);
});

test('feed faults: latest alone fails or is empty', async (t) => {
  for (const [kind, expected] of [
    ['feed-404', /^404 .*feed not found/],
    ['feed-empty', /^200 .*"results":\[\]/],
  ] as const) {
    const service = await sandbox(t, always(kind));
    const { status, text } = await get(service, 'channel/latest', { channel: '@size-25' });
    assert.match(`${status} ${text}`, expected);
    assert.equal((await get(service, ...uploads)).status, 200);
  }
});
