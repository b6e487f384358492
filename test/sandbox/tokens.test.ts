import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, page, pages, sandbox } from './client.ts';

/** Token of `@demo` after 100 entries, from an earlier process. */
const earlier = '+/9C4eXZLx7zoBGC/u0IP3iK2A==';

test('spec 4.3 rule 2: the token of an earlier process is valid', async (t) => {
  const service = await sandbox(t);
  assert.equal((await page(service, 'channel/videos', { channel: '@demo' })).continuation_token, earlier);
  assert.equal((await page(service, 'channel/videos', { continuation: earlier })).results[0]?.index, '100');
});

test('spec 4.3 rule 2: a token is valid at another sandbox, also with another page size and key', async (t) => {
  const one = await sandbox(t, { pageSize: 100 });
  const other = await sandbox(t, { pageSize: 7, key: 'sk_other' });
  const { continuation_token } = await page(one, 'channel/videos', { channel: '@size-500' });
  const { results } = await page(other, 'channel/videos', { continuation: String(continuation_token) });
  assert.deepEqual(
    results.map(({ index }) => index),
    ['100', '101', '102', '103', '104', '105', '106'],
  );
});

test('tokens hold characters that a query must encode', async (t) => {
  const service = await sandbox(t, { pageSize: 10 });
  for (const { continuation_token } of await pages(service, 'playlist/videos', { playlist: 'PLdemo' })) {
    if (!continuation_token) continue;
    assert.match(continuation_token, /^\+\/.*=$/);
  }
});

test('spec 4.3, 4.5: the token of one operation is refused by the other', async (t) => {
  const service = await sandbox(t, { credits: 2 });
  const ofPlaylist = await page(service, 'playlist/videos', { playlist: 'PLdemo' });
  assert.equal((await get(service, 'channel/videos', { continuation: earlier })).status, 200);
  service.account.credits = 1;
  assert.equal((await get(service, 'playlist/videos', { continuation: earlier })).status, 400);
  const continuation = String(ofPlaylist.continuation_token);
  assert.equal((await get(service, 'channel/videos', { continuation })).status, 400);
  assert.equal(service.account.credits, 1);
});

test('a token with any change is refused', async (t) => {
  const service = await sandbox(t, { credits: 1 });
  const changed = [
    ...Array.from(earlier, (character, at) => {
      const other = character === 'A' ? 'B' : 'A';
      return earlier.slice(0, at) + other + earlier.slice(at + 1);
    }),
    earlier.slice(0, -1),
    earlier.slice(0, -2),
    `${earlier}=`,
    ` ${earlier}`,
    earlier.replace('+', ' '),
    earlier.replace('+', '-').replaceAll('/', '_'),
    encodeURIComponent(earlier),
    earlier.repeat(100),
  ];
  for (const continuation of changed) {
    assert.equal((await get(service, 'channel/videos', { continuation })).status, 400, continuation);
  }
  assert.equal(service.account.credits, 1);
});

test('--plain-tokens: tokens need no encoding, and are valid at every sandbox', async (t) => {
  const service = await sandbox(t, { plainTokens: true, pageSize: 10 });
  const other = await sandbox(t);
  for (const { continuation_token: token } of await pages(service, 'playlist/videos', {
    playlist: 'PLdemo',
  })) {
    if (!token) continue;
    assert.match(token, /^[A-Za-z0-9][A-Za-z0-9_-]+$/);
    assert.equal((await get(other, 'playlist/videos', { continuation: token })).status, 200);
    assert.equal((await get(other, 'playlist/videos', { continuation: `${token}A` })).status, 400);
  }
});

test('the token of a last page is null, an empty string or absent', async (t) => {
  const service = await sandbox(t);
  const last = async (path: string, query: Record<string, string>): Promise<unknown> => {
    const end = (await pages(service, path, query)).at(-1);
    assert.equal(end?.has_more, false);
    return 'continuation_token' in end ? end.continuation_token : 'absent';
  };
  assert.equal(await last('channel/videos', { channel: '@demo' }), null);
  assert.equal(await last('playlist/videos', { playlist: 'PLdemo' }), '');
  assert.equal(await last('channel/videos', { channel: '@odd' }), 'absent');
});
