import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { withoutSecret } from '../text/secret.ts';
import type { BaseUrl } from './address.ts';
import { type Operation, operationPath } from './contract.ts';
import type { Budget, Charge, Tally } from './credits.ts';
import { exhausted, FailedAttempt, failedResponse, failedTransport, tooLong } from './failed-attempt.ts';
import { type Answer, get, TransportError } from './http.ts';
import { checkParameters, type Parameters } from './parameters.ts';
import { readBody } from './response-body.ts';
import { backoff } from './retry.ts';
import { RetryThrottle } from './retry-throttle.ts';

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
  /** Whatever answers is an answer: only where none comes the request is sent again (false). */
  readonly takesAnyAnswer?: boolean;
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
  readonly #ended = new AbortController();
  /** Aborted when the call ends, or is to stop. */
  readonly #over: AbortSignal;
  readonly #waits: RetryThrottle;
  #dispatcher: Promise<Dispatcher> | null = null;

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
    this.#over = AbortSignal.any([context.stop, this.#ended.signal]);
    // As many as there are requests side by side.
    setMaxListeners(0, this.#over);
    this.#waits = new RetryThrottle(context.clock, this.#over, options.maxWait * 1000, events.wait);
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
      if (!(outcome instanceof FailedAttempt)) {
        this.#waits.succeeded();
        return await readBody(outcome);
      }
      const { failure, delay } = outcome;
      if (!outcome.again || (this.#options.takesAnyAnswer && failure.status !== null)) throw failure;
      this.#over.throwIfAborted();
      if (retry >= this.#options.retries) throw exhausted(outcome, retry);
      const wait = delay ?? backoff(retry + 1, this.#context.clock.random());
      if (!this.#waits.reserveWait(wait)) throw tooLong(outcome, wait);
      const why = `${failure.message}, retry ${retry + 1} of ${this.#options.retries}`;
      if (failure.code === 'rate_limited') this.#waits.pause(wait, why);
      else await this.#waits.sleep(wait, why);
      tally.retries++;
      this.#budget.total.retries++;
    }
  }

  /** No request is sent any more, and no wait goes on: they throw `reason`. Those under way are read to their end. */
  end(reason: Failure): void {
    this.#ended.abort(reason);
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.end(new Failure('failed', 'the call has ended'));
    await (await this.#dispatcher?.catch(() => null))?.destroy();
  }

  /** One request: a whole 200, or what was wrong. */
  async #attempt(operation: Operation, path: string, tally: Tally): Promise<Answer | FailedAttempt> {
    const reservation = await this.#budget.reserve(operation.credits, tally);
    let charge: Charge = 'none';
    const started = this.#context.clock.elapsed();
    let result = 'not sent';
    try {
      await this.#waits.paused();
      this.#over.throwIfAborted();
      const answer = await this.#get(path, tally);
      result = `${answer.status} ${answer.body.length} bytes`;
      if (answer.status === 200) {
        charge = 'confirmed';
        return answer;
      }
      return failedResponse(answer, this.#context.clock.now(), this.#hide);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      result = error.message;
      if (error.sent && (error.status === null || error.status === 200)) charge = 'possibly_charged';
      if (error.problem === 'stopped') throw this.#context.stop.reason;
      return failedTransport(error, this.#service.baseUrl.origin, this.#context.clock.now(), this.#hide);
    } finally {
      this.#budget.settle(reservation, charge, tally);
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

  /** A service that quotes the key back must not bring it to the terminal. */
  readonly #hide = (text: string): string => withoutSecret(text, this.#service.key);
}
