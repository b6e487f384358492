import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, type Plugin } from 'esbuild';
import { temporaryFolder } from '../support/program.ts';
import { runNode } from './copies.ts';

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

test('the build fails if a stub no longer matches a module', async () => {
  const path = join(process.cwd(), 'scripts/stub-unused-modules.mjs');
  const { stubUnusedModules } = (await import(path)) as { stubUnusedModules: Plugin };
  const stdin = { contents: `import 'commander';`, resolveDir: process.cwd() };
  await assert.rejects(
    build({
      stdin,
      bundle: true,
      platform: 'node',
      write: false,
      plugins: [stubUnusedModules],
      logLevel: 'silent',
    }),
    /nothing requires .*llhttp/,
  );
});
