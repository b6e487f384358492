import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { listen } from '../../support/listen.ts';
import { run, serviceEnvironment, temporaryFolder, testKey } from '../../support/program.ts';
import { page } from '../../support/service.ts';
import { missing } from '../../support/shell.ts';
import { type Credentials, createAuthority } from './authority.ts';
import { inBatches } from './fault.ts';
import { startProxy } from './proxy.ts';

/** Listens on loopback for as long as the test runs; returns the port. */
const listening = async (t: TestContext, server: TcpServer | Server): Promise<number> =>
  Number(new URL(await listen(t, server)).port);

/** A real https server that lists two pages: its port, its requests by their Authorization header, its connections. */
async function secureService(t: TestContext, credentials: Credentials) {
  const seen: (string | undefined)[] = [];
  let connections = 0;
  const server = createServer(credentials, (request, response) => {
    seen.push(request.headers.authorization);
    const second = request.url?.includes('continuation=') === true;
    response.end(JSON.stringify(second ? page(2, 4, null) : page(0, 2, 'next')));
  });
  server.on('connection', () => connections++);
  server.on('tlsClientError', () => {});
  return { port: await listening(t, server), seen, connections: () => connections };
}

/** Environment of a service behind a proxy, with debug output. */
const behind = (proxy: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...serviceEnvironment('https://service.test'),
  ...{ HTTPS_PROXY: proxy, CHANLIST_DEBUG: '1', ...more },
});
const password = /hunter|c29tZW9uZTpodW50ZXIy/;

const skip = missing('openssl');
const authority = async (t: TestContext) => createAuthority(await temporaryFolder(t));

test('a service with a private certificate authority is trusted with NODE_EXTRA_CA_CERTS', {
  skip,
}, async (t) => {
  const ca = await authority(t);
  const service = await secureService(t, await ca.issue('IP:127.0.0.1,DNS:localhost'));
  for (const host of ['127.0.0.1', 'localhost']) {
    const result = await run('uploads @a', {
      env: { ...serviceEnvironment(`https://${host}:${service.port}`), NODE_EXTRA_CA_CERTS: ca.file },
    });
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(result.lines.length, 4);
  }
  assert.deepEqual(service.seen, Array(4).fill(`Bearer ${testKey}`));
  // Pages share a connection.
  assert.equal(service.connections(), 2);
});

