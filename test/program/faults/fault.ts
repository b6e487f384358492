import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { entry, page, type Reply, scriptedService } from '../../support/service.ts';
import { onlyReference } from '../../support/summary.ts';

/** What a service does wrong once, and what the contract says about it. */
export interface Fault {
  readonly name: string;
  readonly reply: Reply;
  readonly exit: number;
  readonly code: string;
  /** HTTP status of the JSON error; null: nothing whole arrived. */
  readonly status: number | null;
  readonly charge: 'free' | 'confirmed' | 'possibly_charged';
  /** The envelope is broken: what it holds is printed, what follows is not known. */
  readonly isEnvelope?: boolean;
  readonly printed?: readonly unknown[];
  readonly pattern: RegExp;
  readonly args?: readonly string[];
  /** Checked at each place and in both formats; otherwise once, in the middle. */
  readonly everywhere?: boolean;
}

/** Where in a listing of three pages of two entries. */
export const places = [
  { where: 'before the first page', index: 0, token: null },
  { where: 'in the middle', index: 1, token: 'token/2+=&' },
  { where: 'at the end', index: 2, token: 'token/3+=&' },
] as const;

const tokens = places.map(({ token }) => token);

const endsCall = new Set(['unauthorized', 'no_credits', 'rate_limited', 'unreachable']);

/** Does work for all cases, as many at once as two cores can handle. */
export async function inBatches<T>(cases: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...cases];
  const failures: unknown[] = [];
  const one = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined && failures.length === 0; next = left.shift())
      await work(next).catch((error) => failures.push(error));
  };
  // Also after a failure, the work in progress ends first: what it opens would otherwise outlive the test.
  await Promise.all([one(), one(), one(), one()]);
  if (failures.length > 0) throw failures[0];
}

/** Holds what the program says, prints and accounts for against the contract. */
export async function checkFault(t: TestContext, fault: Fault): Promise<void> {
  for (const place of fault.everywhere ? places : [places[1]]) {
    for (const format of fault.everywhere ? (['ndjson', 'json'] as const) : (['json'] as const)) {
      try {
        const isTokenRefused = place.token !== null && [400, 404, 410, 422].includes(fault.status ?? 0);
        await checkOne(t, isTokenRefused ? { ...fault, exit: 8, code: 'unresumable' } : fault, place, format);
      } catch (error) {
        throw new Error(`${fault.name}, ${place.where}, ${format}: ${String(error)}`, { cause: error });
      }
    }
  }
}

async function checkOne(
  t: TestContext,
  fault: Fault,
  { index, token }: (typeof places)[number],
  format: 'ndjson' | 'json',
): Promise<void> {
  const service = await scriptedService(t, (_, number) =>
    number >= index ? fault.reply : { body: page(2 * number, 2 * number + 2, tokens[number + 1] ?? null, 6) },
  );
  const line = ['uploads', '@a', '-f', format, '--retries', '0', ...(fault.args ?? [])];
  const { summary, ...result } = await service.report(line);

  assert.equal(result.exit, fault.exit, result.stderr);
  assert.equal(service.seen.length, index + 1, 'requests');

  const credits = {
    confirmed: index + (fault.charge === 'confirmed' ? 1 : 0),
    possibly_charged: fault.charge === 'possibly_charged' ? 1 : 0,
  };
  const spent = `; ${credits.confirmed} ${credits.confirmed === 1 ? 'credit' : 'credits'} spent${
    credits.possibly_charged === 1 ? ', 1 more possibly charged' : ''
  }`;
  assert.match(result.stderr, /^chanlist: error: [^\n]*\n$/);
  assert.match(`${result.stderr.trimEnd()};`, new RegExp(`${spent};`));
  assert.match(result.stderr, fault.pattern);
  // Where something was listed, the rest can be: unless the token was refused, or the next one cannot be known.
  const isRefused = [400, 404, 410, 422].includes(fault.status ?? 0);
  const isBroken = fault.code === 'loop' || fault.isEnvelope === true;
  const resumed = isBroken || isRefused ? null : token;
  if (resumed !== null && fault.code !== 'refused')
    assert.match(result.stderr, /resume with: chanlist uploads [^\n]*--continuation='?token/);

  const before = Array.from({ length: 2 * index }, (_, n) => entry(n));
  const printed = [...before, ...(fault.printed ?? [])];
  if (format === 'ndjson') {
    assert.deepEqual(
      result.lines.map((line) => JSON.parse(line)),
      printed,
    );
  } else {
    const { playlist_info: _, error, ...rest } = JSON.parse(result.stdout);
    const gone = index === 0 && (fault.code === 'not_found' || fault.code === 'refused');
    assert.deepEqual(rest, { results: printed, continuation_token: resumed, has_more: !gone });
    assert.deepEqual(Object.keys(error), ['code', 'status', 'message', 'next']);
    assert.deepEqual([error.code, error.status], [fault.code, fault.status]);
  }

  assert.deepEqual([summary.credits, summary.requests], [credits, index + 1]);
  const { status, entries, continuation_token, error } = onlyReference(summary);
  assert.equal(status, endsCall.has(fault.code) ? 'interrupted' : 'failed');
  assert.deepEqual([entries, continuation_token, error?.code], [printed.length, resumed, fault.code]);
}
