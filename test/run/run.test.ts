import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { mapConcurrently } from '../../src/run/run.ts';

test('results are in input order, whatever the order of completion; no more than `concurrency` run', async () => {
  let running = 0;
  let most = 0;
  const work = async (turns: number): Promise<string> => {
    most = Math.max(most, ++running);
    for (let i = 0; i < turns; i++) await turn();
    running--;
    return `${turns} turns`;
  };
  const results: [number, string][] = [];
  for await (const result of mapConcurrently([9, 1, 5, 0], { concurrency: 2 }, work)) results.push(result);
  assert.deepEqual(results, [
    [9, '9 turns'],
    [1, '1 turns'],
    [5, '5 turns'],
    [0, '0 turns'],
  ]);
  assert.equal(most, 2);
});

test('no more than `lookahead` items are ahead of the one that is yielded next', async () => {
  const started: number[] = [];
  const work = async (item: number): Promise<void> => void started.push(item);
  const results = mapConcurrently([0, 1, 2, 3, 4, 5], { concurrency: 4, lookahead: 2 }, work);
  for (const count of [2, 3, 4, 5, 6, 6]) {
    await results.next();
    for (let i = 0; i < 10; i++) await turn();
    assert.equal(started.length, count);
  }
});
