import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder, testKey } from '../../support/program.ts';
import { page, type Reply, scriptedService } from '../../support/service.ts';
import { inBatches } from './fault.ts';

// Runs and `temporaryFolder` fail where they see the key: on stdout or stderr, in a file.

const loud = { CHANLIST_DEBUG: '1' };

/** Responses that contain the key, in every part. */
const echoes: readonly (readonly [name: string, reply: Reply, exit: number])[] = [
  ['a detail', { status: 401, body: { detail: `bad key: Bearer ${testKey}` } }, 3],
  ['a detail that is retried', { status: 503, body: { detail: testKey } }, 7],
  ['the key where the message is cut', { status: 422, body: { detail: `${'x'.repeat(290)}${testKey}` } }, 8],
  ['the key twice', { status: 422, body: { detail: { message: `${testKey}${testKey} ${testKey}` } } }, 8],
  ['the key in a place', { status: 422, body: { detail: [{ loc: [testKey], msg: testKey }] } }, 8],
  ['a redirect', { status: 302, headers: { location: `https://evil.example/?key=${testKey}` } }, 8],
  ['a redirect that is cut', { status: 302, headers: { location: `/${'x'.repeat(290)}${testKey}` } }, 8],
  ['no HTTP', (_, socket) => void socket.end(`Bearer ${testKey}\r\n`), 8],
  ['an invalid header', (_, socket) => void socket.end(`HTTP/1.1 200 OK\r\n${testKey}\r\n\r\n`), 8],
  ['a body that is not JSON', { text: `Bearer ${testKey}` }, 8],
];

test('a key in a response appears in no message, log, summary or document', async (t) => {
  await inBatches(echoes, async ([name, reply, exit]) => {
    const service = await scriptedService(t, () => reply);
    const summary = join(await temporaryFolder(t), 'summary.json');
    const line = `uploads @a --json -vv --retries 1 --max-wait 1 --summary ${summary}`;
    const result = await service.run(line, { env: loud });
    assert.equal(result.exit, exit, `${name}: ${result.stderr}`);
    const shown = `${result.stderr}${result.stdout}${await readFile(summary, 'utf8')}`;
    for (let at = 0; at + 6 <= testKey.length; at++) {
      const piece = testKey.slice(at, at + 6);
      assert.ok(!shown.includes(piece), `${name}: ${piece} in ${shown}`);
    }
  });
});

test('what the service sends is passed on as sent, with a key in it too; a warning about it hides the key', async (t) => {
  // Not `testKey`, which no run may print.
  const key = 'sk_echoed_by_service';
  const results = [{ title: `a ${key}`, [key]: 1 }];
  const service = await scriptedService(t, () => ({ body: { ...page(0, 0, null), results } }));
  const env = { CHANLIST_API_KEY: key };
  assert.equal((await service.run('uploads @a', { env })).stdout, `${JSON.stringify(results[0])}\n`);
  const { stderr } = await service.run('uploads @a --fields nope', { env });
  assert.match(stderr, /nope; the fields are title, \[key\]\n$/);
});

test('a key in a continuation token is in no log and in no command line', async (t) => {
  const service = await scriptedService(t, (_, number) => ({
    body: page(number, number + 1, `token-${number}-${testKey}`),
  }));
  const result = await service.run('uploads @a -vv --max-credits 2', { env: loud });
  assert.equal(result.exit, 9);
  assert.match(result.stderr, /continuation=token-0-\[key\]/);
});

test('no redirect is followed', async (t) => {
  const other = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const { port } = new URL(other.url);
  for (const location of [
    `${other.url}/x`,
    `//127.0.0.1:${port}/x`,
    `http://localhost:${port}/`,
    '/api/v2/media/elsewhere',
    'data:application/json,{}',
    '',
  ]) {
    const redirecting = await scriptedService(t, ({ query }) => ({
      status: Number(query.get('channel')?.slice(1)),
      headers: { location },
    }));
    const result = await redirecting.run('latest @301 @302 @303 @307 @308');
    assert.deepEqual([result.exit, redirecting.seen.length], [8, 5]);
  }
  assert.equal(other.seen.length, 0);
});
