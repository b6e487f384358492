import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { type Operation, operationPath, operations } from '../service/contract.ts';
import { countCredits } from '../text/count.ts';
import { type FaultKind, type SandboxSettings, sandboxDefaults } from './defaults.ts';
import { assertQuery, ErrorResponse } from './query.ts';
import { seeded } from './random.ts';
import { responder } from './response-bodies.ts';

const garbage = '{"results": [{"videoId": oops, <html><body>this is not JSON</body></html>';

/** Starts the service on a local address. Throws `failed` if it cannot listen there. */
export async function startSandbox(options: Partial<SandboxSettings> = {}) {
  const settings = { ...sandboxDefaults, ...options };
  const { host, port, key, latency, fail } = settings;
  const account = { credits: settings.credits };
  const respond = demoService(settings, account);
  const draw = seeded(settings.seed);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // Each request draws one number per rule: the same seed gives the same faults.
    const faults = fail.filter(({ rate }) => draw() < rate).map(({ kind }) => kind);
    const isReset = faults.includes('reset');
    const body = Buffer.from(isReset ? '' : respond(request, response, faults));
    const { statusCode } = response;
    const outcome = `${isReset ? 'reset' : statusCode} ${countCredits(account.credits)} left`;
    // The URL needs no sanitizing: Node's parser accepts only printable ASCII.
    settings.onRequest(`${request.method} ${request.url} ${outcome}`);
    const send = (): void => {
      if (isReset) return void response.socket?.resetAndDestroy();
      response.setHeader('content-type', 'application/json').setHeader('content-length', body.length);
      if (statusCode !== 200 || !faults.includes('truncate')) response.end(body);
      else response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
    };
    if (latency === 0) send();
    // The timer is not needed to keep the process alive: the connection does.
    else setTimeout(send, latency).unref();
  };

  // Longer than any pause of a client between requests: a connection must not be closed at the moment of its reuse.
  const server = createServer({ keepAliveTimeout: 120_000 }, handle);
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (cause) {
    const code = systemCode(cause);
    const [why, step] =
      code === 'EADDRINUSE'
        ? ['the port is in use', 'choose another one; --port 0 takes any that is free']
        : [code ?? String(cause), 'choose another --host or --port'];
    throw new Failure('failed', `cannot listen on ${host}, port ${port}: ${why}`, { step, cause });
  }
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

/** Returns the service, without faults of the connection: it sets status and headers, and returns the body. */
function demoService(settings: SandboxSettings, account: { credits: number }) {
  const bodyOf = responder(settings);
  const limit = rateLimit(settings);

  const respond = ({ method, url = '', headers }: IncomingMessage, faults: readonly FaultKind[]): object => {
    const status = faults.find((kind) => typeof kind === 'number');
    if (status !== undefined) throw new ErrorResponse(status, `injected by --fail ${status}`);
    const [path, parameters] = url.split(/\?(.*)/s);
    const isNamed = (operation: Operation): boolean => operationPath(operation, settings.namespace) === path;
    const operation = Object.values(operations).find(isNamed);
    if (operation === undefined) throw new ErrorResponse(404, 'there is no such path');
    if (method !== 'GET') throw new ErrorResponse(405, 'only GET is allowed');
    if (/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] !== settings.key)
      throw new ErrorResponse(401, 'the API key is not valid: expected Authorization: Bearer <API_KEY>');
    if (account.credits < 1)
      throw new ErrorResponse(402, { code: 'no_credits', message: 'the account has no credits left' });
    const query = new URLSearchParams(parameters);
    assertQuery(operation, query);
    const body = bodyOf(operation, query, faults);
    account.credits -= operation.credits;
    return body;
  };

  /** Decides and debits in one synchronous step, so that only one of two requests for the last credit gets it. */
  return (request: IncomingMessage, response: ServerResponse, faults: readonly FaultKind[]): string => {
    try {
      limit(response);
      const body = JSON.stringify(respond(request, faults));
      return faults.includes('garbage') ? garbage : body;
    } catch (error) {
      if (!(error instanceof ErrorResponse)) throw error;
      response.statusCode = error.status;
      if (error.retryAfter !== null) response.setHeader('retry-after', error.retryAfter);
      return JSON.stringify({ detail: error.detail });
    }
  };
}

/** Returns a function that counts a response against the limit per minute, sets its headers, and throws a 429 beyond. */
function rateLimit({ rate, now }: SandboxSettings) {
  let end = Number.NEGATIVE_INFINITY;
  let remaining = 0;
  return (response: ServerResponse): void => {
    if (rate === null) return;
    const time = now();
    if (time >= end) {
      end = time + 60_000;
      remaining = rate;
    }
    remaining--;
    response.setHeader('x-ratelimit-limit', rate);
    response.setHeader('x-ratelimit-remaining', Math.max(0, remaining));
    response.setHeader('x-ratelimit-reset', Math.ceil(end / 1000));
    if (remaining < 0)
      throw new ErrorResponse(429, 'the rate limit is exceeded', Math.ceil((end - time) / 1000));
  };
}
