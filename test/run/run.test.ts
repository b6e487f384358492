import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Failure, stoppedBy } from '../../src/errors.ts';
import { forEachConcurrently, mapConcurrently } from '../../src/run/map-concurrently.ts';
import type { RunParts } from '../../src/run/open-service.ts';
import { newReference } from '../../src/run/read-references.ts';
import { type Result, resultOf } from '../../src/run/results.ts';
import { createRun, type Job, runJob } from '../../src/run/run.ts';
import { newTally } from '../../src/service/budget.ts';
import { operations } from '../../src/service/contract.ts';

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

test('work without results: a slow item does not keep those after it waiting', async () => {
  const items = Array.from({ length: 50 }, (_, n) => n);
  const done: number[] = [];
  await forEachConcurrently(items, { concurrency: 2 }, async (item) => {
    while (item === 0 && done.length < 49) await turn();
    done.push(item);
  });
  assert.deepEqual(done, [...items.slice(1), 0]);
});

test('a slow reader limits how many items are begun', async () => {
  const started: number[] = [];
  const work = async (item: number): Promise<void> => void started.push(item);
  const items = Array.from({ length: 50 }, (_, n) => n);
  const results = mapConcurrently(items, { concurrency: 4, lookahead: 8 }, work);
  for await (const [item] of results) {
    for (let i = 0; i < 10; i++) await turn();
    assert.ok(started.length <= item + 1 + 8 + 4 + 1, `${started.length} after ${item}`);
    if (item === 20) break;
  }
  const count = started.length;
  for (let i = 0; i < 10; i++) await turn();
  assert.equal(started.length, count);
});

test('a signal between two requests is what ended the run, in the summary too', async () => {
  const stop = new AbortController();
  const [done, unreached] = ['@a', '@b'].map((name) => newReference({ given: name, value: name, id: null }));
  assert.ok(done && unreached);
  const run = createRun({
    operation: operations.uploads,
    options: { sandbox: false, invocation: { name: 'uploads', flags: [] } },
    context: { stop: stop.signal },
    client: { end: () => {} },
    progress: { referenceDone: () => {}, stop: () => {} },
    stderr: { printFailure: () => {}, note: () => {} },
    budget: { total: newTally() },
    warnings: [],
    references: [done, unreached],
    destination: null,
  } as unknown as RunParts);
  const work = async (): Promise<Result[]> => {
    const result = await run.attempt(done, async () => resultOf(done));
    stop.abort(stoppedBy('SIGTERM'));
    return [result, await run.attempt(unreached, async () => resultOf(unreached))];
  };
  const ends: (string | null | undefined)[] = [];
  const exit = await runJob(run, { work } as unknown as Job, (_, end) => ends.push(end?.failure?.message));
  assert.deepEqual([exit, ends], [143, [undefined, 'stopped by SIGTERM']]);
});

/** Which of these outcomes of references, one after another, ends the run; null: none of them. */
async function endedBy(outcomes: readonly string[], isFree: boolean): Promise<number | null> {
  const failures = {
    7: new Failure('unavailable', 'no response'),
    8: new Failure('invalid_response', 'not JSON'),
    5: new Failure('not_found', 'not found'),
    n: new Failure('no_feed', 'the feed is missing', { status: 404 }),
    s: new Failure('no_feed', 'the feed is not available', { status: 503 }),
  };
  const run = createRun({
    context: { stop: new AbortController().signal },
    client: { end: () => {} },
    operation: isFree ? operations.latest : operations.uploads,
    progress: { referenceDone: () => {} },
    warnings: [],
  } as unknown as RunParts);
  const reference = newReference({ given: '@a', value: '@a', id: null });
  for (const [at, outcome] of outcomes.entries()) {
    const kind = outcome.slice(0, 1);
    const failure = failures[kind as unknown as keyof typeof failures] ?? null;
    if (isFree) await run.request(async () => failure && Promise.reject(failure));
    else
      await run.attempt(reference, async () => {
        if (outcome.endsWith('+')) run.resetFailureCount();
        return resultOf(reference, { failure });
      });
    if (run.endedBy !== null) return at + 1;
  }
  return null;
}

test('five failures with 7 or 8 end the run, unless a page was bought in between', async () => {
  // `+`: a page was bought; `-`: nothing was needed.
  for (const [outcomes, at] of [
    ['7 7 7 7 7', 5],
    ['7 8 7 8 8 7', 5],
    ['7 7 7 7 -+ 7 7 7 7', null],
    ['8 - - 8 - 8 - 8 - - 8', 11],
    ['7 7 5 7 7 7', 6],
    // That a channel has no feed is an answer of a service that works; a feed that is not available is none.
    ['n n n n n n', null],
    ['7 n 7 n 7 7 7', 7],
    ['s s s s s', 5],
    // A page is one in between as soon as it is bought, also by a reference that then fails.
    ['7 7 7 7 8+ 7 7 7 7', 9],
    ['7+ 7+ 7+ 7+ 7+ 7+', null],
  ] as const)
    assert.equal(await endedBy(outcomes.split(' '), false), at, outcomes);
});

test('of free commands, any response of the service resets the count', async () => {
  for (const [outcomes, at] of [
    ['7 8 7 8 7', 5],
    ['7 7 7 7 - 7 7 7 7', null],
    ['7 7 7 7 5 7 7 7 7 7', 10],
  ] as const)
    assert.equal(await endedBy(outcomes.split(' '), true), at, outcomes);
});
