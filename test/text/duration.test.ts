import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from '../../src/text/duration.ts';

test('spans are seconds, minutes, hours or days', () => {
  const spans = [1, 4000, 60_000, 65_000, 3_600_000, 3_780_000, 200_000_000].map(formatDuration);
  assert.deepEqual(spans, ['1 s', '4 s', '1 min', '1 min 5 s', '1 h', '1 h 3 min', '2 days']);
});
