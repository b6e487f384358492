import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Budget,
  budgetSpent,
  type Charge,
  type Ledger,
  newTally,
  type SpentBound,
} from '../../src/service/budget.ts';

const call = (credits: number) => ({ credits, per: 'run' }) as const;
const perMonth = { credits: 3, per: 'month' } as const;
const spentMonth: SpentBound = { ...perMonth, resets: '2026-12-01 00:00' };

/** A ledger with room for so many credits, and what was noted in it. */
function fakeLedger(room: number) {
  const noted: string[] = [];
  const ledger: Ledger = {
    reserve: (credits, reference) => {
      if (credits > room) return { spent: spentMonth };
      room -= credits;
      noted.push(`${reference}`);
      return {
        spent: null,
        settle: (charge: Charge) => {
          noted.push(charge);
          if (charge === 'none') room += credits;
        },
      };
    },
  };
  return { noted, open: async () => ledger };
}

test('all bounds hold: the one that is spent first stops purchases, and is named', async () => {
  const tally = newTally('@a');
  const { noted, open } = fakeLedger(2);
  const budget = new Budget({ bounds: [perMonth, call(5), call(9)], ledger: open });
  assert.equal(budget.maxCredits, 5);
  for (const charge of ['confirmed', 'possibly_charged'] as const)
    budget.settle(await budget.reserve(1, tally), charge, tally);
  await assert.rejects(budget.reserve(1, tally), {
    code: 'budget',
    exit: 9,
    message:
      'stopped by the budget: --max-credits allows 3 credits per month, it resets on 2026-12-01 00:00 (local time)',
  });
  assert.deepEqual(noted, ['@a', 'confirmed', '@a', 'possibly_charged']);
  assert.deepEqual(tally.credits, { confirmed: 1, possibly_charged: 1 });
  assert.deepEqual(budget.total.credits, tally.credits);
  assert.equal(budgetSpent(budget, { credits: 2 }).message.endsWith('; about 2 more are needed'), true);
  assert.equal(
    budgetSpent(budget, { credits: 1, of: ' for @b' }).message.endsWith('; about 1 more is needed for @b'),
    true,
  );
  assert.equal(budgetSpent(budget, { credits: 0 }).message, budgetSpent(budget).message);
});

test('a free call opens no ledger and needs no budget', async () => {
  const tally = newTally();
  const ledger = async (): Promise<Ledger> => assert.fail('opened');
  const budget = new Budget({ bounds: [call(0)], ledger });
  budget.settle(await budget.reserve(0, tally), 'confirmed', tally);
  await budget.prepare();
  assert.deepEqual(budget.total, newTally());
});

test('a ledger that cannot be used stops the call before its first request if a bound needs it', async () => {
  const ledger = async (): Promise<Ledger> => {
    throw new Error('unusable');
  };
  await assert.rejects(new Budget({ bounds: [perMonth], ledger }).prepare(), /unusable/);
});

for (const [what, bounds, room] of [
  ['in memory', [call(1)], 9],
  ['in the ledger', [perMonth], 1],
] as const) {
  test(`a request waits for one under way that may turn out free (${what})`, async () => {
    const tally = newTally();
    const budget = new Budget({ bounds, ledger: fakeLedger(room).open });
    const first = await budget.reserve(1, tally);
    const second = budget.reserve(1, tally);
    const third = assert.rejects(budget.reserve(1, tally), { code: 'budget' });
    await new Promise((resolve) => setImmediate(resolve));
    budget.settle(first, 'none', tally);
    budget.settle(await second, 'confirmed', tally);
    await third;
    assert.deepEqual(budget.total.credits, { confirmed: 1, possibly_charged: 0 });
  });
}

test('without a ledger, bounds per day and month hold for the call', async () => {
  const tally = newTally();
  const budget = new Budget({ bounds: [{ credits: 1, per: 'day' }], ledger: null });
  budget.settle(await budget.reserve(1, tally), 'confirmed', tally);
  await assert.rejects(budget.reserve(1, tally), {
    message: 'stopped by the budget: --max-credits allows 1 credit per day',
  });
});

test('possibly charged credits count against a bound of the call', async () => {
  const tally = newTally();
  const budget = new Budget({ bounds: [call(2)], ledger: null });
  for (const charge of ['possibly_charged', 'none', 'confirmed'] as const)
    budget.settle(await budget.reserve(1, tally), charge, tally);
  await assert.rejects(budget.reserve(1, tally), { code: 'budget' });
});
