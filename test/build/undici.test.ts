import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool } from 'undici';
import InnerPool from 'undici/lib/dispatcher/pool.js';

test('the inner path of undici that is used is that of its public class', () => {
  assert.equal(InnerPool, Pool);
});
