import assert from 'node:assert/strict';
import { cp, readdir, writeFile } from 'node:fs/promises';
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

test('a stub whose place is gone after an update fails the build', async () => {
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

test('merged chunks share one instance with the files that import them', async (t) => {
  const { mergeStartupChunks } = (await import(join(process.cwd(), 'scripts/merge-startup-chunks.mjs'))) as {
    mergeStartupChunks(
      chunks: ReadonlyMap<string, string>,
      groups: ReadonlyMap<string, readonly string[]>,
      settings: object,
    ): Promise<{ files: Map<string, string>; warnings: unknown[] }>;
  };
  const chunks = new Map([
    [
      'main.js',
      `import { value } from './shared.js';
       export const start = async () => [value, (await import('./late.js')).default, (await import('./cold.js')).cold];`,
    ],
    ['shared.js', `console.log('shared'); export const value = {};`],
    ['late.js', `import { value } from './shared.js'; console.log('late'); export default value;`],
    [
      'cold.js',
      `import { value } from './shared.js'; import late from './late.js';
       console.log('cold'); export const cold = value === late ? value : null;`,
    ],
  ]);
  const groups = new Map([
    ['core.cjs', ['main.js', 'shared.js']],
    ['later.cjs', ['late.js']],
  ]);
  const { files, warnings } = await mergeStartupChunks(chunks, groups, { platform: 'node' });
  assert.deepEqual(warnings, []);
  assert.deepEqual([...files.keys()].sort(), ['cold.cjs', 'core.cjs', 'later.cjs']);
  const folder = await temporaryFolder(t);
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  const script = `require(process.argv[1]).start().then(([a, b, c]) => console.log(a === b && b === c));`;
  const { stdout, stderr } = await runNode(['-e', script, join(folder, 'core.cjs')]);
  assert.equal(stderr, '');
  assert.equal(stdout, 'shared\nlate\ncold\ntrue\n');
});
