import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { entry, page, type Reply, scriptedService } from '../../support/service.ts';
import { checkFault, type Fault, inBatches } from './fault.ts';

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

/** What arrives of a response, and the message; the faults that are checked everywhere are listed below. */
type Row = readonly [name: string, reply: Reply, status: number | null, pattern: RegExp];
const everywhere = new Set([
  'a reset before the response',
  'a reset in the headers',
  'a reset in the body',
  'an end in the body',
  'no response at all',
  'a Content-Length that is too long',
  'another protocol',
]);
const faults = (rows: readonly Row[], exit: number, code: string, args: readonly string[] = []): Fault[] =>
  rows.map(([name, reply, status, pattern]) => ({
    ...{ name, reply, exit, code, status, pattern, args },
    ...{ charge: 'possibly_charged', everywhere: everywhere.has(name) },
  }));

/** No complete response: retried, and possibly charged. */
const broke = /no complete response: /;
const cut = '{"results":[';
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
const breaks = faults(
  [
    ['a reset before the response', raw('', reset), null, /connection reset/],
    ['a reset in the headers', raw('HTTP/1.1 200 OK\r\nContent-Le', reset), null, broke],
    ['a reset in the body', raw(`${head(5000)}${cut}`, reset), 200, broke],
    ['an end in the body', raw(`${head(5000)}${cut}`, close), 200, broke],
    ['chunks without an end', raw(`${chunked}c\r\n${cut}\r\n`, close), 200, broke],
    ['a switch of protocols', raw(upgrade), null, broke],
  ],
  7,
  'unavailable',
);

const late = /no complete response: timed out after 1 s/;
const hint = 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n';
const slow = faults(
  [
    ['no response at all', () => {}, null, late],
    ['a Content-Length that is too long', raw(head(whole.length + 1) + whole), 200, late],
    ['one byte of the body at a time', start(`${head(100_000)}{`, forever(' ', 50)), 200, late],
    ['hints without end', forever(hint, 50), null, late],
  ],
  7,
  'unavailable',
  ['--timeout', '1'],
);

/** No HTTP server, or one that breaks the rules of HTTP: a retry would not help. */
const noHttp = /the response is not valid HTTP/;
const wrongLength = /not as long as its Content-Length/;
const ok = (headers: string): Reply => raw(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n{}`);
const many = start('HTTP/1.1 200 OK\r\n', forever(`X: ${'x'.repeat(1000)}\r\n`, 1));
const strange = faults(
  [
    ['another protocol', raw('SSH-2.0-OpenSSH_9.2\r\n'), null, noHttp],
    ['two lengths', ok('Content-Length: 2\r\nContent-Length: 3'), null, wrongLength],
    ['a status of 000', raw('HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\n{}'), null, noHttp],
    ['a header with a control character', ok('A\u0000: b'), null, noHttp],
    ['a chunk that is longer than it says', raw(`${chunked}2\r\n${cut}\r\n`), 200, noHttp],
    ['headers without end', many, null, /too many headers/],
  ],
  8,
  'invalid_response',
);

const tooShort: Fault = {
  ...{ name: 'a Content-Length that is too short', reply: raw(head(whole.length - 1) + whole) },
  ...{ exit: 8, code: 'invalid_response', status: 200, pattern: /not JSON/ },
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
  ...{ name: `a ${status} of which the body breaks off`, exit, code, status, charge: 'free' },
  reply: raw(`HTTP/1.1 ${status} Reason\r\nContent-Length: 500\r\n\r\n{"detail":`, reset),
  pattern: new RegExp(`\\(${status}\\)`),
}));

test('a connection that breaks at any point, or a response that takes longer than --timeout: 7', (t) =>
  inBatches([...breaks, ...slow], (fault) => checkFault(t, fault)));

test('a response that is not valid HTTP, or has a wrong length, is 8', (t) =>
  inBatches([...strange, tooShort], (fault) => checkFault(t, fault)));

test('the status alone decides if the body of an error breaks off: nothing is charged', (t) =>
  inBatches(certain, (fault) => checkFault(t, fault)));

const tenPages = (n: number): string => JSON.stringify(page(n, n + 1, n === 9 ? null : `t${n}`));

/** Runs a process that lists ten pages, of which `respond` sends one; its possible charges, and the Connection headers. */
async function listTen(
  t: TestContext,
  respond: (response: ServerResponse, socket: Socket, n: number) => void,
) {
  const service = await scriptedService(t, (_, n) => (response, socket) => respond(response, socket, n));
  const { exit, stderr, lines, summary } = await service.report('uploads @a', { started: () => {} });
  assert.deepEqual([exit, lines.length, summary.credits.confirmed], [0, 10, 10], stderr);
  return [summary.credits.possibly_charged, service.seen.map(({ headers }) => headers.connection)] as const;
}

test('a service that closes connections without announcing it: after the first, each request has its own', async (t) => {
  const seen = await listTen(t, (response, socket, n) => response.end(tenPages(n), () => socket.end()));
  assert.deepEqual(seen, [0, ['keep-alive', ...Array(9).fill('close')]]);
});

test('a service that announces that it closes connections costs no possible charge', async (t) => {
  for (const headers of [{ connection: 'close' }, { connection: 'keep-alive', 'keep-alive': 'timeout=0' }]) {
    const seen = await listTen(t, (response, socket, n) =>
      response.writeHead(200, headers).end(tenPages(n), () => setImmediate(() => socket.destroy())),
    );
    assert.deepEqual(seen, [0, Array(10).fill('keep-alive')]);
  }
});

test('a request that fails on a used connection is possibly charged; the next ones get new connections', async (t) => {
  const used = new WeakSet<Socket>();
  let served = 0;
  const [charged, seen] = await listTen(t, (response, socket) => {
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    response.end(tenPages(served++));
  });
  assert.deepEqual([charged, seen.length], [1, 11]);
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

test('a body that ends with the connection, statuses of 102 to 199 before it, and trailers are accepted', async (t) => {
  const responses = [
    raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${whole}`, close),
    raw(`HTTP/1.0 200 OK\r\n\r\n${whole}`, close),
    ...[102, 103, 199].map((status) =>
      raw(`HTTP/1.1 ${status} X\r\nLink: <x>\r\n\r\n${head(whole.length)}${whole}`),
    ),
    raw(`${chunked}${whole.length.toString(16)}\r\n${whole}\r\n0\r\nX-Trailer: 1\r\n\r\n`),
    raw(`HTTP/1.1 200\r\ncontent-length: ${whole.length}\r\n\r\n${whole}`),
  ];
  await inBatches(responses, async (response) => {
    const service = await scriptedService(t, () => response);
    const result = await service.run('uploads @a');
    assert.deepEqual([result.exit, result.lines.length, service.seen.length], [0, 2, 1], result.stderr);
  });
});
