import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { entry, page, type Reply, type Seen, scriptedService } from '../../support/service.ts';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** No complete response: retried, and possibly charged. */
function broken(
  name: string,
  reply: Reply,
  status: number | null,
  said: RegExp,
  rest: Partial<Fault> = {},
): Fault {
  return { name, reply, exit: 7, code: 'unavailable', status, charge: 'possibly_charged', said, ...rest };
}

/** Writes these bytes in place of a response, then does something with the connection. */
const raw =
  (bytes: string, then: (socket: Socket) => void = () => {}): Reply =>
  (_, socket) => {
    socket.write(bytes, () => setImmediate(then, socket));
  };
const reset = (socket: Socket): void => {
  socket.resetAndDestroy();
};
const close = (socket: Socket): void => {
  socket.end();
};

/** Writes again and again until nobody listens any more. */
const forever =
  (bytes: string, milliseconds: number): Reply =>
  (_: ServerResponse, socket: Socket) => {
    const timer = setInterval(() => socket.write(bytes), milliseconds);
    socket.on('close', () => clearInterval(timer));
    socket.on('error', () => {});
  };
const start =
  (bytes: string, then: Reply): Reply =>
  (response, socket) => {
    socket.write(bytes);
    if (typeof then === 'function') then(response, socket);
  };

const whole = JSON.stringify(page(0, 2, null));
const head = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const broke = /no complete response: /;
const late = /no complete response: timed out after 1 s/;
const soon = ['--timeout', '1'];

