import type { Failure } from '../errors.ts';

/** Consecutive references with exit code 7 or 8 that end a run. */
export const outageLength = 5;

/**
 * How many references in a row have failed with 7 or 8, after one more is done; `failure`: null if it succeeded, which
 * ends the row. Other failures, and a feed that is empty or 404, do not count.
 */
export function failuresInRow(before: number, failure: Failure | null): number {
  if (failure === null) return 0;
  const counts = (failure.exit === 7 || failure.exit === 8) && failure.code !== 'no_feed';
  return counts ? before + 1 : before;
}
