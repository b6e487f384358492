import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../support/command.ts';
import { get, sandbox } from './client.ts';

const channel = '@demo';
const long = 'a'.repeat(200);
const faces = '😀'.repeat(199);
const place = '{"operation":"uploads","list":"UUdemo__________________","offset":100}';
const continuation = `+/${Buffer.from(place).toString('base64')}`;

/** Requests by path and status: the parameters of each. */
const rules: readonly (readonly [path: string, status: number, ...queries: Record<string, string>[]])[] = [
  [
    'channel/resolve',
    422,
    {},
    ...['', `@${long}`, 'two words', 'demo', 'PLdemo'].map((input) => ({ input })),
  ],
  [
    'channel/resolve',
    404,
    ...['@nobody', `@${long.slice(1)}`, `@${faces}`, 'UCshort', '@size-1000001'].map((input) => ({ input })),
  ],
  ['channel/search', 422, { channel }, { q: 'bread' }, { channel, q: '' }, { channel, q: `a${long}` }],
  ['channel/search', 200, { channel, q: `a${faces}` }, { channel, q: long }],
  [
    'channel/search',
    422,
    ...['0', '51', '1.5', 'ten', '', '1e1', '-1'].map((limit) => ({ channel, q: 'a', limit })),
  ],
  ['channel/search', 200, { channel, q: 'a', limit: '1' }, { channel, q: 'a', limit: '50' }],
  ['channel/videos', 400, {}, { channel, continuation }, { continuation: 'x' }, { continuation: '' }],
  ['channel/videos', 404, { channel: '@nobody' }, { channel: 'https://video.example/whatever' }],
  ['channel/videos', 404, { channel: 'UC0123456789012345678901' }, { channel: 'UCdemo_________________x' }],
  ['channel/videos', 422, { channel: '' }],
  ['channel/latest', 422, {}],
  ['channel/latest', 404, { channel: '@nobody' }],
  ['playlist/videos', 400, {}, { playlist: 'PLdemo', continuation: 'x' }],
  ['playlist/videos', 404, ...['PLnothing', 'LLdemo', 'UUdemo'].map((playlist) => ({ playlist }))],
  [
    'playlist/videos',
    422,
    ...['@demo', 'https://video.example/playlist', 'RDdemo'].map((playlist) => ({ playlist })),
  ],
  ['channel/about', 404, { channel }],
  // What it does not know is ignored.
  ['channel/search', 200, { channel, q: 'a', page: '2' }],
];

test('spec 4, 7, 8: parameter rules, each with a message, none with a debit', async (t) => {
  const service = await sandbox(t);
  for (const [path, status, ...queries] of rules) {
    for (const query of queries) {
      service.account.credits = 5;
      const response = await get(service, path, query);
      assert.equal(response.status, status, `${path} ${JSON.stringify(query)}: ${response.text}`);
      assert.equal(service.account.credits, status === 200 ? 4 : 5);
      if (status !== 200) assert.match(response.text, /^\{"detail":.{5,}\}$/);
    }
  }
});

test('spec 7: detail is a text, an object with a message, or a list of what is wrong where', async (t) => {
  const service = await sandbox(t, { credits: 1 });
  const detail = async (path: string, query = {}): Promise<unknown> =>
    JSON.parse((await get(service, path, query)).text).detail;
  assert.deepEqual(await detail('channel/search', { limit: '51' }), [
    { loc: ['query', 'channel'], msg: 'Field required' },
    { loc: ['query', 'q'], msg: 'Field required' },
    { loc: ['query', 'limit'], msg: 'Expected an integer from 1 to 50' },
  ]);
  assert.equal(await detail('channel/about'), 'there is no such path');
  service.account.credits = 0;
  const poor = { code: 'no_credits', message: 'the account has no credits left' };
  assert.deepEqual(await detail('channel/latest'), poor);
});

test('spec 4, 5, 9: only GET, only the paths of the namespace, only a Bearer header with the key', async (t) => {
  const { baseUrl } = await sandbox(t, { key: 'sk_right', namespace: 'tube' });
  const base = '/api/v2/tube/';
  const input = 'UC0123456789012345678901';
  const right = 'Bearer sk_right';
  const status = async (method: string, folder: string, authorization?: string): Promise<number> => {
    const headers = authorization === undefined ? {} : { authorization };
    return (await fetch(`${baseUrl}${folder}channel/resolve?input=${input}`, { method, headers })).status;
  };
  assert.equal(await status('GET', base, right), 200, 'resolve of any canonical ID');
  const wrongKeys = ['Bearer', 'Bearer sk_wrong', 'Bearer sk_right x', 'sk_right', 'Basic sk_right'];
  for (const wrong of [undefined, '', ...wrongKeys])
    assert.equal(await status('GET', base, wrong), 401, wrong);
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])
    assert.equal(await status(method, base, right), 405, method);
  for (const folder of ['/', '/api/v1/tube/', '/api/v2/media/', `${base}/`, `${base}channel/`])
    for (const key of [right, 'wrong']) assert.equal(await status('GET', folder, key), 404, folder);
});

test('--sandbox: the message about what it does not know names its demo references, and no address', async () => {
  for (const words of ['resolve @me', 'search @me x', 'uploads @me @you', 'latest @me', 'playlist PLme']) {
    const { exit, stderr } = await command([...words.split(' '), '--sandbox']);
    assert.equal(exit, 5);
    assert.match(stderr, /; the sandbox has @demo, @empty, @odd, @size-N and PLdemo\n$/);
    assert.doesNotMatch(stderr, /address|namespace|spelling/);
  }
});
