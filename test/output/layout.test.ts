import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { layout, used, type Wish } from '../../src/output/layout.ts';

const video: readonly Wish[] = [
  { natural: 4, least: 4, leaves: 16 },
  { natural: 11, least: 11, leaves: 6 },
  { natural: 22, least: 22, leaves: 20 },
  { natural: 60, least: 6, flexible: true },
];

suite('layout', () => {
  test('the flexible column takes what the others leave', () => {
    assert.deepEqual(layout(video, 120), [4, 11, 22, 77]);
    assert.deepEqual(layout(video, 80), [4, 11, 22, 37]);
  });

  test('columns are left out, the least important first, before it becomes too narrow', () => {
    assert.deepEqual(layout(video, 60), [4, 11, 0, 41]);
    assert.deepEqual(layout(video, 32), [0, 11, 0, 19]);
    assert.deepEqual(layout(video, 20), [0, 11, 0, 7]);
    assert.deepEqual(layout(video, 15), [0, 0, 0, 15]);
  });

  test('without a flexible column the table is no wider than its content', () => {
    assert.deepEqual(
      layout(
        [
          { natural: 24, least: 24 },
          { natural: 10, least: 8 },
        ],
        200,
      ),
      [24, 10],
    );
  });

  test('the widest columns become narrower first', () => {
    const wishes = [40, 60, 5].map((natural) => ({ natural, least: Math.min(natural, 8) }));
    assert.deepEqual(layout(wishes, 49), [20, 20, 5]);
    assert.deepEqual(layout(wishes, 69), [30, 30, 5]);
  });

  test('fits every width, and leaves nothing out that has to stay', () => {
    const wish = fc.record({
      natural: fc.integer({ min: 0, max: 300 }),
      least: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 250 }),
        (wishes, total) => {
          const widths = layout(wishes, total);
          assert.ok(used(widths) <= total, `${widths}`);
          assert.ok((widths[0] ?? 0) > 0);
          if (total >= wishes.length * 3)
            assert.ok(
              widths.every((width) => width > 0),
              `${widths}`,
            );
        },
      ),
    );
  });
});
