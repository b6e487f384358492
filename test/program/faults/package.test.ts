import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('the package has the program and its documents, no install script and no dependency', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts']);
  const [{ files }] = JSON.parse(stdout) as [{ files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  const program = 'bin/chanlist.js dist/chanlist.cjs dist/chanlist.1 dist/THIRD_PARTY_LICENSES';
  const documents = 'LICENSE CHANGELOG.md completions/_chanlist docs/cron.md';
  for (const wanted of `${program} ${documents}`.split(' ')) assert.ok(paths.includes(wanted), wanted);
  for (const path of paths)
    assert.match(
      path,
      /^(?:bin|dist|docs|completions)\/|^(?:README\.md|CHANGELOG\.md|LICENSE|package\.json)$/,
    );
  const text = await readFile('package.json', 'utf8');
  const { scripts, dependencies, optionalDependencies } = JSON.parse(text);
  assert.deepEqual([dependencies, optionalDependencies], [undefined, undefined]);
  for (const hook of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[hook], undefined, hook);
});
