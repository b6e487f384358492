import { defaultNamespace, operationPath, operations } from '../api/contract.ts';
import { type AnswerRequest, answer, type Data } from './answers.ts';
import type { FaultKind } from './faults.ts';
import { readParameters } from './parameters.ts';
import { Refusal } from './refusal.ts';

/** What the service looks at of a request. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
}

/** What is sent back. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body is sent whole, breaks off halfway, or the connection is reset before anything is sent. */
  readonly ending: 'whole' | 'truncate' | 'reset';
}

const routes = new Map(
  Object.values(operations).map((operation) => [operationPath(operation, defaultNamespace), operation]),
);

/** The service without the network: a request and the faults that happen to it -> reply, and the ledger. */
export class Service {
  readonly #key: string;
  readonly #data: Data;
  /** Credits left on the account. */
  credits: number;

  constructor(key: string, credits: number, data: Data) {
    this.#key = key;
    this.credits = credits;
    this.#data = data;
  }

  /**
   * Decides a request. The decision and the debit are one synchronous step: of two requests for the last
   * credit, one gets it. Only a 200 of a paid operation debits (service specification, section 1, rule 3).
   */
  reply(request: ServiceRequest, faults: readonly FaultKind[]): Reply {
    try {
      return this.#serve(request, faults);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const body = Buffer.from(JSON.stringify({ detail: error.detail }));
      return { status: error.status, headers: error.headers, body, ending: 'whole' };
    }
  }

  #serve(request: ServiceRequest, faults: readonly FaultKind[]): Reply {
    const { method, target } = request;
    const front = faults.find((kind) => kind === 'reset' || typeof kind === 'number');
    if (front === 'reset') return { status: 0, headers: {}, body: Buffer.alloc(0), ending: 'reset' };
    if (typeof front === 'number') throw injected(front);

    const [path = '', query = ''] = split(target);
    const operation = routes.get(path);
    if (operation === undefined) throw new Refusal(404, 'there is no such path');
    if (method !== 'GET') throw new Refusal(405, 'only GET is allowed', { allow: 'GET' });
    if ((request.userAgent ?? '').trim() === '') {
      throw new Refusal(403, { code: 'forbidden', message: 'a User-Agent header is required' });
    }
    this.#authenticate(request.authorization);
    if (this.credits < 1) {
      throw new Refusal(402, { code: 'no_credits', message: 'the account has no credits left' });
    }
    const parameters = readParameters(operation, new URLSearchParams(query));
    const answerRequest: AnswerRequest = {
      operation: operation.name,
      parameters,
      expire: faults.includes('expire'),
      loop: faults.includes('loop'),
    };
    const body = answer(answerRequest, this.#data);
    this.credits -= operation.credits;
    return {
      status: 200,
      headers: {},
      body: faults.includes('garbage') ? garbage : body,
      ending: faults.includes('truncate') ? 'truncate' : 'whole',
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

const garbage = Buffer.from('{"results": [{"videoId": oops, <html><body>this is no JSON</body></html>');

function split(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

function injected(status: number): Refusal {
  const message = `injected by --fail ${status}`;
  if (status === 422) return Refusal.parameter('injected', message);
  if (status === 429) return new Refusal(status, { code: 'rate_limited', message }, { 'retry-after': '1' });
  return new Refusal(status, message);
}
