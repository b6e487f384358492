import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdSet } from '../../src/export/inspect/id-set.ts';

test('IDs of any length and characters: each once, in order, as a Set has them', () => {
  const id = fc.oneof(
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.constantFrom('a', 'b', 'ab', 'é', '日本'),
  );
  const ids = fc.array(id, { maxLength: 300 });
  const check = (all: readonly string[], others: readonly string[]): void => {
    const set = new Set(all);
    const own = new IdSet();
    for (const each of all) own.add(each);
    assert.deepEqual([...own], [...set]);
    assert.equal(own.size, set.size);
    for (const each of [...all, ...others]) assert.equal(own.has(each), set.has(each), each);
  };
  fc.assert(fc.property(ids, ids, check), { numRuns: 200 });
});

test('many IDs, and one longer than a block', () => {
  const all = Array.from({ length: 20_000 }, (_, n) => `v${n}`);
  all.splice(9_000, 0, 'x'.repeat(200_000));
  const own = new IdSet();
  for (const each of [...all, ...all]) own.add(each);
  assert.deepEqual([...own], all);
  assert.equal(own.has('v20000'), false);
});

test('half surrogate pairs are not confused', () => {
  const own = new IdSet();
  for (const id of ['\ud800', '\ud801', '\ud800']) own.add(id);
  assert.deepEqual([own.size, own.has('\ud801'), own.has('\ufffd')], [2, true, false]);
});
