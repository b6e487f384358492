import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { collect } from '../support/collect.ts';
import { cleanEnvironment, temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';

/** The majors that need a newer Node than the oldest supported one: what moves first when the floor moves. */
const newest = ['undici@8', 'chalk@6', 'conf@16', 'commander@15', 'string-width@9'];

test('the newest versions of what is bundled build a program that works on Node 24', async (t) => {
  const folder = await temporaryFolder(t);
  for (const name of ['src', 'scripts', 'bin', 'completions', 'package.json', 'package-lock.json', '.npmrc'])
    await cp(name, join(folder, name), { recursive: true });
  const run = async (program: string, args: readonly string[], stdin = '') => {
    const env = program.startsWith('np') ? process.env : { ...cleanEnvironment(), HOME: folder };
    const child = spawn(program, args, { cwd: folder, env, stdio: 'pipe' });
    child.stdin.end(stdin);
    return await collect(child);
  };
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--force', '-D', ...newest];
  const installed = await run('npm', install);
  assert.equal(installed.exit, 0, installed.stderr);
  const { stdout: path } = await run('npx', ['-y', '-p', 'node@24', 'sh', '-c', 'command -v node']);
  await symlink(path.trim(), join(folder, 'node24'));
  const node = (...args: string[]) => run(join(folder, 'node24'), args);
  const built = await node('scripts/build.mjs');
  assert.equal(built.exit, 0, built.stderr);

  const { stdout, stderr } = await node('bin/chanlist.js', 'uploads', '@demo', '--sandbox', '-f', 'table');
  assert.equal(stdout.split('\n').length, 1234 + 3, stderr);
  const service = await scriptedService(t, (_, n) => ({ status: 401, body: page(n, n, null) }));
  const login = ['bin/chanlist.js', 'auth', 'login', '--base-url', service.url];
  // Flags that begin with --no- keep their defaults: the key is verified.
  const { exit } = await run(join(folder, 'node24'), login, 'sk_wrong_key\n');
  assert.deepEqual([exit, service.seen.length > 0], [3, true]);
});
