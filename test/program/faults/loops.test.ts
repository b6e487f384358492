import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry, page, scriptedService } from '../../support/service.ts';
import { inBatches } from './fault.ts';

interface Loop {
  readonly name: string;
  /** Response number `n`, from 0. */
  readonly respond: (n: number) => unknown;
  readonly requests: number;
  /** Numbers of the entries that are printed. */
  readonly printed: readonly number[];
  readonly said: RegExp;
  /** What is listed (uploads of @a). */
  readonly args?: readonly string[];
}

/** Unlike in uploads, entries of the page before are repeated. */
const playlist = ['playlist', 'PLa'];

const sentBefore = /the service repeated a continuation token/;

const loops: readonly Loop[] = [
  {
    name: 'the token of the page itself',
    respond: (n) => page(n, n + 1, 'a'),
    requests: 2,
    printed: [0, 1],
    said: sentBefore,
  },
  {
    name: 'a circle of three tokens',
    respond: (n) => page(n, n + 1, 'abc'[n % 3] ?? ''),
    requests: 4,
    printed: [0, 1, 2, 3],
    said: sentBefore,
  },
  {
    name: 'back to an early page, after a long way',
    respond: (n) => page(n, n + 1, n < 20 ? `t${n}` : 't3'),
    requests: 21,
    printed: Array.from({ length: 21 }, (_, n) => n),
    said: sentBefore,
  },
  {
    name: 'the same page again and again, with new tokens',
    respond: (n) => page(0, 2, `t${n}`),
    requests: 2,
    printed: [0, 1, 0, 1],
    said: /the same page twice/,
    args: playlist,
  },
  {
    name: 'the same page again and again, in uploads',
    respond: (n) => page(0, 2, `t${n}`),
    requests: 2,
    printed: [0, 1],
    said: /the same page twice/,
  },
  {
    name: 'the same page with an empty one in between',
    respond: (n) => (n % 2 === 0 ? page(0, 2, `t${n}`) : page(0, 0, `t${n}`)),
    requests: 3,
    printed: [0, 1, 0, 1],
    said: /the same page twice/,
    args: playlist,
  },
  {
    name: 'empty pages without end',
    respond: (n) => (n === 0 ? page(0, 1, 't0') : page(0, 0, `t${n}`)),
    requests: 11,
    printed: [0],
    said: /10 empty pages in a row/,
  },
];

test('paging that would never end is 8, after the fewest pages that show it, which are printed', async (t) => {
  await inBatches(loops, async ({ name, respond, requests, printed, said, args = ['uploads', '@a'] }) => {
    const service = await scriptedService(t, (_, n) => ({ body: respond(n) }));
    const result = await service.run([...args, '--json']);
    assert.equal(result.exit, 8, name);
    assert.equal(service.seen.length, requests, name);
    const { results, continuation_token, has_more, error } = JSON.parse(result.stdout);
    assert.deepEqual(results, printed.map(entry), name);
    assert.equal(continuation_token, null, name);
    assert.equal(has_more, true);
    assert.equal(error.code, 'loop');
    assert.match(result.stderr, said, name);
    assert.match(
      result.stderr,
      new RegExp(`^chanlist: error: ${args[1]}: [^\\n]*; ${requests} credits spent; [^\\n]*\\n$`),
      name,
    );
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
