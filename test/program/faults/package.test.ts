import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/program.ts';

const run = promisify(execFile);

/** The files of the repository, but for what is installed, built, or no part of the program. */
async function repositoryFiles(): Promise<string[]> {
  const skipped = /^(?:node_modules|dist|test|bench|\.test-build|\.git)(?:\/|$)|\.tgz$/;
  const entries = await readdir('.', { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !skipped.test(path));
}

/** Packs a copy of the repository that stands in a folder of its own; returns the tarball's path. */
async function packedIn(folder: string, time: Date): Promise<string> {
  for (const path of await repositoryFiles()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(path, join(folder, path));
    await utimes(join(folder, path), time, time);
  }
  // Hard links, where that can be: a symbolic one would lead esbuild back to this folder.
  await run('sh', [
    '-c',
    'mkdir "$1"; cp -al "$0/." "$1" 2>/dev/null || cp -R "$0/." "$1"',
    'node_modules',
    join(folder, 'node_modules'),
  ]);
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd: folder });
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

test('npm pack gives the same bytes in any folder and at any time', async (t) => {
  const folder = await temporaryFolder(t);
  const [first, second] = await Promise.all([
    packedIn(join(folder, 'a'), new Date('2001-02-03T04:05:06Z')),
    packedIn(join(folder, 'another', 'place with spaces'), new Date('2031-02-03T04:05:06Z')),
  ]);
  const digest = async (path: string): Promise<string> =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  assert.equal(await digest(first), await digest(second));

  const { stdout: names } = await run('tar', ['-tzf', first]);
  const files = names.trim().split('\n');
  for (const wanted of [
    'package.json',
    'README.md',
    'LICENSE',
    'THIRD_PARTY_LICENSES',
    'bin/chanlist.js',
    'dist/launch.cjs',
    'docs/cron.md',
    'docs/pictures/table.svg',
  ]) {
    assert.ok(files.includes(`package/${wanted}`), wanted);
  }
  for (const file of files) {
    assert.match(
      file,
      /^package\/(?:(?:bin|dist|docs|completions|man)\/|[A-Z][A-Z_]+(?:\.md)?$|package\.json$)/,
    );
  }
  const { stdout: kinds } = await run('tar', ['-tvzf', first]);
  for (const line of kinds.trim().split('\n'))
    assert.match(line, /^-rw[x-]r-[x-]r-[x-] /, 'no link, no special file');

  const { stdout: text } = await run('tar', ['-xzOf', first, 'package/package.json']);
  const { exports, scripts = {}, dependencies = {}, optionalDependencies = {}, gypfile } = JSON.parse(text);
  assert.deepEqual(exports, { './package.json': './package.json' });
  for (const hook of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[hook], undefined, hook);
  assert.deepEqual({ ...dependencies, ...optionalDependencies }, {}, 'nothing else is installed');
  assert.equal(gypfile, undefined);
});

test('THIRD_PARTY_LICENSES holds the licence of every package that the program is made of', async () => {
  const text = await readFile('THIRD_PARTY_LICENSES', 'utf8');
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  for (const name of ['chalk', 'cli-table3', 'commander', 'conf', 'ora', 'string-width', 'undici']) {
    assert.match(
      text,
      new RegExp(`^${name} ${devDependencies[name].replaceAll('.', '\\.')} \\(MIT\\)$`, 'm'),
    );
  }
  for (const name of ['esbuild', 'typescript', 'fast-check', '@biomejs/biome']) {
    assert.ok(!text.includes(`\n${name} `), `${name} is only a tool`);
  }
});
