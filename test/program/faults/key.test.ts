import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere as run } from '../../support/command.ts';
import { serviceEnvironment, temporaryFolder, testKey } from '../../support/program.ts';
import { page, type Reply, scriptedService } from '../../support/service.ts';
import { inBatches } from './fault.ts';

// `run` and `temporaryFolder` fail where they see the key: on stdout or stderr, in a file.

const loud = { CHANLIST_DEBUG: '1' };

/** Throws if any piece of the key is shown. */
function assertNoPiece(text: string, name: string): void {
  for (let at = 0; at + 6 <= testKey.length; at++) {
    const piece = testKey.slice(at, at + 6);
    assert.ok(!text.includes(piece), `${name}: ${piece} in ${text}`);
  }
}

/** Responses that contain the key, in every part. */
const echoes: readonly (readonly [name: string, reply: Reply, exit: number])[] = [
  ...(
    [
      [400, 8],
      [401, 3],
      [402, 4],
      [403, 3],
      [404, 5],
      [422, 8],
      [429, 6],
      [500, 7],
      [503, 7],
    ] as const
  ).map(([status, exit]): [string, Reply, number] => [
    `${status} detail`,
    { status, headers: { 'retry-after': '9999' }, body: { detail: `bad key: Bearer ${testKey}` } },
    exit,
  ]),
  ['the key where the message is cut', { status: 422, body: { detail: `${'x'.repeat(290)}${testKey}` } }, 8],
  ['the key twice', { status: 422, body: { detail: { message: `${testKey}${testKey} ${testKey}` } } }, 8],
  ['the key in a place', { status: 422, body: { detail: [{ loc: [testKey], msg: testKey }] } }, 8],
  ['a redirect', { status: 302, headers: { location: `https://evil.example/?key=${testKey}` } }, 8],
  ['a redirect that is cut', { status: 302, headers: { location: `/${'x'.repeat(290)}${testKey}` } }, 8],
  ['the packing', { headers: { 'content-encoding': testKey }, text: '{}' }, 8],
  ['no HTTP', (_, socket) => void socket.end(`Bearer ${testKey}\r\n`), 8],
  ['a header that is none', (_, socket) => void socket.end(`HTTP/1.1 200 OK\r\n${testKey}\r\n\r\n`), 8],
  ['a body that is no JSON', { text: `Bearer ${testKey}` }, 8],
];

test('a key in a response appears in no message, log, summary or document', async (t) => {
  await inBatches(echoes, async ([name, reply, exit]) => {
    const service = await scriptedService(t, () => reply);
    const summary = join(await temporaryFolder(t), 'summary.json');
    const args = [
      'uploads',
      '@a',
      '--json',
      '-vv',
      '--retries',
      '1',
      '--max-wait',
      '1',
      '--summary',
      summary,
    ];
    const result = await run(args, { env: { ...serviceEnvironment(service.url), ...loud } });
    assert.equal(result.exit, exit, `${name}: ${result.stderr}`);
    assertNoPiece(result.stderr, name);
    assertNoPiece(result.stdout, name);
    assertNoPiece(await readFile(summary, 'utf8'), name);
  });
});

test('a key in a continuation token is in no log and in no command line', async (t) => {
  const service = await scriptedService(t, (_, number) => ({
    body: page(number, number + 1, number !== 2 ? `token-${number}-${testKey}` : null),
  }));
  const env = { ...serviceEnvironment(service.url), ...loud };
  const all = await run('uploads @a -vv', { env });
  assert.equal(all.exit, 0);
  assert.equal(service.seen.length, 3);
  assert.match(all.stderr, /continuation=token-0-\[key\]/);
  const cut = await run('uploads @a -vv --max-credits 1', { env });
  assert.equal(cut.exit, 9);
});

