import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, type Ledger, newTally, type SpentBound } from '../../src/service/budget.ts';

const perRun = (credits: number) => ({ credits, per: 'run' }) as const;
const perMonth = { credits: 3, per: 'month' } as const;
const spentMonth: SpentBound = { ...perMonth, resets: '2026-12-01 00:00' };

/** A ledger with room for so many credits, and what was noted in it. */
function fakeLedger(room: number) {
  const noted: string[] = [];
  const ledger: Ledger = {
    reserve: (credits, reference) => {
      if (credits > room) return spentMonth;
      room -= credits;
      noted.push(`${reference}`);
      return (charge) => {
        noted.push(charge);
        if (charge === 'none') room += credits;
      };
    },
  };
  return { noted, open: async () => ledger };
}

test('all bounds apply: the one that is spent first stops paid requests, and is named', async () => {
  const tally = newTally('@a');
  const { noted, open } = fakeLedger(2);
  const budget = new Budget([perMonth, perRun(5), perRun(9)], open);
  for (const charge of ['confirmed', 'possibly_charged'] as const) (await budget.reserve(1, tally))(charge);
  await assert.rejects(budget.reserve(1, tally), {
    code: 'budget',
    exit: 9,
    message: 'stopped at --max-credits 3/month, which resets on 2026-12-01 00:00 (local time)',
  });
  assert.deepEqual(noted, ['@a', 'confirmed', '@a', 'possibly_charged']);
  assert.deepEqual(tally.credits, { confirmed: 1, possibly_charged: 1 });
  assert.deepEqual(budget.total.credits, tally.credits);
});

test('a free request opens no ledger and needs no budget', async () => {
  const tally = newTally();
  const ledger = async (): Promise<Ledger> => assert.fail('opened');
  const budget = new Budget([perRun(0)], ledger);
  (await budget.reserve(0, tally))('confirmed');
  await budget.prepare();
  assert.deepEqual(budget.total, newTally());
});

test('a ledger that cannot be used stops the run before its first request if a bound needs it', async () => {
  const ledger = async (): Promise<Ledger> => {
    throw new Error('unusable');
  };
  await assert.rejects(new Budget([perMonth], ledger).prepare(), /unusable/);
});

for (const [what, bounds, room] of [
  ['in memory', [perRun(1)], 9],
  ['in the ledger', [perMonth], 1],
] as const) {
  test(`a request waits for one under way that may turn out free (${what})`, async () => {
    const tally = newTally();
    const budget = new Budget(bounds, fakeLedger(room).open);
    const first = await budget.reserve(1, tally);
    const second = budget.reserve(1, tally);
    const third = assert.rejects(budget.reserve(1, tally), { code: 'budget' });
    await new Promise((resolve) => setImmediate(resolve));
    first('none');
    (await second)('confirmed');
    await third;
    assert.deepEqual(budget.total.credits, { confirmed: 1, possibly_charged: 0 });
  });
}

test('without a ledger, bounds per day and month apply to the run', async () => {
  const tally = newTally();
  const budget = new Budget([{ credits: 1, per: 'day' }], null);
  (await budget.reserve(1, tally))('confirmed');
  await assert.rejects(budget.reserve(1, tally), {
    message: 'stopped at --max-credits 1/day',
  });
});

test('possibly charged credits count against a bound of the run', async () => {
  const tally = newTally();
  const budget = new Budget([perRun(2)], null);
  for (const charge of ['possibly_charged', 'none', 'confirmed'] as const)
    (await budget.reserve(1, tally))(charge);
  await assert.rejects(budget.reserve(1, tally), { code: 'budget' });
});
