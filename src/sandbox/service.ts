import type { IncomingMessage } from 'node:http';
import { type Operation, operationPath, operations } from '../service/contract.ts';
import type { SandboxSettings } from './defaults.ts';
import type { FaultKind } from './faults.ts';
import { demoCatalog } from './lists.ts';
import { ErrorResponse, readParameters } from './query.ts';
import { respond } from './response-bodies.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** `truncate`: half the body is sent, then the connection ends; `reset`: nothing is sent. */
  readonly ending: 'whole' | 'truncate' | 'reset';
}

/** The service without the network: turns a request and its faults into a reply, and keeps the account. */
export function demoService(settings: SandboxSettings) {
  const account = { credits: settings.credits };
  const catalog = demoCatalog(settings);
  const limit = settings.rate === null ? null : rateLimit(settings.rate, settings.now);
  const routes: ReadonlyMap<string, Operation> = new Map(
    Object.values(operations).map((operation) => [operationPath(operation, settings.namespace), operation]),
  );

  const serve = ({ method, url = '', headers }: IncomingMessage, faults: readonly FaultKind[]): Reply => {
    for (const kind of faults) {
      const message = `injected by --fail ${kind}`;
      if (kind === 'reset') return { status: 0, headers: {}, body: Buffer.alloc(0), ending: 'reset' };
      if (kind === 429) throw tooManyRequests(message, 1);
      if (typeof kind === 'number') throw new ErrorResponse(kind, message);
    }
    const [path = '', query] = url.split(/\?(.*)/s);
    const operation = routes.get(path);
    if (operation === undefined) throw new ErrorResponse(404, 'there is no such path');
    if (method !== 'GET') throw new ErrorResponse(405, 'only GET is allowed', { allow: 'GET' });
    if (/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] !== settings.key) {
      const expected = 'the API key is not valid: expected the header Authorization: Bearer <API_KEY>';
      throw new ErrorResponse(401, expected, { 'www-authenticate': 'Bearer' });
    }
    if (account.credits < 1)
      throw new ErrorResponse(402, { code: 'no_credits', message: 'the account has no credits left' });
    const parameters = readParameters(operation, new URLSearchParams(query));
    const reply = json(200, respond(operation, parameters, faults, catalog, settings));
    account.credits -= operation.credits;
    const body = faults.includes('garbage') ? garbage : reply.body;
    return { ...reply, body, ending: faults.includes('truncate') ? 'truncate' : 'whole' };
  };

  /** Decision and debit are one synchronous step: of two requests for the last credit, one gets it. */
  const reply = (request: IncomingMessage, faults: readonly FaultKind[]): Reply => {
    const { headers, retryAfter = null } = limit?.() ?? {};
    try {
      if (retryAfter !== null) throw tooManyRequests('the rate limit is exceeded', retryAfter);
      const served = serve(request, faults);
      return { ...served, headers: { ...served.headers, ...headers } };
    } catch (error) {
      if (!(error instanceof ErrorResponse)) throw error;
      return json(error.status, { detail: error.detail }, { ...error.headers, ...headers });
    }
  };
  return { account, reply };
}

const garbage = Buffer.from('{"results": [{"videoId": oops, <html><body>this is not JSON</body></html>');

function tooManyRequests(message: string, retryAfter: number): ErrorResponse {
  return new ErrorResponse(429, { code: 'rate_limited', message }, { 'retry-after': String(retryAfter) });
}

function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body, ending: 'whole' };
}

/** Counts each request against a limit per minute. `retryAfter`: seconds until the next minute; null if this one has room. */
function rateLimit(limit: number, now: SandboxSettings['now']) {
  let end = Number.NEGATIVE_INFINITY;
  let left = 0;
  return () => {
    const time = now();
    if (time >= end) [end, left] = [time + 60_000, limit];
    left--;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, left)),
      'x-ratelimit-reset': String(Math.ceil(end / 1000)),
    };
    return { headers, retryAfter: left < 0 ? Math.ceil((end - time) / 1000) : null };
  };
}
