import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Collected } from '../support/collect.ts';
import { temporaryFolder, testKey } from '../support/program.ts';
import {
  codeBlocks,
  fakeHosts,
  missing,
  readmeCommands,
  runCommand,
  type Workshop,
  workshop,
} from '../support/shell.ts';

const root = process.cwd();

/** Commands that cannot be run as they stand, and what is run in their place. */
const specialCommands: Readonly<Record<string, (at: Workshop, t: TestContext) => Promise<Collected | null>>> =
  {
    // `npm ci` has been run, or this test would not be here.
    'npm ci && node bin/chanlist.js uploads @demo --sandbox': async ({ env }) => {
      const command = ['node', 'bin/chanlist.js', 'uploads', '@demo', '--sandbox'];
      const result = await runCommand(command, { cwd: root, env: { PATH: env.PATH ?? '' } });
      assert.equal(result.stdout.split('\n').length - 1, 1234);
      return result;
    },
    // This is it.
    'npm test': async () => null,
    'npm install -g "./$(npm pack --silent)"': installed,
    'chanlist auth login': ({ sh }) => sh('chanlist auth login', { input: `${testKey}\n` }),
    'chanlist serve': ({ sh }) =>
      sh('exec chanlist serve --port 0', {
        started: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
      }),
  };

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

/** Lines that print something on stderr although nothing is wrong. */
const notes: readonly (readonly [line: RegExp, note: RegExp])[] = [
  [/^chanlist auth login/, /^chanlist: CHANLIST_API_KEY is set and takes precedence over the stored key\n/],
  [/--seen/, /^chanlist: first look: 2 channels are new in seen\.txt; .*\n/],
];

test('every command does what the README says: exit 0, nothing on stderr', async (t) => {
  const at = await workshop(t);
  await fakeHosts(at);
  const ping = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(ping, 'listening');
  t.after(() => ping.close());
  const env = {
    ...at.env,
    name: '@demo',
    PING_URL: `http://127.0.0.1:${(ping.address() as AddressInfo).port}`,
  };
  for (const file of ['key.txt', 'key-00.txt', 'key-01.txt'])
    await writeFile(join(at.folder, file), `${testKey}\n`);
  await writeFile(join(at.folder, 'team.csv'), '@size-250,Ben\n@demo,Anna\n');
  for (const command of await readmeCommands()) {
    const tools = ['jq', 'sqlite3', 'parallel', 'curl'].filter((tool) =>
      new RegExp(`(?:^|\\| |&& |; )${tool} `, 'm').test(command),
    );
    await t.test(command, { skip: missing(...tools) }, async (t) => {
      const special = specialCommands[command];
      const result = await (special?.(at, t) ??
        runCommand(['bash', '-o', 'pipefail', '-c', command], { cwd: at.folder, env }));
      if (result === null) return;
      assert.equal(result.exit, 0, result.stderr);
      const [, note] = notes.find(([line]) => line.test(command)) ?? [];
      assert.equal(note === undefined ? result.stderr : result.stderr.replace(note, ''), '');
    });
  }
});

test('the special commands are commands of the README', async () => {
  const commands = new Set(await readmeCommands());
  for (const command of Object.keys(specialCommands)) assert.ok(commands.has(command), command);
});

test('completions: the lines that install them leave files that the shells accept', async (t) => {
  const at = await workshop(t);
  const blocks = await codeBlocks('README.md');
  const lines = blocks.flatMap((block) => block.lines).filter((line) => line.includes('chanlist completion'));
  assert.equal(lines.length, 3);
  for (const line of lines) assert.equal((await at.sh(line)).exit, 0, line);
  const bash = await at.sh('. ~/.bashrc && complete -p chanlist');
  assert.match(bash.stdout, /\bchanlist$/m);
  if (missing('zsh') === false) {
    const zsh = await at.sh(
      "zsh -f -c 'autoload -U compinit; compinit -u -D; . ~/.zshrc; print $_comps[chanlist]'",
    );
    assert.equal(zsh.stdout.trim(), '_chanlist', zsh.stderr);
  }
  if (missing('fish') === false) {
    const fish = await at.sh('fish -c "complete -C \'chanlist uplo\'"');
    assert.match(fish.stdout, /^uploads\b/, fish.stderr);
  }
});