test('a key of exactly eight characters is hidden', async (t) => {
  const service = await scriptedService(t, (_, number) => ({
    body: { results: [number === 0 ? { a: 1 } : { a: 1, '8charkey': 2 }] },
  }));
  const result = await run('latest @a @8charkey -f csv --concurrency 1 -vv', {
    env: { CHANLIST_BASE_URL: service.url, CHANLIST_API_KEY: '8charkey' },
  });
  assert.equal(result.exit, 0);
  assert.match(result.stderr, /channel=%40\[key\]/);
  assert.match(result.stderr, /not in the header: \[key\];/);
  assert.doesNotMatch(result.stderr, /8charkey/);
});

test('a key of characters that addresses escape is not shown escaped either', async (t) => {
  const key = 'sk/test+key=="quoted"';
  const service = await scriptedService(t, () => ({
    status: 302,
    headers: { location: `/?key=${encodeURIComponent(key)}` },
  }));
  const result = await run('latest @a -vv', {
    env: { CHANLIST_BASE_URL: service.url, CHANLIST_API_KEY: key },
  });
  assert.equal(result.exit, 8);
  assert.ok(!result.stderr.includes(encodeURIComponent(key)), result.stderr);
  assert.match(result.stderr, /\?key=\[key\]/);
});

test('no redirect is followed', async (t) => {
  const other = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const port = new URL(other.url).port;
  const places = [
    `${other.url}/x`,
    `//127.0.0.1:${port}/x`,
    `http://localhost:${port}/`,
    '/api/v2/media/elsewhere',
    'https://evil.example/',
    'data:application/json,{}',
    '',
  ];
  for (const location of places) {
    const redirecting = await scriptedService(t, ({ query }) => ({
      status: Number(query.get('channel')?.slice(1)),
      headers: { location },
    }));
    const channels = ['@301', '@302', '@303', '@307', '@308'];
    const result = await redirecting.run(['latest', ...channels]);
    assert.equal(result.exit, 8);
    assert.equal(redirecting.seen.length, channels.length);
  }
  assert.equal(other.seen.length, 0);
});

test('a stored key is sent to the origin that it was stored with, and to no other', async (t) => {
  const folder = await temporaryFolder(t);
  const own = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const other = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  await mkdir(join(folder, 'chanlist'));
  const profile = { baseUrl: own.url, namespace: 'media', key: testKey };
  const store = { version: 1, active: 'default', profiles: { default: profile } };
  await writeFile(join(folder, 'chanlist', 'config.json'), JSON.stringify(store), { mode: 0o600 });
  const env = { XDG_CONFIG_HOME: folder, ...loud };
  const uploads = ['uploads', '@a', '-vv'];
  assert.equal((await run([...uploads, '--base-url', `${own.url}/path`], { env })).exit, 0);
  assert.equal(own.seen[0]?.headers.authorization, `Bearer ${testKey}`);

  const { port } = new URL(own.url);
  const foreign = [
    other.url,
    `http://localhost:${port}`,
    `http://127.0.0.2:${port}`,
    `http://[::1]:${port}`,
    `https://127.0.0.1:${port}`,
    `https://127.0.0.1.evil.example:${port}`,
    'https://evil.example',
  ];
  await inBatches(foreign, async (url) => {
    for (const result of [
      await run([...uploads, '--base-url', url], { env }),
      await run(uploads, { env: { ...env, CHANLIST_BASE_URL: url } }),
    ]) {
      assert.equal(result.exit, 3, url);
      assert.match(result.stderr, /^chanlist: error: the key of profile 'default' belongs to http:\/\/127/);
    }
  });
  assert.equal(own.seen.length, 1);
  assert.equal(other.seen.length, 0);
});

