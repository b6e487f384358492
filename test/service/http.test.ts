import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type Connections, get } from '../../src/service/http.ts';

/** Sends a request of five seconds through a dispatcher that does only what the test calls. */
function dispatched(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let handler: Dispatcher.DispatchHandler = {};
  const dispatch = (_: unknown, given: Dispatcher.DispatchHandler): boolean => {
    handler = given;
    return true;
  };
  const connections = {
    dispatcher: { dispatch } as unknown as Dispatcher,
    ...{ name: 'the service', closesUnannounced: false },
    ...{ stopConnecting: () => {}, destroy: async () => {} },
  } satisfies Connections;
  const outcome = get(connections, { origin: 'https://a.test', path: '/', headers: {} }, 5000);
  const aborted: Error[] = [];
  const abort = (error: Error): void => void aborted.push(error);
  const controller = { abort } as unknown as Dispatcher.DispatchController;
  return {
    outcome,
    aborted,
    pass: (milliseconds: number) => t.mock.timers.tick(milliseconds),
    start: () => handler.onRequestStart?.(controller, {}),
    respond: () => {
      handler.onResponseStart?.(controller, 200, {}, 'OK');
      handler.onResponseData?.(controller, Buffer.from('{}'));
      handler.onResponseEnd?.(controller, {});
    },
  };
}

test('a request that was abandoned before it was sent is never sent', async (t) => {
  const { outcome, aborted, pass, start } = dispatched(t);
  pass(5000);
  const { sent } = (await outcome) as { sent?: boolean };
  assert.deepEqual([sent, aborted.length], [false, 0]);
  start();
  assert.equal(aborted.length, 1);
});

test('a response that arrived while the process was suspended is read before the time limit counts', async (t) => {
  const { outcome, aborted, pass, start, respond } = dispatched(t);
  start();
  pass(3_600_000);
  respond();
  const { body } = (await outcome) as { body?: Buffer };
  await turn();
  assert.deepEqual([String(body), aborted.length], ['{}', 0]);
});
