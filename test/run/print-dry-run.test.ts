import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dryRunTotals, type FirstRequest } from '../../src/run/print-dry-run.ts';
import { operations } from '../../src/service/contract.ts';
import { longestLength } from '../../src/text/count.ts';

const request = (operation: FirstRequest['operation'], nextCost?: number): FirstRequest => ({
  ...{ reference: '@a', operation, parameters: {} },
  ...(nextCost !== undefined && { nextCost }),
});
const { uploads, resolve, latest, search } = operations;

test('a dry run sums up its requests and what they cost at least', () => {
  for (const [requests, sum] of [
    [[], '0 requests, free'],
    [[request(null)], '0 requests, free'],
    [[request(latest), request(resolve)], '2 requests, free'],
    [[request(search)], '1 request, 1 credit'],
    [[request(uploads, 0), request(resolve, 1)], '2 requests, at least 2 credits'],
    [[request(latest, 0), request(resolve, 0)], '2 requests, free if nothing is new'],
    [[request(latest, 0), request(uploads, 0), request(null)], '2 requests, at least 1 credit'],
  ] as const)
    assert.equal(dryRunTotals(requests), sum);
});

test('a column is as wide as the longest of any number of texts', () => {
  assert.equal(longestLength(Array(200_000).fill('1 credit')), 8);
  assert.equal(longestLength([]), 0);
});
