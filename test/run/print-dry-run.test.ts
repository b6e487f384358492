import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FirstRequest, perPage, sumText } from '../../src/run/print-dry-run.ts';
import { operations } from '../../src/service/contract.ts';

const request = (operation: FirstRequest['operation'], next?: string): FirstRequest => ({
  ...{ reference: '@a', operation, parameters: {} },
  ...(next !== undefined && { next }),
});
const { uploads, resolve, latest, search } = operations;
const update = request(latest, `${perPage} for new entries`);

test('a dry run sums up its requests and what they cost at least', () => {
  for (const [requests, sum] of [
    [[], '0 requests, free'],
    [[request(null)], '0 requests, free'],
    [[request(latest), request(resolve)], '2 requests, free'],
    [[request(search)], '1 request, 1 credit'],
    [[request(uploads, perPage), request(resolve, perPage)], '2 requests, at least 2 credits'],
    [[update, update], '2 requests, free, then 1 credit per page for new entries'],
    [[update, request(uploads, perPage), request(null)], '2 requests, at least 1 credit'],
  ] as const)
    assert.equal(sumText(requests, []), sum);
  const bounds = [
    { credits: 3, per: 'run' },
    { credits: 3000, per: 'month' },
  ] as const;
  assert.equal(
    sumText([request(uploads, perPage)], bounds),
    '1 request, at least 1 credit; --max-credits 3, 3000/month',
  );
  assert.equal(sumText([request(latest)], bounds), '1 request, free');
});
