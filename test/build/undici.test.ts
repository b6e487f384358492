import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, Pool } from 'undici';
import InnerClient from 'undici/lib/dispatcher/client.js';
import InnerPool from 'undici/lib/dispatcher/pool.js';

test('the inner paths of undici that are used are those of its public classes', () => {
  assert.equal(InnerClient, Client);
  assert.equal(InnerPool, Pool);
});
