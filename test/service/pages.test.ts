import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { newTally } from '../../src/service/budget.ts';
import type { Client } from '../../src/service/client.ts';
import { operations } from '../../src/service/contract.ts';
import { fetchPages, isUnresumable, type Page } from '../../src/service/pages.ts';

/** Lists what the service sends, one body (or failure) per request; returns the pages, and the failure that ended it. */
async function list(
  bodies: readonly object[],
  start: { reference?: string | null; token?: string | null } = {},
): Promise<{ taken: Page[]; failure: Failure | null; message: string | null; requests: object[] }> {
  const requests: object[] = [];
  const client = {
    call: async (_: unknown, parameters: object) => {
      const next = bodies[requests.length] ?? null;
      const json = JsonText.parse(Buffer.from(JSON.stringify(next)));
      requests.push(parameters);
      if (next instanceof Failure) throw next;
      if (requests.length > bodies.length || json === null) throw new Error('one request too many');
      return json;
    },
  } as unknown as Client;
  const taken: Page[] = [];
  try {
    const from = { reference: 'PLa', token: null, ...start };
    for await (const page of fetchPages(client, operations.playlist, from, newTally())) taken.push(page);
    return { taken, failure: null, message: null, requests };
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return { taken, failure: error, message: error.message, requests };
  }
}

const body = (results: unknown, next: string | null, more: object = {}): object => ({
  results,
  continuation_token: next,
  has_more: next !== null,
  ...more,
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

test('ten consecutive empty pages end paging', async () => {
  const empty = Array.from({ length: 20 }, (_, n) => body([], `t${n}`));
  const all = await list(empty);
  assert.equal(all.requests.length, 10);
  assert.match(all.message ?? '', /10 empty pages/);
  const nine = [...empty.slice(0, 9), body([1], 'x'), ...empty.slice(9, 18), body([2], null)];
  assert.equal((await list(nine)).message, null);
  // The last page may be the tenth.
  assert.equal((await list([...empty.slice(0, 9), body([], null)])).message, null);
});

test('a token that the service repeats ends paging, after any number of pages', async () => {
  const start = { reference: null, token: 'a' };
  for (const next of ['a', 'b', 'x'.repeat(60_000)]) {
    const bodies = [body([1], 'b'), body([2], 'x'.repeat(60_000)), body([3], next), body([4], null)];
    const { taken, failure } = await list(bodies, start);
    assert.deepEqual([taken.length, failure?.code, failure?.exit], [3, 'loop', 8]);
    assert.equal(failure?.message, 'the service repeated a continuation token');
  }
});

test('a listing that loops and a refused token cannot be resumed; any other failed page is requested again', async () => {
  const refused = (code: 'not_found' | 'refused' | 'unavailable', status: number): Failure =>
    new Failure(code, `said (${status})`, { status });
  const cases: readonly (readonly [what: string, last: object, code: string, isUnresumable: boolean])[] = [
    ['400', refused('refused', 400), 'refused', true],
    ['404', refused('not_found', 404), 'refused', true],
    ['410', refused('refused', 410), 'refused', true],
    ['422', refused('refused', 422), 'refused', true],
    ['403', refused('refused', 403), 'refused', false],
    ['503', refused('unavailable', 503), 'unavailable', false],
    ['a loop', body([2], 'a'), 'loop', true],
    ['the same page', body([1], 'b'), 'loop', true],
    ['no token', { results: [2], has_more: true }, 'invalid_response', false],
    ['an empty token', body([2], ''), 'invalid_response', false],
    ['half a surrogate pair as the token', body([2], '\ud800'), 'invalid_response', false],
    ['no has_more', { results: [2] }, 'invalid_response', false],
    ['no results', { has_more: false }, 'invalid_response', false],
  ];
  for (const [what, last, code, expected] of cases) {
    const { failure } = await list([body([1], 'a'), last]);
    assert.equal(failure?.code, code, what);
    assert.equal(failure && isUnresumable(failure, 'a'), expected, what);
    assert.equal(failure && isUnresumable(failure, null), false, what);
  }
  const { failure } = await list([refused('not_found', 404)]);
  assert.equal(failure?.message, 'said (404)');
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
