import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { firstEntriesSelector, listPages } from '../../src/run/list-pages.ts';
import type { Run } from '../../src/run/run.ts';
import { newTally } from '../../src/service/budget.ts';
import type { Client } from '../../src/service/client.ts';
import { operations } from '../../src/service/contract.ts';
import { type Next, type Page, startPosition, videoIdOf } from '../../src/service/page.ts';

/** A run whose service sends one body (or failure) per request. */
function scripted(bodies: readonly (object | string)[]) {
  const requests: object[] = [];
  const client = {
    call: async (_: unknown, parameters: object) => {
      const next = bodies[requests.length] ?? null;
      const json = JsonText.parse(Buffer.from(typeof next === 'string' ? next : JSON.stringify(next)));
      requests.push(parameters);
      if (next instanceof Failure) throw next;
      if (requests.length > bodies.length || json === null) throw new Error('one request too many');
      return json;
    },
  } as unknown as Client;
  const options = { limit: null, update: false };
  const progress = { update: () => {} };
  let bought = 0;
  const run = {
    client,
    operation: operations.playlist,
    options,
    progress,
    resetFailureCount: () => bought++,
  };
  return { run: run as unknown as Run, requests, bought: () => bought };
}

/** Lists what the service sends; returns the pages, where the list continues, and the failure that ended it. */
async function list(bodies: readonly (object | string)[], start: Next = 'start') {
  const { run, requests, bought } = scripted(bodies);
  const taken: Page[] = [];
  const sink = {
    select: ({ entries }: Page) => ({ entries, done: false, takesWholePage: true }),
    write: async (_: unknown, __: unknown, page: Page) => void taken.push(page),
  };
  const before = { ...startPosition, next: start };
  const { position, failure } = await listPages(run, 'PLa', before, sink, newTally());
  return { taken, next: position.next, total: position.total, failure, requests, bought: bought() };
}

const body = (results: unknown, next: string | null, more: object = {}): object => ({
  results,
  continuation_token: next,
  has_more: next !== null,
  ...more,
});

/** What the responses are, how many of them are requested, and the message that ends the listing. */
const empty = Array.from({ length: 20 }, (_, n) => body([], `t${n}`));
const long = 'x'.repeat(60_000);
const repeated = 'the service repeated a continuation token';
const twice = 'the service sent the same page twice';
const uneven = [...empty.slice(0, 9), body([1], 'x'), ...empty.slice(9, 18), body([2], null)];
const listings: readonly (readonly [
  what: string,
  bodies: readonly object[],
  pages: number,
  message: string | null,
])[] = [
  ['has_more false with a token', [body([1], 'a'), body([2], 'b', { has_more: false }), {}], 2, null],
  ['has_more false without one', [body([1], 'a'), body([2], null), {}], 2, null],
  ['ten empty pages', empty, 10, 'the service sent 10 empty pages in a row'],
  ['nine, an entry, nine', uneven, 20, null],
  ['the tenth is the last', [...empty.slice(0, 9), body([], null)], 10, null],
  ['the token of the page', [body([1], 'a'), body([2], 'a')], 2, repeated],
  ['a circle', [body([1], 'a'), body([2], long), body([3], 'a')], 3, repeated],
  ['a long one', [body([1], long), body([2], 'b'), body([3], long)], 3, repeated],
  ['the same page', [body([1], 'a'), body([1], 'b')], 2, twice],
  ['the same page around an empty one', [body([1], 'a'), body([], 'b'), body([1], 'c')], 3, twice],
];

test('paging ends at has_more false, and where it would never end: 8, after the page that shows it', async () => {
  for (const [what, bodies, pages, message] of listings) {
    const { taken, failure, requests, bought } = await list(bodies);
    const ended = [taken.length, requests.length, bought, failure?.message ?? null, failure?.code ?? null];
    assert.deepEqual(ended, [pages, pages, pages, message, message && 'loop'], what);
  }
  const { requests } = await list([body([1], 'a'), body([2], null)]);
  assert.deepEqual(requests, [{ playlist: 'PLa' }, { continuation: 'a' }]);
  const resumed = await list([body([2], 'a')], { token: 'a' });
  assert.deepEqual([resumed.requests, resumed.failure?.code], [[{ continuation: 'a' }], 'loop']);
});

