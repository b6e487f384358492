import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry, page, scriptedService } from '../../support/service.ts';
import { inBatches } from './fault.ts';

const sentBefore = /the service repeated a continuation token/;
const twice = /the same page twice/;

/** What each response is (from number 0), how many are requested, and which entries are printed. */
const loops: readonly (readonly [
  name: string,
  line: string,
  respond: (n: number) => unknown,
  requests: number,
  printed: readonly number[],
  said: RegExp,
])[] = [
  ['the token of the page itself', 'uploads @a', (n) => page(n, n + 1, 'a'), 2, [0, 1], sentBefore],
  ['a circle of tokens', 'uploads @a', (n) => page(n, n + 1, 'ab'[n % 2] ?? ''), 3, [0, 1, 2], sentBefore],
  ['the same page', 'uploads @a', (n) => page(0, 2, `t${n}`), 2, [0, 1], twice],
  // Unlike in uploads, entries of the page before are repeated.
  ['the same page', 'playlist PLa', (n) => page(0, 2, `t${n}`), 2, [0, 1, 0, 1], twice],
  [
    'the same page with an empty one in between',
    'playlist PLa',
    (n) => page(0, n % 2 === 0 ? 2 : 0, `t${n}`),
    3,
    [0, 1, 0, 1],
    twice,
  ],
  [
    'empty pages without end',
    'uploads @a',
    (n) => page(0, n === 0 ? 1 : 0, `t${n}`),
    11,
    [0],
    /10 empty pages in a row/,
  ],
];

test('paging that would never end is 8, after the fewest pages that show it, which are printed', async (t) => {
  await inBatches(loops, async ([name, line, respond, requests, printed, said]) => {
    const service = await scriptedService(t, (_, n) => ({ body: respond(n) }));
    const result = await service.run(`${line} --json`);
    assert.deepEqual([result.exit, service.seen.length], [8, requests], name);
    const { results, continuation_token, has_more, error } = JSON.parse(result.stdout);
    assert.deepEqual(results, printed.map(entry), name);
    assert.deepEqual([continuation_token, has_more, error.code], [null, true, 'loop'], name);
    assert.match(result.stderr, said, name);
    assert.match(result.stderr, /^chanlist: error: (?:@|PL)a: [^\n]*; \d+ credits spent; [^\n]*\n$/, name);
    assert.ok(result.stderr.includes(`; ${requests} credits spent; `), name);
  });
});

test('a token that cannot be shown is in the JSON document, and stderr says so', async (t) => {
  for (const token of ['t'.repeat(4097), 'a\nb', '\u001b[2J', 'x\u202ey', '\u009b']) {
    const service = await scriptedService(t, () => ({ body: page(0, 1, token) }));
    const result = await service.run('uploads @a --json --max-credits 1');
    assert.equal(result.exit, 9);
    assert.equal(JSON.parse(result.stdout).continuation_token, token);
    assert.match(result.stderr, /^chanlist: error: @a: [^\n]*token cannot be printed here[^\n]*\n$/);
    assert.ok(!result.stderr.includes(token));
    assert.ok(result.stderr.length < 1000);
  }
});
