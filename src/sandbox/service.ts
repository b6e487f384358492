import { type Operation, operationPath, operations } from '../service/contract.ts';
import { Answers, type Data } from './answers.ts';
import type { FaultKind } from './faults.ts';
import { Refusal, readParameters } from './parameters.ts';

/** The parts of a request that the service reads. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /**
   * `whole`: the complete body is sent; `truncate`: half of it, then the connection ends; `stall`: half of it, then
   * nothing; `reset`: nothing is sent, the connection is reset.
   */
  readonly ending: 'whole' | 'truncate' | 'stall' | 'reset';
}

export interface ServiceOptions extends Data {
  readonly key: string;
  readonly credits: number;
  readonly namespace: string;
  /** Requests per minute; undefined: no limit. */
  readonly rate: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The service without the network: turns a request and its faults into a reply, and keeps the account. */
export class Service {
  /** Credits left on the account. */
  credits: number;
  readonly #key: string;
  readonly #routes: ReadonlyMap<string, Operation>;
  readonly #answers: Answers;
  readonly #rateLimit: RateLimit | null;

  constructor(options: ServiceOptions) {
    const { key, credits, namespace, rate, now } = options;
    this.#key = key;
    this.credits = credits;
    this.#routes = new Map(
      Object.values(operations).map((operation) => [operationPath(operation, namespace), operation]),
    );
    this.#answers = new Answers(options);
    this.#rateLimit = rate === undefined ? null : new RateLimit(rate, now);
  }

  /**
   * Decides a request. The decision and the debit are one synchronous step: of two requests for the last credit, one
   * gets it. Only a 200 of a paid operation debits (service specification, section 1, rule 3).
   */
  reply(request: ServiceRequest, faults: readonly FaultKind[]): Reply {
    const limit = this.#rateLimit?.take();
    const reply = this.#reply(request, faults, limit?.retryAfter);
    return limit === undefined ? reply : { ...reply, headers: { ...reply.headers, ...limit.headers } };
  }

  #reply(request: ServiceRequest, faults: readonly FaultKind[], retryAfter: number | null = null): Reply {
    try {
      if (retryAfter !== null) throw tooManyRequests('the rate limit is exceeded', retryAfter);
      return this.#serve(request, faults);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers, detail } = error;
      const body = Buffer.from(JSON.stringify({ detail }));
      return { status, headers: { 'content-type': 'application/json', ...headers }, body, ending: 'whole' };
    }
  }

  #serve({ method, target, authorization, userAgent }: ServiceRequest, faults: readonly FaultKind[]): Reply {
    for (const kind of faults) {
      const reply = beforeService(kind);
      if (reply !== null) return reply;
    }
    const [path = '', query = ''] = split(target);
    const operation = this.#routes.get(path);
    if (operation === undefined) throw new Refusal(404, 'there is no such path');
    if (method !== 'GET') throw new Refusal(405, 'only GET is allowed', { allow: 'GET' });
    if ((userAgent ?? '').trim() === '') return html(403, 'a User-Agent header is required');
    this.#authenticate(authorization);
    if (this.credits < 1) {
      throw new Refusal(402, { code: 'no_credits', message: 'the account has no credits left' });
    }
    const parameters = readParameters(operation, new URLSearchParams(query));
    const body = this.#answers.body(operation.name, parameters, faults);
    this.credits -= operation.credits;
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: faults.includes('garbage') ? garbage : body,
      ending: faults.includes('truncate') ? 'truncate' : faults.includes('stall') ? 'stall' : 'whole',
    };
  }

  #authenticate(authorization: string | undefined): void {
    const challenge = { 'www-authenticate': 'Bearer' };
    if (authorization === undefined) {
      throw new Refusal(401, 'the Authorization header is missing: expected Bearer <API_KEY>', challenge);
    }
    const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    if (key !== this.#key) throw new Refusal(401, 'the API key is not valid', challenge);
  }
}

/** A limit on requests per minute. A window of one minute starts with the first request after the previous window. */
class RateLimit {
  readonly #limit: number;
  readonly #now: () => number;
  /** Milliseconds since 1970. */
  #end = Number.NEGATIVE_INFINITY;
  #left = 0;

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts a request. `retryAfter`: seconds until the next window if this one is exhausted, else null. */
  take(): { headers: Record<string, string>; retryAfter: number | null } {
    const now = this.#now();
    // Also if the clock was set back.
    if (now >= this.#end || now < this.#end - 60_000) {
      this.#end = now + 60_000;
      this.#left = this.#limit;
    }
    const exhausted = this.#left === 0;
    if (!exhausted) this.#left--;
    return {
      headers: {
        'x-ratelimit-limit': String(this.#limit),
        'x-ratelimit-remaining': String(this.#left),
        'x-ratelimit-reset': String(Math.ceil(this.#end / 1000)),
      },
      retryAfter: exhausted ? Math.ceil((this.#end - now) / 1000) : null,
    };
  }
}

const garbage = Buffer.from('{"results": [{"videoId": oops, <html><body>this is not JSON</body></html>');

/** The response of a fault that keeps the request from the service; null for other faults. */
function beforeService(kind: FaultKind): Reply | null {
  if (kind === 'reset') return { status: 0, headers: {}, body: Buffer.alloc(0), ending: 'reset' };
  if (kind === 'proxy-403') return html(403, 'injected by --fail proxy-403');
  const message = `injected by --fail ${kind}`;
  if (kind === 'redirect') throw new Refusal(302, message, { location: 'https://moved.example/' });
  if (typeof kind !== 'number') return null;
  if (kind === 422) throw Refusal.parameter('injected', message);
  throw kind === 429 ? tooManyRequests(message, 1) : new Refusal(kind, message);
}

function tooManyRequests(message: string, retryAfter: number): Refusal {
  return new Refusal(429, { code: 'rate_limited', message }, { 'retry-after': String(retryAfter) });
}

/** A page as a proxy in front of the service sends it. */
function html(status: number, text: string): Reply {
  const body = Buffer.from(`<!DOCTYPE html>\n<title>${status}</title>\n<h1>${status}</h1>\n<p>${text}</p>\n`);
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body, ending: 'whole' };
}

function split(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}