test('plain http to anything but loopback, and addresses with a password, are refused before anything is sent', async () => {
  const addresses = [
    'http://api.example.com',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.',
    'http://10.0.0.1',
    'http://0.0.0.0:80',
    'http://128.0.0.1',
    'http://[::]',
    'http://[::2]',
    'http://[::ffff:127.0.0.1]',
    'http://user:hunter2@127.0.0.1',
    'https://hunter2@api.example.com',
    'https://api.example.com@evil.example',
    'https://api.example.com?key=hunter2',
    'https://api.example.com#hunter2',
    `https://api.example.com/${testKey}`.replace('/', '\\'),
    'ftp://api.example.com',
    'hunter2',
  ];
  await inBatches(addresses, async (url) => {
    const result = await run('uploads @a -vv', { env: { ...serviceEnvironment(url), ...loud } });
    assert.equal(result.exit, 2, url);
    assert.match(result.stderr, /^chanlist: error: CHANLIST_BASE_URL: /);
    assert.doesNotMatch(result.stderr, /hunter2/);
  });
});

test('a key that would break out of its header is refused without being shown', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const folder = await temporaryFolder(t);
  const broken = [
    `${testKey}\r\nX-Evil: 1`,
    `${testKey}\nX`,
    `${testKey}\rX`,
    `${testKey} X`,
    `${testKey}\u0001`,
    `${testKey}\u0085X`,
    `${testKey}é`,
    `${testKey}\u202e`,
  ];
  for (const key of broken) {
    const file = join(folder, 'key.txt');
    await writeFile(file, key);
    for (const [more, setting] of [
      ['', { CHANLIST_API_KEY: key }],
      ['', { CHANLIST_API_KEY_FILE: file }],
      [` --key-file ${file}`, {}],
    ] as const) {
      const env = { CHANLIST_BASE_URL: service.url, ...setting, ...loud };
      const result = await run(`uploads @a -vv${more}`, { env });
      assert.equal(result.exit, 2, JSON.stringify(key));
      assertNoPiece(result.stderr, JSON.stringify(key));
    }
  }
  const trimmed = await run('uploads @a', {
    env: { CHANLIST_BASE_URL: service.url, CHANLIST_API_KEY: ` \t${testKey}\r\n` },
  });
  assert.equal(trimmed.exit, 0);
  assert.equal(service.seen.length, 1);
  assert.equal(service.seen[0]?.headers.authorization, `Bearer ${testKey}`);
});

test('auth: the key is stored in one file of mode 0600, and only its last four characters are shown', async (t) => {
  const folder = await temporaryFolder(t);
  const service = await scriptedService(t, ({ headers }) =>
    headers.authorization === `Bearer ${testKey}`
      ? { body: { channel_id: 'UCx', resolved_from: testKey } }
      : { status: 401, body: { detail: headers.authorization } },
  );
  const env = { XDG_CONFIG_HOME: folder, ...loud };
  const login = await run(['auth', 'login', '--base-url', service.url, '-v'], { env, input: `${testKey}\n` });
  assert.equal(login.exit, 0, login.stderr);
  const file = join(folder, 'chanlist', 'config.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  for (const line of ['auth status', 'auth status --json', 'auth list', 'auth list --json']) {
    const { exit, stdout, stderr } = await run(line, { env });
    assert.equal(exit, 0, stderr);
    assertNoPiece(`${stdout}${stderr}`.replaceAll(testKey.slice(-4), ''), line);
  }
  const wrong = 'sk_wrong_0123456789';
  const refused = await run(['auth', 'login', '--base-url', service.url], { env, input: wrong });
  assert.equal(refused.exit, 3);
  assert.ok(!refused.stderr.includes(wrong), refused.stderr);
  assert.ok(!(await readFile(file, 'utf8')).includes(wrong));
});

test('a flag that takes the key is refused without being repeated: it would show in the process list', async () => {
  for (const flag of [
    '--key hunter2',
    '--api-key=hunter2',
    '--token=hunter2',
    '--password hunter2',
    '--kee=hunter2',
  ]) {
    const result = await run(`uploads @a ${flag}`, { env: loud });
    assert.equal(result.exit, 2);
    assert.doesNotMatch(result.stderr, /hunter2/);
  }
});
