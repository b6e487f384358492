import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../src/service/contract.ts';
import { specifiedFields } from '../support/specified-fields.ts';

// Paths, costs, parameters, limits and all other fields are held by test/sandbox, test/output and test/program.

test('fields that a deployment is documented to send in pages, in its order', () => {
  for (const { documentedFields } of [operations.uploads, operations.playlist])
    assert.deepEqual(documentedFields, [...specifiedFields, 'publishedTimeText', 'members_only']);
});
