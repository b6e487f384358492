import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanEnvironment, launcher, run, temporaryFolder, testKey } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';
import { missing, runCommand } from '../support/shell.ts';

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

test('conf, a file of its own, stores an account', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'chanlist-test-'));
  t.after(() => rm(home, { recursive: true }));
  const { url } = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: '@x' } }));
  const { exit, stderr } = await run(`auth login --base-url ${url}`, {
    input: `${testKey}\n`,
    env: { HOME: home },
  });
  assert.equal(exit, 0, stderr);
  assert.match(await readFile(join(home, '.config/chanlist/config.json'), 'utf8'), /"baseUrl"/);
});

test('at a terminal, a table loads the files that it needs', { skip: missing('script') }, async (t) => {
  const cwd = await temporaryFolder(t);
  const env = cleanEnvironment({ TERM: 'xterm', PAGER: 'cat', HOME: cwd });
  const preload = join(process.cwd(), 'test/build/loaded.cjs');
  const line = `${process.execPath} -r ${preload} ${launcher} show a.ndjson 2>&1`;
  // Unlike a run, it has no progress line, which a slow machine shows.
  await writeFile(join(cwd, 'a.ndjson'), '{"videoId":"a","title":"Fixing a bicycle wheel 日本"}\n');
  const { stdout } = await runCommand(['script', '-qec', line, '/dev/null'], { cwd, env });
  assert.match(stdout, /Fixing a bicycle wheel/);
  const { files } = JSON.parse(/\{"modules".*\}/.exec(stdout)?.[0] ?? '') as { files: string[] };
  assert.deepEqual(files.filter((name) => !/^(?:loaded|chanlist)\.|^package/.test(name)).sort(), [
    'chalk.cjs',
    'cli-table3.cjs',
    'string-width.cjs',
  ]);
});
