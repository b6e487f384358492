import { setMaxListeners } from 'node:events';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Step } from '../text/command.ts';
import { withoutSecret } from '../text/sanitize.ts';
import { excerpt } from '../text/truncate.ts';
import { version } from '../version.ts';
import type { BaseUrl } from './address.ts';
import type { Budget, Charge, Tally } from './budget.ts';
import {
  assertParameters,
  type Operation,
  operationPath,
  operations,
  type RequestParameters,
} from './contract.ts';
import { describeError, failedAttempt, finalFailure } from './failures.ts';
import { type Connections, get, type Response, readBody } from './http.ts';
import { createThrottle, decideRetry, type FailedAttempt } from './retry.ts';

export interface Service {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  readonly key: string;
  /** What to do if the key is rejected. */
  readonly remedy?: Step | null;
  /** What to do about a 404; by default it depends on the response. */
  readonly notFoundStep?: string;
}

export interface ClientOptions {
  readonly service: Service;
  readonly context: Context;
  readonly budget: Budget;
  /** Seconds per request, body included. */
  readonly timeout: number;
  readonly retries: number;
  /** Maximum number of seconds to wait without a success (`decideRetry`). */
  readonly maxWait: number;
  readonly connections: number;
  /** Called for each request when it has ended. `line` returns one line about it, and is called only if that is printed. */
  onRequest(line: () => string): void;
  onWait(milliseconds: number, why: string): void;
}

/** The parameters of a `resolve` that verifies a key: a service resolves a canonical ID even if the channel does not exist. */
export const verification = { input: 'UC0123456789abcdefghijkl' };

export function requestUrl(
  { baseUrl, namespace }: Pick<Service, 'baseUrl' | 'namespace'>,
  operation: Operation,
  parameters: RequestParameters,
): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `${baseUrl.href}${operationPath(operation, namespace)}?${query.join('&')}`;
}

