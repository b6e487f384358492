import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanEnvironment, temporaryFolder } from '../support/program.ts';
import { runCommand } from '../support/shell.ts';

test('the build writes the program to any folder, and nothing else there', async (t) => {
  const folder = await temporaryFolder(t);
  const options = { cwd: process.cwd(), env: cleanEnvironment() };
  const build = [process.execPath, 'scripts/build.mjs', join(folder, 'dist')];
  const { exit, stderr } = await runCommand(build, options);
  assert.equal(exit, 0, stderr);
  assert.deepEqual(await readdir(folder), ['dist']);
  const files = await readdir(join(folder, 'dist'));
  for (const file of ['chanlist.cjs', 'conf.cjs', 'chanlist.1', 'THIRD_PARTY_LICENSES'])
    assert.ok(files.includes(file), file);
  await cp('bin', join(folder, 'bin'), { recursive: true });
  await cp('package.json', join(folder, 'package.json'));
  const words = ['bin/chanlist.js', 'uploads', '@demo', '--sandbox', '-n1'];
  const { stdout } = await runCommand([process.execPath, ...words], { ...options, cwd: folder });
  assert.match(stdout, /^\{"videoId":.*\}\n$/);
});
