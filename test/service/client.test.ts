import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Failure } from '../../src/errors.ts';
import { parseAddress } from '../../src/service/address.ts';
import { Budget, newTally, type Settle } from '../../src/service/budget.ts';
import { Client } from '../../src/service/client.ts';
import { operations } from '../../src/service/contract.ts';
import { fakeContext } from '../support/fake-context.ts';
import { page, scriptedService } from '../support/service.ts';

test('a 429 pauses a request that waits for its reservation, too', async (t) => {
  const limited = { status: 429, headers: { 'retry-after': '30' } };
  const service = await scriptedService(t, (_, n) => (n === 0 ? limited : { body: page(n, n + 1, null) }));
  const { context } = fakeContext({});
  let time = 0;
  let asleep = 0;
  const sleep = async (): Promise<void> => {
    asleep++;
    while (asleep < 2 && service.seen.length < 2) await turn();
    time = 30_000;
  };
  /** The second reservation is made during the pause. */
  let isPaused = false;
  let reservations = 0;
  class SlowBudget extends Budget {
    override async reserve(): Promise<Settle> {
      if (++reservations === 2) while (!isPaused) await turn();
      return () => {};
    }
  }
  const onWait = (): void => {
    isPaused = true;
  };
  const client = new Client({
    context: { ...context, clock: { ...context.clock, elapsed: () => time, sleep } },
    ...{ budget: new SlowBudget([], null), connections: 2, timeout: 5, retries: 0, maxWait: 60 },
    ...{ onRequest: () => {}, onWait },
    service: { ...parseAddress(service.url, 'x'), namespace: 'media', key: 'sk_test' },
  });
  await Promise.all(['@a', '@b'].map((channel) => client.call(operations.uploads, { channel }, newTally())));
  await client.close();
  assert.deepEqual([asleep, service.seen.length], [2, 3]);
});

test('after the end of a run nothing is retried: not a failure that arrives, nor one whose wait ends', async (t) => {
  const reason = new Failure('failed', 'the run has ended');
  for (const endsIn of ['request', 'wait'] as const) {
    const service = await scriptedService(t, () => {
      if (endsIn === 'request') client.end(reason);
      return { status: 503 };
    });
    const { context } = fakeContext({});
    let waits = 0;
    const sleep = async (): Promise<void> => client.end(reason);
    const client: Client = new Client({
      context: { ...context, clock: { ...context.clock, sleep } },
      ...{ budget: new Budget([], null), connections: 1, timeout: 5, retries: 4, maxWait: 60 },
      ...{ onRequest: () => {}, onWait: () => void waits++ },
      service: { ...parseAddress(service.url, 'x'), namespace: 'media', key: 'sk_test' },
    });
    await assert.rejects(client.call(operations.uploads, { channel: '@a' }, newTally()), reason);
    await client.close();
    assert.deepEqual([service.seen.length, waits], [1, endsIn === 'request' ? 0 : 1], endsIn);
  }
});
