import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { failuresInRow, outageLength } from '../../src/run/report.ts';

/** By exit code; 0: a success. `feed`: a feed that is empty or 404. */
const outcomes = {
  0: null,
  1: new Failure('damaged', 'x'),
  5: new Failure('not_found', 'x'),
  7: new Failure('unavailable', 'x'),
  8: new Failure('refused', 'x'),
  9: new Failure('budget', 'x'),
  10: new Failure('locked', 'x'),
  feed: new Failure('no_feed', 'x'),
} as const;

test('five references in a row that fail with 7 or 8 are an outage; a success ends the row, others do not count', () => {
  for (const [line, row] of [
    ['', 0],
    ['7 7 7 7', 4],
    ['7 7 7 7 7', 5],
    ['8 7 8 7 8', 5],
    ['7 7 7 7 0 7', 1],
    ['0 7 7 7 7 7', 5],
    ['7 5 7 1 7 9 7 10', 4],
    ['7 5 7 1 7 9 7 10 7', 5],
    ['7 7 feed 7 feed 7', 4],
    ['feed feed feed feed feed', 0],
    ['5 5 5 5 5', 0],
  ] as const) {
    const names = line.split(' ').filter((name) => name !== '') as (keyof typeof outcomes)[];
    const all = names.map((name) => outcomes[name]);
    assert.equal(all.reduce(failuresInRow, 0), row, line);
  }
  assert.equal(outageLength, 5);
});