/** Envelopes that break the specification (2.4), and the entries in them. */
const more = '"has_more":true,"continuation_token"';
const noHasMore = 'has_more is missing or not a boolean';
const noResults = 'results is missing or not an array';
const noToken = 'has_more is true, but there is no continuation token';
const badToken = 'the continuation token cannot be sent back';
const proto = '{"__proto__":{"results":[],"has_more":false}}';
const invalid: readonly (readonly [message: string, entries: number, texts: readonly string[]])[] = [
  [noHasMore, 0, ['null', 'true', '-1e400', '"text"', '{}', '[]', proto]],
  [noHasMore, 1, ['[1]', '{"results":[1],"continuation_token":"x"}']],
  [noHasMore, 1, ['{"results":[1],"has_more":false,"has_more":0}']],
  [noHasMore, 1, ['"true"', '1', 'null', '[false]'].map((value) => `{"results":[1],"has_more":${value}}`)],
  [noResults, 0, ['null', '3', '"text"', '{"0":1}'].map((list) => `{"results":${list},"has_more":false}`)],
  [noResults, 0, [`{${more}:"x"}`]],
  [noToken, 1, ['null', '""', '7', '["x"]'].map((token) => `{"results":[1],${more}:${token}}`)],
  [noToken, 1, ['{"results":[1],"has_more":true}']],
  [badToken, 1, ['a\\udc00', 't'.repeat(2 ** 21)].map((token) => `{"results":[1],${more}:"${token}"}`)],
];

test('an invalid envelope ends the listing after its entries: 8', async () => {
  for (const [message, entries, texts] of invalid)
    for (const text of texts) {
      const { taken, failure } = await list([text]);
      assert.deepEqual([failure?.code, failure?.message], ['invalid_response', message], text.slice(0, 60));
      assert.equal(taken[0]?.entries.length, entries, text.slice(0, 60));
    }
});

test('a listing that loops, or whose token is refused, is stuck; any other failed page is requested again', async () => {
  const refused = (code: 'not_found' | 'refused' | 'unavailable', status: number): Failure =>
    new Failure(code, `refused (${status})`, { status });
  for (const [last, code, next] of [
    [refused('refused', 400), 'unresumable', 'stuck'],
    [refused('not_found', 404), 'unresumable', 'stuck'],
    [refused('refused', 410), 'unresumable', 'stuck'],
    [refused('refused', 422), 'unresumable', 'stuck'],
    [refused('refused', 403), 'refused', { token: 'a' }],
    [refused('unavailable', 503), 'unavailable', { token: 'a' }],
    [body([2], 'a'), 'loop', 'stuck'],
    [body([1], 'b'), 'loop', 'stuck'],
    [{ results: [2], has_more: true }, 'invalid_response', 'stuck'],
  ] as const) {
    const listing = await list([body([1], 'a'), last]);
    assert.deepEqual([listing.failure?.code, listing.next], [code, next]);
  }
  const { failure, next } = await list([refused('not_found', 404)]);
  assert.deepEqual([failure?.message, next], ['refused (404)', 'start']);
});

test('numVideos is read with thousands separators, and never guessed', async () => {
  const totals: readonly (readonly [total: number | null, numVideos: readonly unknown[]])[] = [
    [1234, ['1234', 1234, "1'234", '1,234', '1\u00a0234', '1\u2019234', '1\u202f234']],
    [1_234_567, ['1.234.567', '1 234 567']],
    [0, ['0']],
    [null, ['12,34', '1,2345', '1,234.567', ',123', '1234,567', '1.5', '-5', '12K', '', null]],
    [null, ['9'.repeat(16)]],
  ];
  for (const [total, all] of totals)
    for (const numVideos of all) {
      const { taken } = await list([body([], null, { playlist_info: { numVideos } })]);
      assert.equal(taken[0]?.total, total, String(numVideos));
    }
  const counted = body([1], 'a', { playlist_info: { numVideos: '9' } });
  assert.equal((await list([counted, body([2], null)])).total, 9, 'a later page need not say it');
});

test('an entry of uploads is not repeated if the page before, or the interrupted export, has it', () => {
  for (const [name, limit, exported, pages, expected] of [
    ['uploads', null, '', ['ab', 'bc'], 'abc'],
    ['uploads', null, '', ['ab', '', 'bc'], 'abc'],
    ['uploads', null, '', ['ab', 'c', 'a'], 'abca'],
    ['uploads', 3, '', ['ab', 'bcd'], 'abc'],
    ['uploads', null, 'xyz', ['az', 'b', 'xc'], 'abc'],
    ['playlist', null, 'a', ['ab', 'bc'], 'abbc'],
  ] as const) {
    const run = { operation: operations[name], options: { limit } } as unknown as Run;
    const select = firstEntriesSelector(run, new Set(exported));
    let written = '';
    for (const page of pages) {
      const entries = [...page].map((id) => JsonText.of(`{"videoId":"${id}"}`));
      written += select({ entries } as unknown as Page, written.length)
        .entries.map(videoIdOf)
        .join('');
    }
    assert.equal(written, expected);
  }
});

test('an empty videoId, or one that is not a string, is not an ID', () => {
  for (const text of ['{"videoId":""}', '{"videoId":null}', '{"videoId":7}', '{}'])
    assert.equal(videoIdOf(JsonText.of(text)), null, text);
});
