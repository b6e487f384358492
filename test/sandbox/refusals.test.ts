import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../support/command.ts';
import { get, sandbox } from './client.ts';

const long = 'a'.repeat(200);
const faces = '😀'.repeat(199);
const place = '{"operation":"uploads","list":"UUdemo__________________","offset":100}';
const continuation = new URLSearchParams({ continuation: `+/${Buffer.from(place).toString('base64')}` });

/** Queries by path and status. */
const rules: readonly (readonly [path: string, status: number, ...queries: string[]])[] = [
  ['channel/resolve', 422, '', 'input=', 'input=two words', 'input=demo', 'input=PLdemo', `input=@${long}`],
  ['channel/resolve', 404, 'input=@nobody', 'input=UCshort', 'input=@size-1000001'],
  ['channel/resolve', 404, `input=@${long.slice(1)}`, `input=@${faces}`],
  ['channel/search', 422, 'channel=@demo', 'q=bread', 'channel=@demo&q=', `channel=@demo&q=a${long}`],
  ['channel/search', 200, `channel=@demo&q=a${faces}`, `channel=@demo&q=${long}`],
  ...['0', '51', '1.5', 'ten', '', '1e1', '-1'].map(
    (limit) => ['channel/search', 422, `channel=@demo&q=a&limit=${limit}`] as const,
  ),
  ['channel/search', 200, 'channel=@demo&q=a&limit=1', 'channel=@demo&q=a&limit=50'],
  ['channel/videos', 400, '', `channel=@demo&${continuation}`, 'continuation=x', 'continuation='],
  ['channel/videos', 404, 'channel=@nobody', 'channel=https://video.example/whatever'],
  ['channel/videos', 404, 'channel=UC0123456789012345678901', 'channel=UCdemo_________________x'],
  ['channel/videos', 422, 'channel='],
  ['channel/latest', 422, ''],
  ['channel/latest', 404, 'channel=@nobody'],
  ['playlist/videos', 400, '', 'playlist=PLdemo&continuation=x'],
  ['playlist/videos', 404, 'playlist=PLnothing', 'playlist=LLdemo', 'playlist=UUdemo'],
  ['playlist/videos', 422, 'playlist=@demo', 'playlist=https://video.example/playlist', 'playlist=RDdemo'],
  ['channel/about', 404, 'channel=@demo'],
  // What it does not know is ignored.
  ['channel/search', 200, 'channel=@demo&q=a&page=2'],
];

test('spec 4, 7, 8: parameter rules, each with a message, none with a debit', async (t) => {
  const service = await sandbox(t);
  for (const [path, status, ...queries] of rules) {
    for (const query of queries) {
      service.account.credits = 5;
      const response = await get(service, path, Object.fromEntries(new URLSearchParams(query)));
      assert.equal(response.status, status, `${path} ${query}: ${response.text}`);
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
  const { stdout } = await command(['resolve', '@me', '--sandbox', '--json']);
  assert.equal(JSON.parse(stdout).error.next, 'the sandbox has @demo, @empty, @odd, @size-N and PLdemo');
});