function httpRequest({ baseUrl: { origin }, key }: Service, url: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    'user-agent': `chanlist/${version}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  return { origin, path: url.slice(origin.length), headers };
}

/** Checks requests against the contract, retries them, applies one rate limit to the whole run and counts spent credits. */
export class Client {
  readonly #options: ClientOptions;
  readonly #ended = new AbortController();
  /** Aborted when the run ends, or a signal stops the program. */
  readonly #abortSignal: AbortSignal;
  readonly #throttle: ReturnType<typeof createThrottle>;
  #connections: Promise<Connections> | null = null;
  /** Whether the service accepts the key; null until that is known. */
  #acceptsKey: Promise<boolean> | null = null;

  constructor(options: ClientOptions) {
    const { context, onWait } = options;
    this.#options = options;
    this.#abortSignal = AbortSignal.any([context.stop, this.#ended.signal]);
    setMaxListeners(0, this.#abortSignal);
    this.#throttle = createThrottle(context.clock, this.#abortSignal, onWait);
  }

  /** Sends a request until a complete 200 arrives, and returns its body. Throws the failure of the last attempt. */
  async call(operation: Operation, parameters: RequestParameters, tally: Tally): Promise<JsonText> {
    assertParameters(operation, parameters);
    const { service, context, retries, maxWait } = this.#options;
    const url = requestUrl(service, operation, parameters);
    const soFar = { usedRetries: 0, maybeCharged: 0, requestWaitMs: 0 };
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(operation, url, tally, attempt);
      if (!('failure' in outcome)) {
        this.#throttle.succeeded();
        this.#acceptsKey ??= Promise.resolve(true);
        return readBody(outcome);
      }
      if (operation.credits > 0 && outcome.charge === 'possibly_charged') soFar.maybeCharged++;
      const runWaitMs = this.#throttle.limitedMs();
      const limits = { retries, maxWaitMs: maxWait * 1000 };
      const decision = decideRetry(outcome, { ...soFar, runWaitMs }, limits, context.clock.random());
      if (typeof decision === 'string') {
        throw await this.#explain(finalFailure(outcome, decision, attempt), url, tally);
      }
      this.#abortSignal.throwIfAborted();
      const { waitMs, usesRetry, pausesRun } = decision;
      if (usesRetry) soFar.usedRetries++;
      soFar.requestWaitMs += waitMs;
      const { message } = outcome.failure;
      const why = usesRetry ? `${message}, retry ${soFar.usedRetries} of ${retries}` : message;
      await this.#throttle.wait(waitMs, pausesRun, why);
    }
  }

  /** Sends no further request and ends all waits, which throw `reason`. Requests in flight are completed. */
  end(reason: Failure): void {
    this.#ended.abort(reason);
  }

  async close(): Promise<void> {
    const reason = new Failure('failed', 'the run has ended');
    this.end(reason);
    await (await this.#connections?.catch(() => null))?.destroy(reason);
  }

  /** Determines the scope of a failure (what it stops), and adds the next step. */
  async #explain(failure: Failure, url: string, tally: Tally): Promise<Failure> {
    const { code, status } = failure;
    const { remedy, notFoundStep } = this.#options.service;
    if (code === 'not_found' && notFoundStep !== undefined) return failure.with({ step: notFoundStep });
    if (code !== 'unauthorized') return failure;
    if (status !== 403 || !(await this.#isKeyAccepted(url, tally))) return failure.with({ step: remedy });
    return failure.with({
      scope: 'reference',
      step: 'the key works for other requests: ask the service why, or remove the reference',
    });
  }

  /** Whether the service accepts the key for other requests: then a 403 is about its reference. Asks once, for free. */
  async #isKeyAccepted(refusedUrl: string, tally: Tally): Promise<boolean> {
    const url = requestUrl(this.#options.service, operations.resolve, verification);
    if (url === refusedUrl) return false;
    const verify = async (): Promise<boolean> =>
      !('failure' in (await this.#attempt(operations.resolve, url, tally, 1)));
    this.#acceptsKey ??= verify();
    return await this.#acceptsKey;
  }

  /** Sends a request once: reserves its credits before it is sent, and settles them afterwards. */
  async #attempt(
    operation: Operation,
    url: string,
    tally: Tally,
    attempt: number,
  ): Promise<Response | FailedAttempt> {
    const { service, context, budget, timeout } = this.#options;
    const { clock, stop } = context;
    const redact = (text: string): string => withoutSecret(text, service.key);
    // Wait out a pause before reserving credits, and again below: another one may begin meanwhile.
    await this.#throttle.untilResumed();
    const settle = await budget.reserve(operation.credits, tally);
    let charge: Charge = 'free';
    const started = clock.elapsed();
    let result = 'not sent';
    try {
      await this.#throttle.untilResumed();
      this.#connections ??= this.#open();
      const connections = await this.#connections;
      this.#abortSignal.throwIfAborted();
      if (operation.credits > 0) tally.paidRequests++;
      for (const counter of [tally, budget.total]) {
        counter.requests++;
        if (attempt > 1) counter.retries++;
      }
      const outcome = await get(connections, httpRequest(service, url), timeout * 1000);
      const isComplete = 'body' in outcome;
      result = isComplete ? `${outcome.status} ${outcome.body.length} bytes` : describeError(outcome.cause);
      if (isComplete && outcome.status === 200) {
        charge = 'confirmed';
        return outcome;
      }
      const failed = failedAttempt(outcome, {
        serviceName: connections.name,
        now: clock.now(),
        isFeed: operation.name === 'latest',
        redact,
      });
      charge = failed.charge;
      stop.throwIfAborted();
      return failed;
    } finally {
      await settle(charge);
      const took = Math.round(clock.elapsed() - started);
      this.#options.onRequest(() => `GET ${excerpt(redact(url))} ${result} ${took} ms`);
    }
  }

  async #open(): Promise<Connections> {
    const { openConnections } = await import('./dispatcher.ts');
    const { service, context, connections, timeout } = this.#options;
    const { stop, env } = context;
    const opened = await openConnections(service.baseUrl, connections, timeout * 1000, env);
    stop.addEventListener('abort', () => void opened.destroy(stop.reason));
    return opened;
  }
}
