import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonText } from '../../src/json/json-text.ts';
import { newTally } from '../../src/service/budget.ts';
import type { Client } from '../../src/service/client.ts';
import { operations } from '../../src/service/contract.ts';
import { type Page, type PagesStart, pageDigest, pages, tokenMark } from '../../src/service/pages.ts';

/** Lists what the service answers, one body per request; returns the pages, and the error that ended it. */
async function list(
  bodies: readonly object[],
  start: Partial<PagesStart> = {},
): Promise<{ taken: Page[]; message: string | null; requests: object[] }> {
  const requests: object[] = [];
  const client = {
    call: async (_: unknown, parameters: object) => {
      const json = JsonText.parse(Buffer.from(JSON.stringify(bodies[requests.length] ?? null)));
      requests.push(parameters);
      if (requests.length > bodies.length || json === null) throw new Error('one request too many');
      return json;
    },
  } as unknown as Client;
  const taken: Page[] = [];
  try {
    const from = { reference: 'PLa', token: null, ...start };
    for await (const page of pages(client, operations.playlist, from, newTally())) taken.push(page);
    return { taken, message: null, requests };
  } catch (error) {
    return { taken, message: error instanceof Error ? error.message : '', requests };
  }
}

const body = (results: unknown, next: string | null, more: object = {}): object => ({
  results,
  continuation_token: next,
  has_more: next !== null,
  ...more,
});

test('a page identical to the one before ends paging after it is yielded; it can be requested again', async () => {
  const { taken, message } = await list([body([1, 2], 'a'), body([1, 2], 'b'), body([3], null)]);
  assert.deepEqual(
    taken.map(({ token, next, hasMore }) => [token, next, hasMore]),
    [
      [null, 'a', true],
      ['a', null, true],
    ],
  );
  assert.equal(message, 'the service sent the same page twice');
});

test('paging ends at has_more false, whatever token comes with it', async () => {
  for (const token of ['b', null]) {
    const { taken, message, requests } = await list([
      body([1], 'a'),
      body([2], token, { has_more: false }),
      body([3], null),
    ]);
    assert.deepEqual([taken.length, message], [2, null]);
    assert.deepEqual(requests, [{ playlist: 'PLa' }, { continuation: 'a' }]);
  }
});

test('a page identical to the last one of an interrupted run ends paging', async () => {
  const [last] = (await list([body([1, 2], 'a')])).taken;
  assert.ok(last !== undefined);
  const resumed = { token: 'a', lastPage: pageDigest(last) };
  const { taken, message } = await list([body([1, 2], 'b'), body([3], null)], resumed);
  assert.equal(taken.length, 1);
  assert.equal(message, 'the service sent the same page twice');
});

test('a token that an earlier run sent ends paging: a loop is not paid for once per run', async () => {
  const sent = ['a', 'b', 'x'.repeat(100)].map(tokenMark).join('');
  for (const next of ['a', 'b', 'x'.repeat(100), 'c']) {
    const { taken, message, requests } = await list([body([3], next), body([4], null)], { token: 'c', sent });
    assert.deepEqual([taken.length, requests.length], [1, 1], next);
    assert.match(message ?? '', /continuation token again/);
  }
  assert.equal((await list([body([3], 'd'), body([4], null)], { token: 'c', sent })).message, null);
});

test('ten consecutive empty pages end paging, those of an interrupted run included', async () => {
  const empty = Array.from({ length: 20 }, (_, n) => body([], `t${n}`));
  const all = await list(empty);
  assert.equal(all.requests.length, 10);
  assert.equal(all.taken.at(-1)?.next, 't9');
  assert.match(all.message ?? '', /10 empty pages/);
  assert.equal((await list(empty, { empty: 7 })).requests.length, 3);
  const nine = [...empty.slice(0, 9), body([1], 'x'), ...empty.slice(9, 18), body([2], null)];
  assert.equal((await list(nine)).message, null);
  // The last page may be the tenth.
  assert.equal((await list([...empty.slice(0, 9), body([], null)])).message, null);
});

test('numVideos is read with thousands separators, and never guessed', async () => {
  const totals: readonly (readonly [numVideos: unknown, total: number | null])[] = [
    ['1234', 1234],
    [1234, 1234],
    ['12,345', 12_345],
    ['1.234.567', 1_234_567],
    ["1'234", 1234],
    ['12\u2019345', 12_345],
    ['12 345', 12_345],
    ['12\u00a0345', 12_345],
    ['12\u202f345', 12_345],
    ['0', 0],
    ['12,34', null],
    ['1,2345', null],
    ['1,234.567', null],
    [',123', null],
    ['1234,567', null],
    ['1.5', null],
    ['-5', null],
    ['12K', null],
    ['', null],
    [null, null],
    ['9'.repeat(16), null],
  ];
  for (const [numVideos, total] of totals) {
    const { taken } = await list([body([], null, { playlist_info: { numVideos } })]);
    assert.equal(taken[0]?.total, total, String(numVideos));
  }
});
