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
export class DemoService {
  credits: number;
  readonly #settings: SandboxSettings;
  readonly #catalog: ReturnType<typeof demoCatalog>;
  readonly #limit: ReturnType<typeof rateLimit> | null;
  readonly #routes: ReadonlyMap<string, Operation>;

  constructor(settings: SandboxSettings) {
    const { credits, namespace, rate, now } = settings;
    this.credits = credits;
    this.#settings = settings;
    this.#catalog = demoCatalog(settings);
    this.#limit = rate === null ? null : rateLimit(rate, now);
    this.#routes = new Map(
      Object.values(operations).map((operation) => [operationPath(operation, namespace), operation]),
    );
  }

  /**
   * Decides a request. The decision and the debit are one synchronous step: of two requests for the last credit, one
   * gets it. Only a 200 of a paid operation debits (docs/service.md, 1, rule 3).
   */
  reply(request: IncomingMessage, faults: readonly FaultKind[]): Reply {
    const { headers, retryAfter = null } = this.#limit?.() ?? {};
    let reply: Reply;
    try {
      if (retryAfter !== null) throw tooManyRequests('the rate limit is exceeded', retryAfter);
      reply = this.#serve(request, faults);
    } catch (error) {
      if (!(error instanceof ErrorResponse)) throw error;
      reply = json(error.status, { detail: error.detail }, error.headers);
    }
    return { ...reply, headers: { ...reply.headers, ...headers } };
  }

  #serve({ method, url = '', headers }: IncomingMessage, faults: readonly FaultKind[]): Reply {
    for (const kind of faults) {
      const message = `injected by --fail ${kind}`;
      if (kind === 'reset') return { status: 0, headers: {}, body: Buffer.alloc(0), ending: 'reset' };
      if (kind === 429) throw tooManyRequests(message, 1);
      if (typeof kind === 'number') throw new ErrorResponse(kind, message);
    }
    const [path = '', query] = url.split(/\?(.*)/s);
    const operation = this.#routes.get(path);
    if (operation === undefined) throw new ErrorResponse(404, 'there is no such path');
    if (method !== 'GET') throw new ErrorResponse(405, 'only GET is allowed', { allow: 'GET' });
    if ((headers['user-agent'] ?? '').trim() === '') return forbidden('a User-Agent header is required');
    if (/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] !== this.#settings.key) {
      const expected = 'the API key is not valid: expected the header Authorization: Bearer <API_KEY>';
      throw new ErrorResponse(401, expected, { 'www-authenticate': 'Bearer' });
    }
    if (this.credits < 1) {
      throw new ErrorResponse(402, { code: 'no_credits', message: 'the account has no credits left' });
    }
    const parameters = readParameters(operation, new URLSearchParams(query));
    const reply = json(200, respond(operation.name, parameters, faults, this.#catalog, this.#settings));
    this.credits -= operation.credits;
    return {
      ...reply,
      body: faults.includes('garbage') ? garbage : reply.body,
      ending: faults.includes('truncate') ? 'truncate' : 'whole',
    };
  }
}

const garbage = Buffer.from('{"results": [{"videoId": oops, <html><body>this is not JSON</body></html>');

function tooManyRequests(message: string, retryAfter: number): ErrorResponse {
  return new ErrorResponse(429, { code: 'rate_limited', message }, { 'retry-after': String(retryAfter) });
}

function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body, ending: 'whole' };
}

/** A page as a proxy in front of the service sends it. */
function forbidden(text: string): Reply {
  const body = Buffer.from(`<!DOCTYPE html>\n<title>403</title>\n<h1>403</h1>\n<p>${text}</p>\n`);
  return { status: 403, headers: { 'content-type': 'text/html; charset=utf-8' }, body, ending: 'whole' };
}

/**
 * Counts requests against a limit per minute: call it for each. A window of one minute starts with the first request
 * after the previous window. `now`: the clock, in milliseconds since 1970. `retryAfter`: seconds until the next window if
 * this one is exhausted, else null.
 */
function rateLimit(limit: number, now: () => number) {
  let end = Number.NEGATIVE_INFINITY;
  let left = 0;
  return () => {
    const time = now();
    // Also if the clock was set back.
    if (time >= end || time < end - 60_000) [end, left] = [time + 60_000, limit];
    left--;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, left)),
      'x-ratelimit-reset': String(Math.ceil(end / 1000)),
    };
    return { headers, retryAfter: left < 0 ? Math.ceil((end - time) / 1000) : null };
  };
}
