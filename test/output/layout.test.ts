import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type ColumnConstraint, layout, totalWidth } from '../../src/output/layout.ts';

const video: readonly ColumnConstraint[] = [
  { contentWidth: 4, minWidth: 4, dropIfTitleBelow: 16 },
  { contentWidth: 11, minWidth: 11, dropIfTitleBelow: 6 },
  { contentWidth: 22, minWidth: 22, dropIfTitleBelow: 20 },
  { contentWidth: 60, minWidth: 6, flexible: true },
];

suite('layout', () => {
  test('the flexible column takes what the others leave', () => {
    assert.deepEqual(layout(video, 120), [4, 11, 22, 77]);
    assert.deepEqual(layout(video, 80), [4, 11, 22, 37]);
  });

  test('columns are dropped, the least important first, before it becomes too narrow', () => {
    assert.deepEqual(layout(video, 60), [4, 11, 0, 41]);
    assert.deepEqual(layout(video, 32), [0, 11, 0, 19]);
    assert.deepEqual(layout(video, 20), [0, 11, 0, 7]);
    assert.deepEqual(layout(video, 15), [0, 0, 0, 15]);
  });

  test('without a flexible column the table is no wider than its content', () => {
    assert.deepEqual(
      layout(
        [
          { contentWidth: 24, minWidth: 24 },
          { contentWidth: 10, minWidth: 8 },
        ],
        200,
      ),
      [24, 10],
    );
  });

  test('the widest columns become narrower first', () => {
    const columns = [40, 60, 5].map((contentWidth) => ({
      contentWidth,
      minWidth: Math.min(contentWidth, 8),
    }));
    assert.deepEqual(layout(columns, 49), [20, 20, 5]);
    assert.deepEqual(layout(columns, 69), [30, 30, 5]);
  });

  test('fits every width, and drops no column that must stay', () => {
    const column = fc.record({
      contentWidth: fc.integer({ min: 0, max: 300 }),
      minWidth: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 250 }),
        (columns, total) => {
          const widths = layout(columns, total);
          assert.ok(totalWidth(widths) <= total, `${widths}`);
          assert.ok((widths[0] ?? 0) > 0);
          if (total >= columns.length * 3)
            assert.ok(
              widths.every((width) => width > 0),
              `${widths}`,
            );
        },
      ),
    );
  });
});
