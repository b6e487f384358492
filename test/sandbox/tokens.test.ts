import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, page, pages, sandbox } from './client.ts';

/** Token of `@demo` after 100 entries, from an earlier process: two characters that a query must encode, then base64. */
const earlier =
  '+/eyJvcGVyYXRpb24iOiJ1cGxvYWRzIiwibGlzdCI6IlVVZGVtb19fX19fX19fX19fX19fX19fXyIsIm9mZnNldCI6MTAwfQ==';

test('spec 4.3 rule 2: a token is valid in another process, with another page size and key', async (t) => {
  const one = await sandbox(t);
  assert.equal((await page(one, 'channel/videos', { channel: '@demo' })).continuation_token, earlier);
  const other = await sandbox(t, { pageSize: 3, key: 'sk_other' });
  const { results } = await page(other, 'channel/videos', { continuation: earlier });
  const indexes = results.map(({ index }) => index);
  assert.deepEqual(indexes, ['100', '101', '102']);
});

test('a changed or unknown token, and that of another operation, is refused', async (t) => {
  const service = await sandbox(t, { credits: 1 });
  const token = (json: string): string => `+/${Buffer.from(json).toString('base64')}`;
  const changed = [
    ...[earlier.slice(0, -1), earlier.slice(0, 9), earlier.slice(1), `${earlier}=`, ` ${earlier}`],
    ...[earlier.replace('+', ' '), earlier.replace('+', '-'), encodeURIComponent(earlier), '+/', '4qmF'],
    token('{"operation":"uploads","list":"UUdemo__________________","offset":-1}'),
    token('{"operation":"uploads","list":["PLdemo"],"offset":1}'),
    token('{"operation":"playlist","list":"PLdemo","offset":1}'),
    token('{"operation":"resolve","list":"PLdemo","offset":1}'),
    token('null'),
  ];
  for (const continuation of changed)
    assert.equal((await get(service, 'channel/videos', { continuation })).status, 400, continuation);
  assert.equal((await get(service, 'playlist/videos', { continuation: earlier })).status, 400);
  assert.equal(service.account.credits, 1);
});

test('--plain-tokens: tokens need no encoding, and are valid at every sandbox', async (t) => {
  const other = await sandbox(t);
  const plain = await sandbox(t, { plainTokens: true, pageSize: 50 });
  const tokens = (await pages(plain, 'playlist/videos', { playlist: 'PLdemo' })).slice(0, -1);
  for (const { continuation_token: token } of tokens) {
    assert.match(String(token), /^[A-Za-z0-9][A-Za-z0-9_-]+$/);
    assert.equal((await get(other, 'playlist/videos', { continuation: String(token) })).status, 200);
    assert.equal((await get(other, 'playlist/videos', { continuation: `${token}A` })).status, 400);
  }
});
