import { setMaxListeners } from 'node:events';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { withoutSecret } from '../text/secret.ts';
import type { BaseUrl } from './address.ts';
import type { Budget, Charge, Tally } from './budget.ts';
import { type Operation, operationPath } from './contract.ts';
import type { Connections } from './dispatcher.ts';
import { FailedAttempt, failedResponse, failedTransport, finalFailure } from './failed-attempt.ts';
import { type Answer, get, TransportError } from './http.ts';
import { checkParameters, type Parameters } from './parameters.ts';
import { readBody } from './response-body.ts';
import { decideRetry } from './retry.ts';
import { RetryThrottle } from './retry-throttle.ts';

/** The address of the service and the key for it. */
export interface Service {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  readonly key: string;
}

export interface ClientOptions {
  /** Seconds per request, body included. */
  readonly timeout: number;
  /** Counted retries per request. */
  readonly retries: number;
  /** Seconds of waiting without a success (`RetryLimits`). */
  readonly maxWait: number;
  /** Largest number of concurrent requests. */
  readonly connections: number;
  readonly userAgent: string;
}

/** What the client reports while it works. */
export interface ClientEvents {
  /** One line about a request and how it ended. */
  request(line: string): void;
  /** False if these lines are not printed: then they are not formatted (true). */
  readonly wantsRequests?: boolean;
  /** A wait starts, in milliseconds. */
  wait(milliseconds: number, why: string): void;
}

/** Maximum length of a path in a line about a request. */
const maxShownPath = 300;

/** Path and encoded query of a request. */
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
 * The service's client: checks requests against the contract, retries them, keeps one rate limit for the whole call
 * and counts what was spent.
 */
export class Client {
  readonly #service: Service;
  readonly #options: ClientOptions;
  readonly #context: Context;
  readonly #budget: Budget;
  readonly #events: ClientEvents;
  readonly #ended = new AbortController();
  /** Aborted when the call ends, or a signal stops the program. */
  readonly #abortSignal: AbortSignal;
  readonly #throttle: RetryThrottle;
  #connections: Promise<Connections> | null = null;

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
    this.#abortSignal = AbortSignal.any([context.stop, this.#ended.signal]);
    // One abort listener per concurrent request.
    setMaxListeners(0, this.#abortSignal);
    this.#throttle = new RetryThrottle(context.clock, this.#abortSignal, events.wait);
  }

  /**
   * Calls an operation until a complete 200 arrives, and returns its body. Throws the failure that ended the call.
   * What it cost is added to `tally` and to the budget.
   */
  async call(operation: Operation, parameters: Parameters, tally: Tally): Promise<JsonText> {
    checkParameters(operation, parameters);
    const path = requestPath(this.#service, operation, parameters);
    const { retries, maxWait } = this.#options;
    const limits = { retries, maxWaitMs: maxWait * 1000 };
    let counted = 0;
    let requestWaitMs = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(operation, path, tally, attempt);
      if (!(outcome instanceof FailedAttempt)) {
        this.#throttle.succeeded();
        return await readBody(outcome);
      }
      const { failure } = outcome;
      const { totalMs: callWaitMs, pendingMs } = this.#throttle;
      const random = this.#context.clock.random();
      const progress = { counted, requestWaitMs, callWaitMs, pendingMs, random };
      const decision = decideRetry(outcome, progress, limits);
      if (!decision.retry) {
        throw decision.reason === 'not retryable' ? failure : finalFailure(outcome, decision.reason, attempt);
      }
      this.#abortSignal.throwIfAborted();
      const { waitMs, counts, pausesCall } = decision;
      if (counts) counted++;
      requestWaitMs += waitMs;
      this.#throttle.reserveWait(waitMs);
      const why = counts ? `${failure.message}, retry ${counted} of ${retries}` : failure.message;
      if (pausesCall) this.#throttle.pause(waitMs, why);
      else await this.#throttle.sleep(waitMs, why);
    }
  }

  /** Sends no further request and ends all waits: they throw `reason`. Requests in flight are completed. */
  end(reason: Failure): void {
    this.#ended.abort(reason);
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.end(new Failure('failed', 'the call has ended'));
    await (await this.#connections?.catch(() => null))?.dispatcher.destroy();
  }

  /** Sends one request, attempt number `attempt` (from 1) of a call. Returns a complete 200 or the failed attempt. */
  async #attempt(
    operation: Operation,
    path: string,
    tally: Tally,
    attempt: number,
  ): Promise<Answer | FailedAttempt> {
    // Nothing is reserved during a pause, unless it starts while the reservation is made.
    await this.#throttle.paused();
    const reservation = await this.#budget.reserve(operation.credits, tally);
    let charge: Charge = 'none';
    const started = this.#context.clock.elapsed();
    let result = 'not sent';
    try {
      await this.#throttle.paused();
      // Pending events run first: a connection that the service has just closed is not used again.
      await new Promise((resolve) => setImmediate(resolve));
      this.#abortSignal.throwIfAborted();
      if (operation.credits > 0) tally.paidRequests++;
      const answer = await this.#get(path, tally, attempt);
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
      if (this.#events.wantsRequests ?? true) this.#reportRequest(path, result, started);
    }
  }

  #reportRequest(path: string, result: string, started: number): void {
    const took = Math.round(this.#context.clock.elapsed() - started);
    const safe = this.#hide(path);
    const shown = safe.length > maxShownPath ? `${safe.slice(0, maxShownPath)}…` : safe;
    this.#events.request(`GET ${this.#service.baseUrl.origin}${shown} ${result} ${took} ms`);
  }

  async #get(path: string, tally: Tally, attempt: number): Promise<Answer> {
    this.#connections ??= this.#open();
    const connections = await this.#connections;
    const { total } = this.#budget;
    tally.requests++;
    total.requests++;
    if (attempt > 1) {
      tally.retries++;
      total.retries++;
    }
    return await get(connections, {
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

  async #open(): Promise<Connections> {
    const { openConnections } = await import('./dispatcher.ts');
    return await openConnections(this.#service.baseUrl, {
      connections: this.#options.connections,
      connectTimeout: this.#options.timeout * 1000,
      env: this.#context.env,
    });
  }

  /** Removes the key from text of the service. */
  readonly #hide = (text: string): string => withoutSecret(text, this.#service.key);
}
