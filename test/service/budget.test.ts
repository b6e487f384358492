import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Budget,
  budgetSpent,
  environmentBounds,
  formatBounds,
  type Ledger,
  newTally,
  parseBounds,
  type Settle,
} from '../../src/service/budget.ts';

const source = '--max-credits';
const perRun = (credits: number) => ({ credits, per: 'run', source }) as const;
const perMonth = { credits: 3, per: 'month', source: "profile 'work'" } as const;

/** A ledger with room for so many credits, and what was noted in it. */
function fakeLedger(room: number) {
  const noted: string[] = [];
  const assertAllowed = async (credits: number): Promise<void> => {
    if (credits > room) throw budgetSpent(perMonth, '2026-12-01 00:00');
  };
  const addRequest: Ledger['addRequest'] = async (credits, reference) => {
    await assertAllowed(credits);
    room -= credits;
    noted.push(`${reference}`);
    return async (charge) => {
      noted.push(charge);
      if (charge === 'free') room += credits;
    };
  };
  const ledger: Ledger = { assertAllowed, addRequest };
  return { noted, ledger };
}

const reserved = (budget: Budget, tally = newTally()): Promise<Settle> => budget.reserve(1, tally);

test('without bounds a request is noted, too; a free one is not, and needs no budget', async () => {
  const tally = newTally('@a');
  const { noted, ledger } = fakeLedger(1);
  await (await reserved(new Budget([], ledger), tally))('confirmed');
  const budget = new Budget([perRun(0)], ledger);
  await (await budget.reserve(0, tally))('confirmed');
  assert.deepEqual([noted, budget.total], [['@a', 'confirmed'], newTally()]);
  assert.deepEqual(tally.credits, { confirmed: 1, possibly_charged: 0 });
});

test('all bounds apply: the one that is spent first stops paid requests, and is named', async () => {
  const tally = newTally('@a');
  const { noted, ledger } = fakeLedger(2);
  const budget = new Budget([perMonth, perRun(5), perRun(9)], ledger);
  for (const charge of ['confirmed', 'possibly_charged'] as const)
    await (await reserved(budget, tally))(charge);
  await assert.rejects(reserved(budget, tally), {
    code: 'budget',
    exit: 9,
    message:
      "stopped at --max-credits 3/month of profile 'work', which resets on 2026-12-01 00:00 (local time)",
    step: 'wait until it resets',
  });
  assert.deepEqual(noted, ['@a', 'confirmed', '@a', 'possibly_charged']);
  assert.deepEqual(tally.credits, { confirmed: 1, possibly_charged: 1 });
  assert.deepEqual(budget.total.credits, tally.credits);
});

test('of bounds of the run and of the month that are spent by one credit, the month is named', async () => {
  for (const [room, message] of [
    [2, /^stopped at --max-credits 3\/month of profile 'work', which resets on/],
    [3, /^stopped at --max-credits 2$/],
  ] as const) {
    const { noted, ledger } = fakeLedger(room);
    const budget = new Budget([perRun(2), perMonth], ledger);
    for (let bought = 0; bought < 2; bought++) await (await reserved(budget))('confirmed');
    await assert.rejects(reserved(budget), { code: 'budget', message });
    assert.equal(noted.length, 4);
  }
});

for (const [what, bounds, room] of [
  ['in memory', [perRun(1)], 9],
  ['in the ledger', [perMonth], 1],
] as const) {
  test(`a request waits for one under way that may turn out free (${what})`, async () => {
    const tally = newTally();
    const budget = new Budget(bounds, fakeLedger(room).ledger);
    const first = await reserved(budget, tally);
    const second = reserved(budget, tally);
    const third = assert.rejects(reserved(budget, tally), { code: 'budget' });
    await new Promise((resolve) => setImmediate(resolve));
    await first('free');
    await (await second)('confirmed');
    await third;
    assert.deepEqual(budget.total.credits, { confirmed: 1, possibly_charged: 0 });
  });
}

test('a request that turns out free while the ledger is asked makes room', async () => {
  const { ledger } = fakeLedger(9);
  let settleFirst: Settle | null = null;
  const assertAllowed = async (): Promise<void> => settleFirst?.('free');
  const budget = new Budget([perRun(1), { ...perMonth, credits: 9 }], { ...ledger, assertAllowed });
  settleFirst = await reserved(budget);
  await (await reserved(budget))('confirmed');
  assert.deepEqual(budget.total.credits, { confirmed: 1, possibly_charged: 0 });
});

test('without a ledger all bounds apply to the run; possibly charged credits count', async () => {
  for (const [credits, per, ...charges] of [
    [1, 'day', 'confirmed'],
    [2, 'run', 'possibly_charged', 'free', 'confirmed'],
  ] as const) {
    const budget = new Budget([{ credits, per, source }], null);
    for (const charge of charges) await (await reserved(budget))(charge);
    const shown = per === 'run' ? '2' : '1/day';
    await assert.rejects(reserved(budget), { message: `stopped at --max-credits ${shown}` });
  }
});

const month = { credits: 3000, per: 'month', source: 'X' } as const;
const day = { credits: 200, per: 'day', source: 'X' } as const;
const call = { credits: 5, per: 'run', source: 'X' } as const;

test('bounds are numbers per run, day or month; they print as they are read', () => {
  assert.deepEqual(parseBounds('5', 'X'), [call]);
  assert.deepEqual(parseBounds('3000/month, 200/day,5', 'X'), [month, day, call]);
  assert.deepEqual(parseBounds('0/day', 'X'), [{ credits: 0, per: 'day', source: 'X' }]);
  assert.equal(formatBounds([month, day, call]), '3000/month,200/day,5');
  for (const text of ['', '5,', '-1', '1.5', '5/week', '5/ month', '5/MONTH', '/day', '9007199254740993'])
    assert.throws(() => parseBounds(text, 'CHANLIST_MAX_CREDITS'), {
      code: 'usage',
      message: `CHANLIST_MAX_CREDITS is '${text}': expected a whole number, N/day or N/month`,
    });
});

test('the next step of a spent bound: to wait, to allow anything, or to raise it', () => {
  const zero = { credits: 0, per: 'day', source: 'CHANLIST_MAX_CREDITS' } as const;
  for (const [bound, resets, step] of [
    [perMonth, '2026-12-01 00:00', 'wait until it resets'],
    [zero, '2026-12-01 00:00', 'allow at least 1 credit'],
    [perRun(0), null, 'allow at least 1 credit'],
    [perRun(3), null, 'raise this bound'],
  ] as const)
    assert.equal(budgetSpent(bound, resets).step, step);
  const { message } = budgetSpent(zero, '2026-12-01 00:00');
  assert.match(message, /^stopped at --max-credits 0\/day of CHANLIST_MAX_CREDITS, which resets on/);
});

test('the bounds of CHANLIST_MAX_CREDITS, which may be empty', () => {
  const source = 'CHANLIST_MAX_CREDITS';
  assert.deepEqual(environmentBounds({ CHANLIST_MAX_CREDITS: '200/day,5' }), [
    { ...day, source },
    { ...call, source },
  ]);
  for (const env of [{}, { CHANLIST_MAX_CREDITS: '' }]) assert.deepEqual(environmentBounds(env), []);
  assert.throws(() => environmentBounds({ CHANLIST_MAX_CREDITS: 'x' }), { code: 'usage' });
});
