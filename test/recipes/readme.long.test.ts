import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Collected } from '../support/collect.ts';
import { documentText } from '../support/documents.ts';
import { copyPackage } from '../support/package.ts';
import { testKey } from '../support/program.ts';
import { runCommand, type Workshop } from '../support/shell.ts';
import { testExamples } from './run-examples.ts';

const root = process.cwd();
const installation = 'npm ci && npm install -g --ignore-scripts "./$(npm pack --silent)"';
const uninstallation = 'npm uninstall -g chanlist';

testExamples(
  'README.md',
  {
    // `npm ci` has been run, or this test would not be here.
    'npm ci && node bin/chanlist.js uploads @demo --sandbox': { run: listed },
    'npm test': { run: async () => null },
    [installation]: { run: installed },
    'chanlist auth login': { run: ({ sh }) => sh('chanlist auth login', { input: `${testKey}\n` }) },
  },
  // An empty variable counts as unset: the stored key is used.
  async () => ({ CHANLIST_API_KEY: '' }),
);

/** The second half of the first command, unchanged, with an empty environment. */
async function listed({ env }: Workshop): Promise<Collected> {
  const command = ['node', 'bin/chanlist.js', 'uploads', '@demo', '--sandbox'];
  const result = await runCommand(command, { cwd: root, env: { PATH: env.PATH ?? '' } });
  assert.equal(result.stdout.split('\n').length - 1, 1234);
  return result;
}

/** Installs from a copy of the built package, into a folder, without the network; then uninstalls. */
async function installed(at: Workshop, t: TestContext): Promise<Collected> {
  const copy = await copyPackage(t);
  const { cwd, env } = { cwd: copy.folder, env: copy.env };
  // `npm ci` has been run, and the copy is built.
  const command = installation.replace('npm ci && ', '').replace('npm pack', 'npm pack --ignore-scripts');
  const result = await runCommand(['sh', '-c', command], { cwd, env });
  assert.deepEqual([result.exit, result.stderr], [0, '']);
  const line = '"$npm_config_prefix/bin/chanlist" uploads @size-3 --sandbox -f id | wc -l';
  assert.equal((await runCommand(['sh', '-c', line], { cwd: at.folder, env })).stdout.trim(), '3');
  assert.ok((await documentText('README.md')).includes(`\`${uninstallation}\``));
  const removed = await runCommand(['sh', '-c', uninstallation], { cwd, env });
  assert.deepEqual([removed.exit, removed.stderr], [0, '']);
  await assert.rejects(stat(join(copy.prefix, 'bin/chanlist')));
  return result;
}
