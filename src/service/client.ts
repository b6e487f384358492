import type { Dispatcher } from 'undici';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import type { BaseUrl } from './address.ts';
import { answerFailure, header, readBody } from './answers.ts';
import { type Operation, operationPath } from './contract.ts';
import type { Budget, Charge, Tally } from './credits.ts';
import { type Answer, get, TransportError } from './http.ts';
import type { JsonText } from './json-text.ts';
import { checkParameters, type Parameters } from './parameters.ts';
import { backoff, isRetriedStatus, retryAfter, span } from './retry.ts';
import { withoutSecret } from './secret.ts';

/** Where the service is and what it is spoken to with. */
export interface Service {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  readonly key: string;
}

export interface ClientOptions {
  /** Seconds that one request may take, to its last byte. */
  readonly timeout: number;
  /** Retries of one request. */
  readonly retries: number;
  /** Seconds of waiting in all without a success in between. */
  readonly maxWait: number;
  /** Requests side by side at the most. */
  readonly connections: number;
  readonly userAgent: string;
}

/** What the client tells while it works. */
export interface ClientEvents {
  /** One line about a request and how it ended. */
  request(line: string): void;
  /** A wait begins, in milliseconds. */
  wait(milliseconds: number, why: string): void;
}

/** The address of a request: path and encoded query. */
export function requestPath(
  service: Pick<Service, 'baseUrl' | 'namespace'>,
  operation: Operation,
  parameters: Parameters,
): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
  const prefix = service.baseUrl.href.slice(service.baseUrl.origin.length);
  return `${prefix}${operationPath(operation, service.namespace)}?${query}`;
}

/**
 * The service's client: requests checked against the contract, retries, one rate limit for the whole call, and
 * the account of what was spent.
 */
export class Client {
  readonly #service: Service;
  readonly #options: ClientOptions;
  readonly #context: Context;
  readonly #budget: Budget;
  readonly #events: ClientEvents;
  #dispatcher: Promise<Dispatcher> | null = null;
  /** Moment (of `clock.elapsed`) until which a 429 keeps every request waiting. */
  #pausedUntil = 0;
  /** Moment until which any request waits before it is sent again. */
  #waitingUntil = 0;
  /** Milliseconds waited since the last success; of waits side by side the time, not their sum. */
  #waited = 0;

  constructor(
    service: Service,
    options: ClientOptions,
    context: Context,
    budget: Budget,
    events: ClientEvents,
  ) {
    this.#service = service;
    this.#options = options;
    this.#context = context;
    this.#budget = budget;
    this.#events = events;
  }

