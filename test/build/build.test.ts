import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/program.ts';
import { runNode } from './run-node.ts';

test('the build writes the program to any folder, and nothing else there', async (t) => {
  const folder = await temporaryFolder(t);
  const { exit, stderr } = await runNode(['scripts/build.mjs', join(folder, 'dist')]);
  assert.equal(exit, 0, stderr);
  assert.deepEqual(await readdir(folder), ['dist']);
  const files = await readdir(join(folder, 'dist'));
  for (const file of ['launch.cjs', 'core.cjs']) assert.ok(files.includes(file), file);
  await cp('bin', join(folder, 'bin'), { recursive: true });
  const { stdout } = await runNode([join(folder, 'bin/chanlist.js'), 'uploads', '@demo', '--sandbox', '-n1']);
  assert.match(stdout, /^\{"videoId":.*\}\n$/);
});
