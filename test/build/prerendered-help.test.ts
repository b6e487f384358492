import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { prerenderedHelp } from '../../scripts/docgen/prerendered-help.ts';
import { helpText } from '../../src/cli/help-text.ts';
import { copyOfProgram, runNode } from './copies.ts';

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };

test('the built help texts are those that the program makes itself', async () => {
  const texts = await prerenderedHelp();
  assert.deepEqual((await readdir('dist/help')).sort(), [...texts.keys()].sort());
  for (const [file, text] of texts) assert.equal(await readFile(join('dist/help', file), 'utf8'), text, file);
  assert.equal(texts.get('program.txt'), await helpText(null));
  assert.equal(texts.get('command.auth.login.txt'), await helpText('auth login'));
  assert.equal(texts.get('topic.exit-codes.txt'), await helpText('exit-codes'));
});

const forms: readonly (readonly string[])[] = [
  [],
  ['help'],
  ['--help'],
  ['-h'],
  ['--version'],
  ['-V'],
  ['help', 'exit-codes'],
  ['help', 'uploads'],
  ['uploads', '--help'],
  ['uploads', '-h'],
  ['auth', '--help'],
  ['auth', 'login', '--help'],
  ['help', 'auth', 'login'],
  ['help', 'help'],
  ['help', '--help'],
  // No ready text: the program itself has to say what is wrong, or to print more than that.
  ['exit-codes', '--help'],
  ['program', '--help'],
  ['auth.login', '--help'],
  ['auth', 'foo', '--help'],
  ['help', 'foo'],
  ['help', '../launch'],
  ['help', '--foo'],
  ['--version', '--help'],
  ['--help', 'uploads'],
  ['uploads', '@demo', '--help'],
  ['uploads', '--limit', '--help'],
];

test('with and without prerendered help the program prints the same and ends with the same code', async (t) => {
  const folder = await copyOfProgram(t);
  const launcher = join(folder, 'bin/chanlist.js');
  const all = await Promise.all(forms.map((args) => runNode([launcher, ...args])));
  await rm(join(folder, 'dist/help'), { recursive: true });
  for (const [i, args] of forms.entries()) {
    assert.deepEqual(await runNode([launcher, ...args]), all[i], args.join(' '));
  }
});

test('help and version need nothing but the launcher', async (t) => {
  const folder = await copyOfProgram(t);
  for (const file of await readdir(join(folder, 'dist'))) {
    if (file !== 'launch.cjs' && file !== 'help') await rm(join(folder, 'dist', file));
  }
  const launcher = join(folder, 'bin/chanlist.js');
  const quiet = { exit: 0, signal: null, stderr: '' };
  assert.deepEqual(await runNode([launcher, '--version']), { ...quiet, stdout: `${version}\n` });
  const stdout = await helpText('uploads');
  assert.deepEqual(await runNode([launcher, 'uploads', '--help']), { ...quiet, stdout });
  const { exit, stderr } = await runNode([launcher, 'uploads', '@demo']);
  assert.equal(exit, 1);
  assert.match(stderr, /Cannot find module '\S*core\.cjs'/);
});

test('help into a closed pipe ends quietly', async () => {
  const script = 'exec 3>&1; { "$0" bin/chanlist.js --help; echo $? >&3; } | true';
  const { spawnSync } = await import('node:child_process');
  const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath], { encoding: 'utf8' });
  assert.deepEqual({ stdout, stderr }, { stdout: '0\n', stderr: '' });
});
