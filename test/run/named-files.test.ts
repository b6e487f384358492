import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertPaths } from '../../src/run/named-files.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

test('no output is the key file that the environment names', async (t) => {
  const file = join(await temporaryFolder(t), 'key.txt');
  writeFileSync(file, 'sk_live_1');
  const env = { CHANLIST_API_KEY_FILE: file };
  const same = isFailure(2, '--summary', 'CHANLIST_API_KEY_FILE', 'are the same file');
  assert.throws(() => assertPaths({ summary: file }, { env }), same);
});
