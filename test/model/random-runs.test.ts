/** Random sequences of runs; CHANLIST_SEED repeats one, CHANLIST_COUNT sets their length. */
import { test } from 'node:test';
import { randomRuns } from './random-runs.ts';

const { CHANLIST_SEED, CHANLIST_COUNT, CHANLIST_LONG } = process.env;
const seed = Number(CHANLIST_SEED ?? Date.now() % 1_000_000_000);
const steps = Number(CHANLIST_COUNT ?? (CHANLIST_LONG === '1' ? 1500 : 400));

test(`${steps} random runs do what the contract says (CHANLIST_SEED=${seed})`, {
  timeout: 60_000 + steps * 200,
}, async (t) => {
  await randomRuns(t, steps, seed);
});