test('a certificate that cannot be trusted is 7: not retried, nothing sent, nothing charged', {
  skip,
}, async (t) => {
  const ca = await authority(t);
  const another = await authority(t);
  const good = await ca.issue('IP:127.0.0.1');
  const old = await ca.issue('IP:127.0.0.1', '20200101000000Z', '20210101000000Z');
  const early = await ca.issue('IP:127.0.0.1', '20900101000000Z', '20910101000000Z');
  const [other, alike] = ['DNS:service.test,IP:127.0.0.2', 'DNS:127.0.0.1.service.test'];
  const untrusted = '(?:UNABLE_TO|SELF_SIGNED)_\\w+';
  for (const [name, credentials, trusted, code] of [
    ['unknown authority', good, null, untrusted],
    ['another authority', good, another, untrusted],
    ['expired', old, ca, 'CERT_HAS_EXPIRED'],
    ['not yet', early, ca, 'CERT_NOT_YET_VALID'],
    ['another host', await ca.issue(other), ca, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['a look-alike', await ca.issue(alike), ca, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const) {
    const service = await secureService(t, credentials);
    const trust = trusted === null ? {} : { NODE_EXTRA_CA_CERTS: trusted.file };
    const env = { ...serviceEnvironment(`https://127.0.0.1:${service.port}`), ...trust };
    const result = await run('uploads @a @b --json -vv', { env });
    assert.equal(result.exit, 7, name);
    const pattern = `cannot be trusted: its certificate is not valid \\(${code}\\); [^\n]*0 credits spent; [^\n]*NODE_EXTRA_CA_CERTS`;
    assert.match(result.stderr, new RegExp(pattern), name);
    assert.deepEqual([service.connections(), service.seen], [1, []], name);
    const [first] = JSON.parse(result.stdout);
    assert.deepEqual([first.result.error.code, first.result.error.status], ['unreachable', null]);
  }
});

test('through a proxy: the tunnel carries the key, the proxy sees neither that nor shows its own password', {
  skip,
}, async (t) => {
  const ca = await authority(t);
  const service = await secureService(t, await ca.issue('DNS:service.test'));
  const plain = await startProxy(t, service.port);
  const secure = await startProxy(t, service.port, 502, await ca.issue('IP:127.0.0.1'));
  const at = `someone:hunter%2B2@127.0.0.1`;
  for (const [name, address, proxy] of [
    ['HTTPS_PROXY', `http://${at}:${plain.port}`, plain],
    // Without a scheme, as curl takes it.
    ['https_proxy', `${at}:${plain.port}`, plain],
    ['HTTPS_PROXY', `https://${at}:${secure.port}`, secure],
  ] as const) {
    // HTTP_PROXY is used if the other is not set.
    const more = { NODE_EXTRA_CA_CERTS: ca.file, HTTP_PROXY: 'http://127.0.0.1:9' };
    const result = await run('uploads @a -vv', { env: behind('', { ...more, [name]: address }) });
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(result.lines.length, 4);
    assert.doesNotMatch(result.stderr, password);
    assert.equal(proxy.asked.at(-1), 'service.test:443');
    const headers = proxy.headers.at(-1);
    assert.equal(headers?.authorization, undefined);
    const basic = Buffer.from('someone:hunter+2').toString('base64');
    assert.equal(headers?.['proxy-authorization'], `Basic ${basic}`);
    assert.ok(proxy.through().length > 0);
    assert.ok(!proxy.through().includes(testKey));
  }
  assert.deepEqual([plain.asked.length, secure.asked.length], [2, 1]);
  assert.deepEqual(service.seen, Array(6).fill(`Bearer ${testKey}`));
});

test('a proxy that refuses, cannot make or take the connection: 7, certainly not charged, its password not shown', async (t) => {
  const unreached = 'cannot be reached: ';
  const { port, asked } = await startProxy(t, null, 407);
  const closing = await rawProxy(t, (socket) => socket.end());
  for (const [address, variable, pattern] of [
    [`127.0.0.1:${port}`, 'HTTPS_PROXY', 'refused the connection (407)'],
    [closing, 'HTTPS_PROXY', `${unreached}connection reset`],
    ['127.0.0.1:9', 'HTTP_PROXY', unreached],
    ['no-such-host.invalid:3128', 'HTTP_PROXY', unreached],
  ] as const) {
    const env = behind('', { [variable]: `http://someone:hunter2@${address}` });
    const result = await run('uploads @a @b -vv --retries 1 --timeout 20', { env });
    assert.equal(result.exit, 7, address);
    const at = `\nchanlist: error: @a: cannot reach https://service.test through the proxy ${address}: the proxy ${pattern}`;
    assert.ok(result.stderr.includes(at), result.stderr);
    assert.match(result.stderr, /; 0 credits spent; [^\n]*(?:HTTPS_PROXY|check the )/);
    assert.doesNotMatch(result.stderr, /waiting|after 2 attempts/);
    assert.doesNotMatch(result.stderr, password);
  }
  assert.equal(asked.length, 1);
});

/** A proxy that does this with each connection once the CONNECT request has arrived; returns its address. */
async function rawProxy(t: TestContext, reply: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => reply(socket));
    t.after(() => socket.destroy());
  });
  return `127.0.0.1:${await listening(t, server)}`;
}

test('--timeout bounds the way through a proxy, and nothing keeps the program after it', async (t) => {
  const established = 'HTTP/1.1 200 OK\r\n\r\n';
  const unreached = /: the proxy cannot be reached: timed out after 1 s; 0 credits spent; check the proxy/;
  const late = /: timed out after 1 s, after 2 attempts; 0 credits spent; check the address/;
  const cases: readonly (readonly [name: string, reply: (socket: Socket) => void, pattern: RegExp])[] = [
    ['says nothing', () => {}, unreached],
    ['says nothing in the tunnel', (socket) => socket.write(established), late],
  ];
  await inBatches(cases, async ([name, reply, pattern]) => {
    const proxy = await rawProxy(t, reply);
    const started = Date.now();
    const result = await run('uploads @a --timeout 1 --retries 1', { env: behind(`http://${proxy}`) });
    assert.equal(result.exit, 7, name);
    assert.match(result.stderr, pattern, name);
    assert.ok(result.stderr.includes(`cannot reach https://service.test through the proxy ${proxy}: `), name);
    assert.ok(Date.now() - started < 15_000, name);
  });
});
