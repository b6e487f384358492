import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { body, detail, get, sandbox } from './client.ts';

/** Status of a request with exactly these headers. */
function raw(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const rules: readonly (readonly [
  what: string,
  path: string,
  query: Record<string, string>,
  status: number,
])[] = [
  ['4.1: input is required', 'channel/resolve', {}, 422],
  ['4.1, 8: input has at least 1 character', 'channel/resolve', { input: '' }, 422],
  ['8: input has at most 200 characters', 'channel/resolve', { input: `@${'a'.repeat(200)}` }, 422],
  ['8: 200 characters are not too long', 'channel/resolve', { input: `@${'a'.repeat(199)}` }, 404],
  ['8: characters are code points', 'channel/resolve', { input: `@${'😀'.repeat(199)}` }, 404],
  ['1: not a reference', 'channel/resolve', { input: 'two words' }, 422],
  ['1: not a reference', 'channel/resolve', { input: 'demo' }, 422],
  ['1: not a reference', 'channel/resolve', { input: 'https://video.example/' }, 422],
  ['1: not a reference', 'channel/resolve', { input: 'PLdemo' }, 422],
  ['7: unknown handle', 'channel/resolve', { input: '@nobody' }, 404],
  ['7: unknown handle', 'channel/resolve', { input: '@size-1000001' }, 404],
  ['7: unknown handle', 'channel/resolve', { input: '@size-007' }, 404],
  ['7: unknown handle', 'channel/resolve', { input: '@size-' }, 404],
  ['7: unknown ID', 'channel/videos', { channel: 'UCrp-w49rcYgEM7-fcR1_9DR' }, 404],
  ['7: unknown ID', 'channel/resolve', { input: 'UCshort' }, 404],
  ['7: unknown URL', 'channel/resolve', { input: 'https://video.example/c/nobody' }, 404],
  ['4.2: channel and q are required', 'channel/search', { channel: '@demo' }, 422],
  ['4.2: channel and q are required', 'channel/search', { q: 'bread' }, 422],
  ['4.2, 8: q has at least 1 character', 'channel/search', { channel: '@demo', q: '' }, 422],
  ['8: q has at most 200 characters', 'channel/search', { channel: '@demo', q: 'a'.repeat(201) }, 422],
  ['8: q counts code points', 'channel/search', { channel: '@demo', q: '😀'.repeat(200) }, 200],
  ['8: limit from 1', 'channel/search', { channel: '@demo', q: 'a', limit: '0' }, 422],
  ['8: limit from 1', 'channel/search', { channel: '@demo', q: 'a', limit: '1' }, 200],
  ['8: limit to 50', 'channel/search', { channel: '@demo', q: 'a', limit: '50' }, 200],
  ['8: limit to 50', 'channel/search', { channel: '@demo', q: 'a', limit: '51' }, 422],
  ['4.2: limit is an integer', 'channel/search', { channel: '@demo', q: 'a', limit: '1.5' }, 422],
  ['4.2: limit is an integer', 'channel/search', { channel: '@demo', q: 'a', limit: 'ten' }, 422],
  ['4.2: limit is an integer', 'channel/search', { channel: '@demo', q: 'a', limit: '' }, 422],
  ['4.2: limit is an integer', 'channel/search', { channel: '@demo', q: 'a', limit: '1e1' }, 422],
  ['4.3: neither channel nor continuation', 'channel/videos', {}, 400],
  ['4.3: both', 'channel/videos', { channel: '@demo', continuation: 'x' }, 400],
  ['4.3: not a token', 'channel/videos', { continuation: 'x' }, 400],
  ['4.3: not a token', 'channel/videos', { continuation: '' }, 400],
  ['4.3: unknown channel', 'channel/videos', { channel: '@nobody' }, 404],
  ['4.3: not a channel', 'channel/videos', { channel: '' }, 422],
  ['4.4: channel is required', 'channel/latest', {}, 422],
  ['4.4: unknown channel', 'channel/latest', { channel: '@nobody' }, 404],
  ['4.5 rule 1: neither playlist nor continuation', 'playlist/videos', {}, 400],
  ['4.5 rule 1: both', 'playlist/videos', { playlist: 'PLdemo', continuation: 'x' }, 400],
  ['4.5: unknown playlist', 'playlist/videos', { playlist: 'PLnothing' }, 404],
  ['4.5: unknown playlist', 'playlist/videos', { playlist: 'LLdemo' }, 404],
  ['1: unknown URL', 'channel/videos', { channel: 'https://video.example/whatever' }, 404],
  ['4.3: unknown ID', 'channel/videos', { channel: 'UC0123456789012345678901' }, 404],
  ['4.5: not a playlist', 'playlist/videos', { playlist: '@demo' }, 422],
  ['4.5: not a playlist', 'playlist/videos', { playlist: 'https://video.example/playlist' }, 422],
  ['4.5: not a playlist', 'playlist/videos', { playlist: 'RDdemo' }, 422],
  ['1: no such operation', 'channel/about', { channel: '@demo' }, 404],
];

test('spec 4, 7, 8: parameter rules, each with a message, none with a debit', async (t) => {
  for (const [what, path, query, status] of rules) {
    await t.test(`spec ${what}: ${path} ${JSON.stringify(query).slice(0, 60)} -> ${status}`, async (t) => {
      const service = await sandbox(t, { credits: 5 });
      const answer = await get(service, path, query);
      assert.equal(answer.status, status, answer.text);
      assert.equal(service.account.credits, status === 200 ? 4 : 5);
      if (status !== 200) assert.ok(JSON.stringify(detail(answer)).length > 5);
    });
  }
});

test('spec 7: a bad parameter is reported with its place, message and type', async (t) => {
  const service = await sandbox(t);
  assert.deepEqual(detail(await get(service, 'channel/search', { limit: '51' })), [
    { loc: ['query', 'channel'], msg: 'Field required', type: 'missing' },
    { loc: ['query', 'q'], msg: 'Field required', type: 'missing' },
    { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 50', type: 'less_than_equal' },
  ]);
});

test('spec 7: the other shapes of detail: a text, and an object with a message', async (t) => {
  const service = await sandbox(t, { credits: 0 });
  assert.deepEqual(
    detail(await get({ ...service, key: 'wrong' }, 'channel/latest')),
    'the API key is not valid',
  );
  const { message } = detail(await get(service, 'channel/latest')) as { message: string };
  assert.equal(message, 'the account has no credits left');
});

test('spec 4: a parameter given twice is refused, an unknown one is not', async (t) => {
  const { baseUrl, key } = await sandbox(t);
  const headers = { authorization: `Bearer ${key}`, 'user-agent': 'x' };
  const url = `${baseUrl}/api/v2/media/channel/resolve?input=@demo`;
  assert.equal(await raw(`${url}&input=@empty`, 'GET', headers), 422);
  assert.equal(await raw(`${url}&page=2`, 'GET', headers), 200);
});

test('spec 5 rule 1: only a Bearer header with the key is accepted', async (t) => {
  const { baseUrl } = await sandbox(t, { key: 'sk_right' });
  const url = `${baseUrl}/api/v2/media/channel/resolve?input=@demo`;
  const status = (authorization?: string): Promise<number | undefined> =>
    raw(url, 'GET', { 'user-agent': 'x', ...(authorization === undefined ? {} : { authorization }) });
  assert.equal(await status('Bearer sk_right'), 200);
  for (const wrong of [undefined, '', 'Bearer', 'Bearer ', 'Bearer sk_wrong', 'Bearer sk_right x']) {
    assert.equal(await status(wrong), 401, String(wrong));
  }
  assert.equal(await status('sk_right'), 401);
  assert.equal(await status('Basic sk_right'), 401);
});

test('spec 4, 9: only GET, only /api/v2/media/', async (t) => {
  const { baseUrl, key } = await sandbox(t);
  const headers = { authorization: `Bearer ${key}`, 'user-agent': 'x' };
  const query = 'channel/resolve?input=@demo';
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
    assert.equal(await raw(`${baseUrl}/api/v2/media/${query}`, method, headers), 405, method);
  }
  for (const path of ['/', '/api/v1/media/', '/api/v2/other/', '/api/v2/media//', '/api/v2/media/channel/']) {
    assert.equal(await raw(`${baseUrl}${path}${query}`, 'GET', headers), 404, path);
  }
});

test('a request without User-Agent is refused before the service, as deployments do', async (t) => {
  const { baseUrl, key } = await sandbox(t);
  const url = `${baseUrl}/api/v2/media/channel/resolve?input=@demo`;
  const authorization = `Bearer ${key}`;
  assert.equal(await raw(url, 'GET', { authorization }), 403);
  assert.equal(await raw(url, 'GET', { authorization, 'user-agent': '' }), 403);
  assert.equal(await raw(url, 'GET', { authorization, 'user-agent': 'curl/8.5.0' }), 200);
  const refused = await fetch(url, { headers: { authorization, 'user-agent': ' ' } });
  assert.deepEqual([refused.status, refused.headers.get('content-type')], [403, 'text/html; charset=utf-8']);
});

test('spec 4.1: the input comes back letter for letter', async (t) => {
  const service = await sandbox(t);
  const input = 'https://vidéo.example/@demo?a=1&b=%2B+c';
  const { resolved_from } = body<{ resolved_from: string }>(await get(service, 'channel/resolve', { input }));
  assert.equal(resolved_from, input);
});

test('resolve of any canonical ID is 200; a free operation needs a path and a key', async (t) => {
  const service = await sandbox(t, { namespace: 'tube' });
  const input = 'UC0123456789012345678901';
  const at = (path: string, key: string): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v2/${path}/channel/resolve?input=${input}`, {
      headers: { authorization: `Bearer ${key}`, 'user-agent': 'x' },
    });
  assert.deepEqual(await (await at('tube', service.key)).json(), { channel_id: input, resolved_from: input });
  assert.equal((await at('tube', 'wrong')).status, 401);
  assert.equal((await at('media', service.key)).status, 404);
  assert.equal((await at('media', 'wrong')).status, 404);
});