  /**
   * Calls an operation until there is a whole 200, and returns its body. Throws the failure of the closed set
   * that ended it. What it cost is added to `tally` and to the budget.
   */
  async call(operation: Operation, parameters: Parameters, tally: Tally): Promise<JsonText> {
    checkParameters(operation, parameters);
    const path = requestPath(this.#service, operation, parameters);
    for (let retry = 0; ; retry++) {
      const outcome = await this.#attempt(operation, path, tally);
      if (!(outcome instanceof Problem)) {
        this.#waited = 0;
        return await readBody(outcome);
      }
      const { failure, delay } = outcome;
      if (!outcome.again) throw failure;
      if (retry >= this.#options.retries) throw exhausted(failure, retry, delay);
      const wait = delay ?? backoff(retry + 1, this.#context.clock.random());
      if (!this.#mayWait(wait)) throw tooLong(failure, wait, delay !== null);
      const why = `${failure.message}, retry ${retry + 1} of ${this.#options.retries}`;
      if (failure.code === 'rate_limited') this.#pause(wait, why);
      else await this.#sleep(wait, why);
      tally.retries++;
      this.#budget.total.retries++;
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    await (await this.#dispatcher?.catch(() => null))?.destroy();
  }

  /** One request: a whole 200, or what was wrong. */
  async #attempt(operation: Operation, path: string, tally: Tally): Promise<Answer | Problem> {
    await this.#budget.reserve(operation.credits);
    let charge: Charge = 'none';
    const started = this.#context.clock.elapsed();
    let result = 'not sent';
    try {
      await this.#rateLimit();
      this.#context.stop.throwIfAborted();
      const answer = await this.#get(path, tally);
      result = `${answer.status} ${answer.body.length} bytes`;
      if (answer.status === 200) {
        charge = 'confirmed';
        return answer;
      }
      return this.#problem(answerFailure(answer, this.#hide), answer);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      result = error.message;
      if (error.sent && (error.status === null || error.status === 200)) charge = 'possibly_charged';
      if (error.problem === 'stopped') throw this.#context.stop.reason;
      return this.#transportProblem(error);
    } finally {
      this.#budget.settle(operation.credits, charge, tally);
      const took = Math.round(this.#context.clock.elapsed() - started);
      const safe = this.#hide(path);
      const shown = safe.length > 300 ? `${safe.slice(0, 300)}…` : safe;
      this.#events.request(`GET ${this.#service.baseUrl.origin}${shown} ${result} ${took} ms`);
    }
  }

  async #get(path: string, tally: Tally): Promise<Answer> {
    this.#dispatcher ??= this.#open();
    const dispatcher = await this.#dispatcher;
    tally.requests++;
    this.#budget.total.requests++;
    return await get(dispatcher, {
      origin: this.#service.baseUrl.origin,
      path,
      headers: {
        authorization: `Bearer ${this.#service.key}`,
        'user-agent': this.#options.userAgent,
        accept: 'application/json',
      },
      timeout: this.#options.timeout * 1000,
      stop: this.#context.stop,
    });
  }

  async #open(): Promise<Dispatcher> {
    const { createDispatcher } = await import('./dispatcher.ts');
    return await createDispatcher(this.#service.baseUrl, {
      connections: this.#options.connections,
      connectTimeout: this.#options.timeout * 1000,
      env: this.#context.env,
    });
  }

  #problem(failure: Failure, answer: Pick<Answer, 'status' | 'headers'>): Problem {
    if (!isRetriedStatus(answer.status)) return new Problem(failure, false, null);
    const date = Date.parse(header(answer, 'date') ?? '');
    const now = Number.isNaN(date) ? this.#context.clock.now() : date;
    return new Problem(failure, true, retryAfter(header(answer, 'retry-after'), now));
  }

  #transportProblem(error: TransportError): Problem {
    const { status, message } = error;
    // The status alone says that nothing was charged, and what is wrong.
    if (status !== null && status !== 200) {
      const answer = { status, headers: error.headers, body: null };
      return this.#problem(answerFailure(answer, this.#hide), answer);
    }
    const details = { cause: error, ...(status === null ? {} : { status }) };
    const host = this.#service.baseUrl.origin;
    switch (error.problem) {
      case 'certificate':
        return new Problem(
          new Failure('unreachable', `${host} cannot be trusted: ${message}`, {
            ...details,
            hint: 'a private authority is named by NODE_EXTRA_CA_CERTS',
          }),
          false,
          null,
        );
      case 'unreachable':
        return new Problem(
          new Failure('unreachable', `${host} is not reached: ${message}`, {
            ...details,
            hint: 'check the address and the network',
          }),
          true,
          null,
        );
      case 'nonsense':
      case 'too large':
        return new Problem(new Failure('bad_answer', message, details), false, null);
      default:
        return new Problem(new Failure('unavailable', `no whole answer: ${message}`, details), true, null);
    }
  }

  /** A service that quotes the key back must not bring it to the terminal. */
  readonly #hide = (text: string): string => withoutSecret(text, this.#service.key);

  /** Takes a wait of so many milliseconds into account; false where it would be longer than allowed. */
  #mayWait(wait: number): boolean {
    const now = this.#context.clock.elapsed();
    const more = Math.max(0, now + wait - Math.max(this.#waitingUntil, now));
    if (this.#waited + more > this.#options.maxWait * 1000) return false;
    this.#waited += more;
    this.#waitingUntil = Math.max(this.#waitingUntil, now + wait);
    return true;
  }

  #pause(wait: number, why: string): void {
    const until = this.#context.clock.elapsed() + wait;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#events.wait(wait, why);
  }

  async #rateLimit(): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#context.clock.elapsed();
      if (left <= 0) return;
      await this.#context.clock.sleep(left, this.#context.stop);
    }
  }

  async #sleep(wait: number, why: string): Promise<void> {
    this.#events.wait(wait, why);
    await this.#context.clock.sleep(wait, this.#context.stop);
  }
}

/** An attempt that did not bring a whole 200. */
class Problem {
  readonly failure: Failure;
  /** Another try may help. */
  readonly again: boolean;
  /** Milliseconds to wait that the service named. */
  readonly delay: number | null;

  constructor(failure: Failure, again: boolean, delay: number | null) {
    this.failure = failure;
    this.again = again;
    this.delay = delay;
  }
}

function changed(failure: Failure, message: string, hint: string | undefined): Failure {
  return new Failure(failure.code, message, {
    cause: failure.cause,
    scope: failure.scope,
    ...(failure.status === null ? {} : { status: failure.status }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function exhausted(failure: Failure, retries: number, delay: number | null): Failure {
  const tries = retries === 0 ? '' : `, after ${retries + 1} tries`;
  const when = delay === null || delay < 1000 ? 'try again later' : `come back in ${span(delay)}`;
  return changed(failure, `${failure.message}${tries}`, failure.hint ?? when);
}

function tooLong(failure: Failure, wait: number, named: boolean): Failure {
  const when = named
    ? `come back in ${span(wait)}, or allow more with --max-wait`
    : 'waited as long as --max-wait allows: try again later';
  return changed(failure, failure.message, when);
}
