import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from './chaos.ts';

test('killed at random moments: same bytes, nothing left, at most the page in flight paid again', async () => {
  const { kills, exports, repeats } = await runChaos({ kills: 25, seed: 7 });
  assert.equal(kills >= 25, true);
  assert.ok(exports > 0);
  assert.ok(repeats <= kills * 2);
});
