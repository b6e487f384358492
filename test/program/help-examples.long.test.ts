import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { allNodes } from '../../scripts/docgen/tree.ts';
import { commands } from '../../src/commands/command-table.ts';
import { helpText } from '../../src/help/help-text.ts';
import { missing, runCommand, workshop } from '../support/shell.ts';
import { writeStore } from '../support/stored-accounts.ts';

/** Every command and action: `uploads`, `auth login`. */
const paths = (await allNodes()).map(({ path }) => path).filter(Boolean);

/** The help of a command, an action, a topic or (null) the program. */
const help = (name: string | null): Promise<string> => helpText(name?.split(' ') ?? [], commands, null);

/** The command lines of the examples, as a shell reads them. */
const examplesIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}# .*\n {2}(\S.*)$/gm)].map(([, line = '']) => line);

test('the examples of help run as written, silent on stderr', { skip: missing('jq') }, async (t) => {
  const key = 'sk_sandbox';
  const names = 'resolve search uploads latest playlist help fields formats'.split(' ');
  for (const group of [
    [null],
    ...names.map((name) => [name]),
    paths.filter((name) => /^auth\b/.test(name)),
  ]) {
    const { folder, sandbox, env } = await workshop(t, key);
    await writeFile(join(folder, 'refs.txt'), '# two\n@demo\n@size-150\n');
    await writeFile(join(folder, 'key.txt'), `${key}\n`);
    const profile = { baseUrl: sandbox.baseUrl, namespace: 'media', key };
    writeStore(join(folder, '.config'), { default: profile }, 'default');
    const options = { cwd: folder, env: { ...env, CHANLIST_BASE_URL: '', CHANLIST_API_KEY: '' }, input: key };
    for (const name of group)
      for (const line of examplesIn(await help(name))) {
        // The sandbox of `chanlist serve`, at the port that this one has.
        const command = ['bash', '-c', line.replace('localhost:8787', sandbox.baseUrl)];
        const { exit, stderr } = await runCommand(command, options);
        assert.deepEqual([exit, stderr], [0, ''], line);
      }
  }
});
