import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { operationPath, operations } from '../service/contract.ts';
import { credits } from '../text/count.ts';
import { type FaultKind, type SandboxSettings, sandboxDefaults } from './defaults.ts';
import { ErrorResponse, readParameters } from './query.ts';
import { seeded } from './random.ts';
import { responder } from './response-bodies.ts';

const jsonHeader = { 'content-type': 'application/json' };

/** Starts the service on a local address. Throws `failed` if it cannot listen there. */
export async function startSandbox(options: Partial<SandboxSettings> = {}) {
  const settings = { ...sandboxDefaults, ...options };
  const { host, port, key, latency, fail } = settings;
  const account = { credits: settings.credits };
  const replyTo = demoService(settings, account);
  const draw = seeded(settings.seed);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url } = request;
    // Each request draws one number per rule: the same seed gives the same faults.
    const faults = fail.filter(({ rate }) => draw() < rate).map(({ kind }) => kind);
    const reply = faults.includes('reset') ? null : replyTo(request, faults);
    // The parser of Node accepts a URL of printable ASCII only.
    settings.onRequest(`${method} ${url} ${reply?.status ?? 'reset'} ${credits(account.credits)} left`);
    const send = (): void => {
      if (reply === null) return void response.socket?.resetAndDestroy();
      const { status, headers, body } = reply;
      response.writeHead(status, { ...jsonHeader, 'content-length': body.length, ...headers });
      if (status !== 200 || !faults.includes('truncate')) response.end(body);
      else response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
    };
    if (latency === 0) send();
    // Its connection keeps the process alive, not the timer.
    else setTimeout(send, latency).unref();
  };

  // Longer than any client pauses between requests: a connection must not end just as it is used again.
  const server = createServer({ keepAliveTimeout: 120_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const code = systemCode(cause) ?? cause.message;
      const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
      const next = '--port 0 takes any free port; --host defaults to 127.0.0.1';
      reject(new Failure('failed', `cannot listen on ${host}, port ${port}: ${why}`, { next, cause }));
    });
    server.listen({ host, port }, resolve);
  });
  return {
    baseUrl: baseUrl(server.address() as AddressInfo),
    key,
    account,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function baseUrl({ address, family, port }: AddressInfo): string {
  if (family === 'IPv6') return `http://[${address === '::' ? '::1' : address}]:${port}`;
  return `http://${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
}

/** The service without the network: turns a request and its faults into a response, and debits the account. */
function demoService(settings: SandboxSettings, account: { credits: number }) {
  const respond = responder(settings);
  const limit = settings.rate === null ? null : rateLimit(settings.rate, settings.now);

  const bodyFor = ({ method, url = '', headers }: IncomingMessage, faults: readonly FaultKind[]): string => {
    const status = faults.find((kind) => typeof kind === 'number');
    if (status !== undefined)
      throw new ErrorResponse(status, `injected by --fail ${status}`, status === 429 ? 1 : null);
    const [path = '', query] = url.split(/\?(.*)/s);
    const operation = Object.values(operations).find(
      (candidate) => operationPath(candidate, settings.namespace) === path,
    );
    if (operation === undefined) throw new ErrorResponse(404, 'there is no such path');
    if (method !== 'GET') throw new ErrorResponse(405, 'only GET is allowed');
    if (/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] !== settings.key)
      throw new ErrorResponse(401, 'the API key is not valid: expected Authorization: Bearer <API_KEY>');
    if (account.credits < 1)
      throw new ErrorResponse(402, { code: 'no_credits', message: 'the account has no credits left' });
    const body = respond(operation, readParameters(operation, new URLSearchParams(query)), faults);
    account.credits -= operation.credits;
    return faults.includes('garbage') ? garbage : JSON.stringify(body);
  };

  /** Decision and debit are one synchronous step: of two requests for the last credit, one gets it. */
  return (request: IncomingMessage, faults: readonly FaultKind[]) => {
    const { headers = {}, retryAfter = null } = limit?.() ?? {};
    try {
      if (retryAfter !== null) throw new ErrorResponse(429, 'the rate limit is exceeded', retryAfter);
      return { status: 200, headers, body: Buffer.from(bodyFor(request, faults)) };
    } catch (error) {
      if (!(error instanceof ErrorResponse)) throw error;
      const { status, detail } = error;
      const body = Buffer.from(JSON.stringify({ detail }));
      return { status, headers: { ...headers, ...error.headers }, body };
    }
  };
}

const garbage = '{"results": [{"videoId": oops, <html><body>this is not JSON</body></html>';

/** Counts each request against a limit per minute. `retryAfter`: seconds until the next minute; null if this one has room. */
function rateLimit(limit: number, now: SandboxSettings['now']) {
  let end = Number.NEGATIVE_INFINITY;
  let remaining = 0;
  return () => {
    const time = now();
    if (time >= end) [end, remaining] = [time + 60_000, limit];
    remaining--;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, remaining)),
      'x-ratelimit-reset': String(Math.ceil(end / 1000)),
    };
    return { headers, retryAfter: remaining < 0 ? Math.ceil((end - time) / 1000) : null };
  };
}
