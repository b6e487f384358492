import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from '../../src/context.ts';
import { Failure } from '../../src/errors.ts';
import { parseAddress } from '../../src/service/address.ts';
import { Budget, newTally, type Settle } from '../../src/service/budget.ts';
import { Client } from '../../src/service/client.ts';
import { operations } from '../../src/service/contract.ts';
import { fakeContext } from '../support/fake-context.ts';
import { page, scriptedService } from '../support/service.ts';

type Settings = ConstructorParameters<typeof Client>[0];

const newClient = (url: string, clock: Partial<Context['clock']>, more: Partial<Settings> = {}): Client => {
  const { context } = fakeContext({});
  return new Client({
    context: { ...context, clock: { ...context.clock, ...clock } },
    ...{ budget: new Budget([], null), connections: 2, timeout: 5, retries: 4, maxWait: 60 },
    ...{ onRequest: () => {}, onWait: () => {} },
    service: { ...parseAddress(url, 'x'), namespace: 'media', key: 'sk_test' },
    ...more,
  });
};

test('a 429 pauses a request that waits for its reservation, too', async (t) => {
  const limited = { status: 429, headers: { 'retry-after': '30' } };
  const service = await scriptedService(t, (_, n) => (n === 0 ? limited : { body: page(n, n + 1, null) }));
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
      return async () => {};
    }
  }
  const onWait = (): void => {
    isPaused = true;
  };
  const settings = { budget: new SlowBudget([], null), retries: 0, onWait };
  const client = newClient(service.url, { elapsed: () => time, sleep }, settings);
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
    let waits = 0;
    const sleep = async (): Promise<void> => client.end(reason);
    const client: Client = newClient(service.url, { sleep }, { onWait: () => void waits++ });
    await assert.rejects(client.call(operations.uploads, { channel: '@a' }, newTally()), reason);
    await client.close();
    assert.deepEqual([service.seen.length, waits], [1, endsIn === 'request' ? 0 : 1], endsIn);
  }
});
