import assert from 'node:assert/strict';
import { cp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Collected } from '../support/collect.ts';
import { temporaryFolder, testKey } from '../support/program.ts';
import { runCommand, type Workshop } from '../support/shell.ts';
import { testExamples } from './run-examples.ts';

const root = process.cwd();

testExamples(
  'README.md',
  {
    // `npm ci` has been run, or this test would not be here.
    'npm ci && node bin/chanlist.js uploads @demo --sandbox': { run: listed },
    // This is it.
    'npm test': { run: async () => null },
    'npm install -g "./$(npm pack --silent)"': { run: installed },
    'chanlist auth login': { run: ({ sh }) => sh('chanlist auth login', { input: `${testKey}\n` }) },
    'chanlist serve': {
      run: ({ sh }) =>
        sh('exec chanlist serve --port 0', {
          started: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
        }),
    },
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

/** Installs from a copy of the built package, into a folder, without the network. */
async function installed(at: Workshop, t: TestContext): Promise<Collected> {
  const copy = await temporaryFolder(t);
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] };
  for (const name of ['package.json', 'README.md', 'LICENSE', ...files]) {
    const there = await stat(join(root, name)).catch(() => null);
    if (there !== null) await cp(join(root, name), join(copy, name), { recursive: true });
  }
  const prefix = join(copy, 'global');
  const env = {
    PATH: at.env.PATH ?? '',
    HOME: copy,
    npm_config_prefix: prefix,
    npm_config_offline: 'true',
    npm_config_ignore_scripts: 'true',
    npm_config_update_notifier: 'false',
  };
  const command = ['sh', '-c', 'npm install -g "./$(npm pack --silent)"'];
  const result = await runCommand(command, { cwd: copy, env });
  assert.equal(result.exit, 0, result.stderr);
  const line = '"$npm_config_prefix/bin/chanlist" uploads @size-3 --sandbox -f id | wc -l';
  assert.equal((await runCommand(['sh', '-c', line], { cwd: at.folder, env })).stdout.trim(), '3');
  return { ...result, stderr: '' };
}