const breaks: readonly Fault[] = [
  broken('a reset before the response', raw('', reset), null, /connection reset/, { everywhere: true }),
  broken('an end before the response', raw('', close), null, /connection was closed/),
  broken('a reset in the status line', raw('HTTP/1.1 20', reset), null, broke),
  broken('a reset in the headers', raw('HTTP/1.1 200 OK\r\nContent-Le', reset), null, broke, {
    everywhere: true,
  }),
  broken('an end in the headers', raw('HTTP/1.1 200 OK\r\nContent-Le', close), null, broke),
  broken('a reset in the body', raw(`${head(5000)}{"results":[`, reset), 200, broke, { everywhere: true }),
  broken('an end in the body', raw(`${head(5000)}{"results":[`, close), 200, broke, { everywhere: true }),
  broken('a reset behind the headers', raw(head(5000), reset), 200, broke),
  broken('chunks without an end', raw(`${chunked}c\r\n{"results":[\r\n`, close), 200, broke),
  broken('a chunk that is cut short', raw(`${chunked}ff\r\n{"results":[`, close), 200, broke),
  broken(
    'an end in the body of a last response',
    raw(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5000\r\n\r\n{"results":[`, close),
    200,
    broke,
  ),
  broken(
    'chunks without an end, in a last response',
    raw('HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{', close),
    200,
    /connection was closed/,
  ),
  broken(
    'a switch of protocols',
    raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    null,
    broke,
  ),
];

const slow: readonly Fault[] = [
  broken('no response at all', () => {}, null, late, { args: soon, everywhere: true }),
  broken('one byte of the headers at a time', start('HTTP/1.1 200 OK\r\nX: ', forever('x', 50)), null, late, {
    args: soon,
  }),
  broken('a Content-Length that is too long', raw(head(whole.length + 1) + whole), 200, late, {
    args: soon,
    everywhere: true,
  }),
  broken('one byte of the body at a time', start(`${head(100_000)}{`, forever(' ', 50)), 200, late, {
    args: soon,
  }),
  broken('chunks without end', start(chunked, forever('1\r\n \r\n', 50)), 200, late, { args: soon }),
  broken('hints without end', forever('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n', 50), null, late, {
    args: soon,
  }),
];

/** No HTTP server, or one that breaks the rules of HTTP: a retry would not help. */
const notHttp = (
  name: string,
  reply: Reply,
  said = /the response is not valid HTTP/,
  status: number | null = null,
): Fault => ({ ...broken(name, reply, status, said), exit: 8, code: 'invalid_response' });

const strange: readonly Fault[] = [
  { ...notHttp('another protocol', raw('SSH-2.0-OpenSSH_9.2\r\n')), everywhere: true },
  notHttp(
    'two lengths',
    raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    /not as long as its Content-Length/,
  ),
  notHttp('a body without headers', raw('{"results":[],"has_more":false}')),
  notHttp('a status of 000', raw('HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\n{}')),
  notHttp('a status of four digits', raw('HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}')),
  notHttp('a length that is no number', raw('HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}')),
  notHttp(
    'a length and chunks',
    raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    /not as long as its Content-Length/,
  ),
  notHttp('a header with a control character', raw('HTTP/1.1 200 OK\r\nA\u0000: b\r\n\r\n')),
  notHttp('a chunk of no length', raw(`${chunked}zz\r\n{"results":[`), undefined, 200),
  notHttp('a chunk that is longer than it says', raw(`${chunked}2\r\n{"results":[\r\n`), undefined, 200),
  notHttp(
    'headers without end',
    start('HTTP/1.1 200 OK\r\n', forever(`X: ${'x'.repeat(1000)}\r\n`, 1)),
    /too many headers/,
  ),
];

/** JSON that is cut. */
const tooShort: Fault = {
  ...notHttp('a Content-Length that is too short', raw(head(whole.length - 1) + whole), /not JSON/, 200),
  ...{ charge: 'confirmed', everywhere: true },
};

/** The status line has arrived: certainly not charged, even if the body breaks off. */
const certain: readonly Fault[] = (
  [
    [503, 7, 'unavailable'],
    [429, 6, 'rate_limited'],
    [402, 4, 'no_credits'],
    [404, 5, 'not_found'],
  ] as const
).map(([status, exit, code]) => ({
  name: `a ${status} of which the body breaks off`,
  reply: raw(`HTTP/1.1 ${status} Reason\r\nContent-Length: 500\r\n\r\n{"detail":`, reset),
  exit,
  code,
  status,
  charge: 'none',
  said: new RegExp(`\\(${status}\\)`),
}));

test('a connection that breaks at any point: 7, possibly charged', (t) =>
  inBatches(breaks, (fault) => checkFault(t, fault)));

test('a response that does not end within --timeout: 7, possibly charged', (t) =>
  inBatches(slow, (fault) => checkFault(t, fault)));

test('a response that is not valid HTTP, or has a wrong length, is 8', (t) =>
  inBatches([...strange, tooShort], (fault) => checkFault(t, fault)));

test('the status alone decides if the body of an error breaks off: nothing is charged', (t) =>
  inBatches(certain, (fault) => checkFault(t, fault)));

test('a response that breaks the rules of HTTP is not requested again', async (t) => {
  const responses = [raw('SSH-2.0-OpenSSH_9.2\r\n'), raw(`${chunked}zz\r\n{"results":[`)];
  await inBatches(responses, async (response) => {
    const service = await scriptedService(t, () => response);
    const result = await service.run('uploads @a');
    assert.equal(result.exit, 8);
    assert.equal(service.seen.length, 1);
    assert.match(result.stderr, /; 0 credits spent, 1 more possibly charged;/);
  });
});

test('a page that may have been charged twice is not requested again in this run', async (t) => {
  const cut = raw(`${head(5000)}{"results":[`, close);
  const busy: Reply = { status: 503 };
  const resolved = { channel_id: 'UCa' };
  const paged = (replies: readonly Reply[]) => (n: number) =>
    replies[n] ?? { body: { ...resolved, ...page(n, n + 1, null) } };
  const cases: readonly (readonly [args: string[], replies: Reply[], exit: number, requests: number])[] = [
    [['uploads', '@a'], [cut, cut], 7, 2],
    [['uploads', '@a'], [cut, busy, raw('', reset)], 7, 3],
    [['search', '@a', 'x'], [raw('', reset), cut], 7, 2],
    // Complete errors are not charged, and other requests have their own count.
    [['uploads', '@a'], [busy, cut, busy, busy], 0, 5],
    [['uploads', '@a'], [cut, { body: page(0, 1, 'next') }, cut], 0, 4],
    // Free requests are sent as often as --retries says.
    [['resolve', '@a'], [cut, cut, cut, cut], 0, 5],
  ];
  for (const [args, replies, exit, requests] of cases) {
    const service = await scriptedService(t, (_, n) => paged(replies)(n));
    const result = await service.command(args);
    assert.equal(result.exit, exit, `${args[0]}: ${result.stderr}`);
    assert.equal(service.seen.length, requests);
    if (exit === 7)
      assert.match(
        result.stderr,
        /after \d attempts; 0 credits spent, 2 more possibly charged; each attempt may have been charged: try again later/,
      );
  }
});

/** Lists ten pages and returns the possible charges, and what the service saw. */
async function possiblyCharged(
  t: TestContext,
  reply: (n: number) => Reply,
): Promise<readonly [number, Seen[]]> {
  const service = await scriptedService(t, (_, n) => reply(n));
  const { exit, stderr, lines, summary } = await service.report('uploads @a', { started: () => {} });
  assert.deepEqual([exit, lines.length, summary.credits.confirmed], [0, 10, 10], stderr);
  return [summary.credits.possibly_charged, service.seen];
}

const tenPages = (n: number): string => JSON.stringify(page(n, n + 1, n === 9 ? null : `t${n}`));

test('a service that closes connections without announcing it: after the first, each request has its own', async (t) => {
  const [charged, seen] = await possiblyCharged(t, (n) => (response, socket) => {
    response.end(tenPages(n), () => socket.end());
  });
  assert.equal(charged, 0);
  assert.deepEqual(
    seen.map(({ headers }) => headers.connection),
    ['keep-alive', ...Array(9).fill('close')],
  );
});

test('a service that announces that it closes connections costs no possible charge', async (t) => {
  for (const headers of [{ connection: 'close' }, { connection: 'keep-alive', 'keep-alive': 'timeout=0' }]) {
    const [charged, seen] = await possiblyCharged(t, (n) => (response, socket) => {
      response.writeHead(200, headers).end(tenPages(n), () => setImmediate(() => socket.destroy()));
    });
    assert.equal(charged, 0);
    assert.ok(seen.every(({ headers }) => headers.connection === 'keep-alive'));
  }
});

test('a request that fails on a used connection is possibly charged; the next ones get new connections', async (t) => {
  const used = new WeakSet<Socket>();
  let served = 0;
  const [charged, seen] = await possiblyCharged(t, () => (response, socket) => {
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    response.end(tenPages(served++));
  });
  assert.equal(charged, 1);
  assert.equal(seen.length, 11);
});

test('bytes beyond Content-Length belong neither to this response nor to the next', async (t) => {
  const forged = JSON.stringify(page(90, 91, null));
  const first = JSON.stringify(page(0, 2, 'next'));
  const service = await scriptedService(t, (_, number) =>
    number === 0
      ? raw(`${head(Buffer.byteLength(first))}${first}${head(Buffer.byteLength(forged))}${forged}`)
      : { body: page(2, 3, null) },
  );
  const result = await service.run('uploads @a');
  // Whether the rest arrives before the next request depends on timing: it is never printed.
  assert.ok(result.lines.length >= 2);
  for (const [n, line] of result.lines.entries()) assert.deepEqual(JSON.parse(line), entry(n));
  assert.ok(result.exit === 0 || result.exit === 7 || result.exit === 8);
});

test('a body that ends with the connection, early hints and lower-case chunk sizes are accepted', async (t) => {
  const responses = [
    raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${whole}`, close),
    raw(`HTTP/1.0 200 OK\r\n\r\n${whole}`, close),
    raw(`HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${head(whole.length)}${whole}`),
    raw(`${chunked}${whole.length.toString(16)}\r\n${whole}\r\n0\r\nX-Trailer: 1\r\n\r\n`),
    raw(`HTTP/1.1 200\r\ncontent-length: ${whole.length}\r\n\r\n${whole}`),
  ];
  await inBatches(responses, async (response) => {
    const service = await scriptedService(t, () => response);
    const result = await service.run('uploads @a');
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(result.lines.length, 2);
  });
});
