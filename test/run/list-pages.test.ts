import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditsLeft, expectedEntries, startPosition } from '../../src/run/list-pages.ts';

const at = (entries: number, pages: number, total: number | null, hasMore = true) => ({
  ...startPosition,
  entries,
  pages,
  total,
  hasMore,
});

test('about how many credits the rest of a listing costs, from numVideos and the pages so far', () => {
  for (const [position, limit, credits] of [
    [at(0, 0, null), null, null],
    [at(100, 1, null), null, null],
    [at(0, 0, null), 250, 3],
    [at(100, 1, 250), null, 2],
    [at(100, 1, 300), null, 2],
    [at(40, 1, 250), null, 6],
    [at(100, 1, 250), 150, 1],
    [at(100, 1, 250), 1000, 2],
    // numVideos is too low: there is at least one page more.
    [at(300, 3, 250), null, 1],
    [at(0, 1, 250), null, 3],
    [at(250, 3, 250, false), null, 0],
  ] as const)
    assert.equal(creditsLeft(position, limit), credits, JSON.stringify([position, limit]));
});

test('the number of entries that a listing will have', () => {
  for (const [position, limit, entries] of [
    [at(0, 0, null), null, null],
    [at(0, 0, null), 5, 5],
    [at(100, 1, 250), null, 250],
    [at(100, 1, 250), 5, 5],
    [at(300, 3, 250), null, 300],
  ] as const)
    assert.equal(expectedEntries(position, limit), entries, JSON.stringify([position, limit]));
});
