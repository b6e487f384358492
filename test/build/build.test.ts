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
  for (const file of ['launch.cjs', 'core.cjs', 'help']) assert.ok(files.includes(file), file);
  assert.ok(!files.includes('prerendered-help.cjs'));
  await cp('bin', join(folder, 'bin'), { recursive: true });
  const { stdout } = await runNode([join(folder, 'bin/chanlist.js'), 'uploads', '@demo', '--sandbox', '-n1']);
  assert.match(stdout, /^\{"videoId":.*\}\n$/);
});

test('a stand-in whose place is gone after an update fails the build', async () => {
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
    /nothing asks for .*http2?/,
  );
});

const calls = 'const load = require(process.argv[1]); ';

test('the pack loads each part once, when it is asked for, and passes others on', async (t) => {
  const { mergeStartupChunks } = (await import(join(process.cwd(), 'scripts/merge-startup-chunks.mjs'))) as {
    mergeStartupChunks(
      files: Map<string, string>,
      names: Set<string>,
      packName: string,
      main: string,
    ): Map<string, string>;
  };
  const files = new Map([
    ['main.cjs', `exports.start = () => require("./late.cjs").value + require("./cold.cjs").value;`],
    ['late.cjs', `console.log('late'); exports.value = 1;`],
    ['cold.cjs', `console.log('cold'); exports.value = require("./late.cjs").value + 1;`],
  ]);
  const packed = mergeStartupChunks(files, new Set(['main.cjs', 'late.cjs']), 'core.cjs', 'main.cjs');
  assert.deepEqual([...packed.keys()].sort(), ['cold.cjs', 'core.cjs']);
  const folder = await temporaryFolder(t);
  for (const [name, text] of packed) await writeFile(join(folder, name), text);
  const script = `${calls} console.log(load.loaded()); console.log(load.start(), load.loaded());`;
  const { stdout, stderr } = await runNode(['-e', script, join(folder, 'core.cjs')]);
  assert.equal(stderr, '');
  assert.equal(stdout, "[ './main.cjs' ]\nlate\ncold\n3 [ './main.cjs', './late.cjs' ]\n");
});
