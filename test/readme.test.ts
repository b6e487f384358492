import assert from 'node:assert/strict';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { exitCodes } from '../src/errors.ts';
import { temporaryFolder, testKey } from './support/program.ts';
import {
  codeBlocks,
  missing,
  runCommand,
  type ShellResult,
  type Workshop,
  workshop,
} from './support/shell.ts';

const root = process.cwd();
const readme = await readFile(join(root, 'README.md'), 'utf8');
const blocks = await codeBlocks('README.md');
const refs = '# what we follow\n@demo\n\n@size-250\n';

/** Lines that cannot be run as they stand, and what is run in their place. */
const special: Readonly<Record<string, (at: Workshop, t: TestContext) => Promise<ShellResult | null>>> = {
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
async function installed(at: Workshop, t: TestContext): Promise<ShellResult> {
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

/** Says on stderr, though nothing is wrong, that the environment goes before what is stored. */
const mayWarn = /^chanlist auth login/;

test('every line of every sh block does what it says: exit 0, nothing on stderr', async (t) => {
  const at = await workshop(t);
  await writeFile(join(at.folder, 'key.txt'), `${testKey}\n`);
  await writeFile(join(at.folder, 'refs.txt'), refs);
  for (const line of blocks.filter(({ language }) => language === 'sh').flatMap(({ lines }) => lines)) {
    const tools = ['jq', 'sqlite3', 'parallel', 'curl'].filter((tool) =>
      new RegExp(`(?:^|\\| |&& )${tool} `).test(line),
    );
    await t.test(line, { skip: missing(...tools) }, async (t) => {
      const result = await (special[line]?.(at, t) ?? at.sh(line));
      if (special[line] !== undefined && result === null) return;
      assert.equal(result?.exit, 0, result?.stderr);
      const stderr = mayWarn.test(line)
        ? result?.stderr.replace(
            /^chanlist: CHANLIST_API_KEY is set and takes precedence over the stored key\n/,
            '',
          )
        : result?.stderr;
      assert.equal(stderr, '');
    });
  }
});

test('the special lines are lines of the README', () => {
  const lines = new Set(blocks.flatMap((block) => block.lines));
  for (const line of Object.keys(special)) assert.ok(lines.has(line), line);
});

test('completions: the lines that install them leave files that the shells take', async (t) => {
  const at = await workshop(t);
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

suite('the crontab line, as cron runs it', () => {
  const lines = blocks.find(({ language }) => language === 'crontab')?.lines ?? [];
  const entry = lines.find((line) => /^\d/.test(line)) ?? '';
  const command = entry.split(/ +/).slice(5).join(' ');

  test('is a crontab line: five fields of time, then a command without %, which cron takes for a line end', () => {
    assert.match(entry, /^[\d*]+ [\d*]+ [\d*]+ [\d*]+ [\d*]+ \S/);
    assert.doesNotMatch(command, /%/);
    assert.match(lines[0] ?? '', /^PATH=(?:\/[\w/]+:?)+$/);
  });

  async function nights(t: TestContext) {
    const folder = await temporaryFolder(t);
    const at = await workshop(t);
    await mkdir(join(folder, 'lists'));
    await writeFile(join(folder, 'lists/refs.txt'), refs);
    const clean = { HOME: folder, SHELL: '/bin/sh', LOGNAME: 'me', PATH: `${at.bin}:/usr/bin:/bin` };
    const login = ['/bin/sh', '-c', `chanlist auth login --base-url '${at.sandbox.baseUrl}'`];
    const stored = await runCommand(login, { cwd: folder, env: clean, input: testKey });
    assert.equal(stored.exit, 0, stored.stderr);
    const variables = Object.entries(clean).map(([name, value]) => `${name}=${value}`);
    /** One night: its exit code, what cron would mail, and what it cost. */
    const night = async () => {
      const before = at.sandbox.credits();
      const cron = ['/usr/bin/env', '-i', ...variables, '/bin/sh', '-c', command];
      const { exit, stdout, stderr } = await runCommand(cron, { cwd: folder, env: {} });
      return { exit, mail: stdout + stderr, cost: before - at.sandbox.credits() };
    };
    const summary = async () =>
      JSON.parse(await readFile(join(folder, 'lists/summary.json'), 'utf8')) as {
        credits: { confirmed: number };
        references: { reference: string; status: string; file: string; entries: number }[];
      };
    return { ...at, folder, night, summary };
  }

  test('first night: all of it; second: nothing; then 1 credit for a channel with news; no mail', async (t) => {
    const { folder, sandbox, night, summary } = await nights(t);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 13 + 3 });
    const first = await summary();
    assert.equal(first.credits.confirmed, 16);
    const sizes = await Promise.all(
      first.references.map(
        async ({ file }) => (await readFile(join(folder, 'lists', file), 'utf8')).split('\n').length - 1,
      ),
    );
    assert.deepEqual(sizes, [1234, 250]);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 0 });
    assert.deepEqual(
      (await summary()).references.map(({ status }) => status),
      ['unchanged', 'unchanged'],
    );
    sandbox.setUploads('@size-250', 250 + 15);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 1 });
  });

  test('a channel that is gone: one line of mail and exit 5; the others are kept up to date', async (t) => {
    const { folder, sandbox, night } = await nights(t);
    await night();
    await writeFile(join(folder, 'lists/refs.txt'), `@gone\n${refs}`);
    sandbox.setUploads('@demo', 1235);
    const { exit, mail, cost } = await night();
    assert.deepEqual([exit, cost], [5, 1]);
    assert.match(mail, /^chanlist: @gone: not found .*\n$/);
  });

  test('no credits: exit 4 and mail; the same line goes on when there are some', async (t) => {
    const { sandbox, night } = await nights(t);
    sandbox.setCredits(5);
    const poor = await night();
    assert.deepEqual([poor.exit, poor.cost], [4, 5]);
    assert.match(poor.mail, /^chanlist: .*no credits/m);
    sandbox.setCredits(100);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 16 - 5 });
  });
});

test('both tables of exit codes have every code of the program, the one for cron all that are failures', () => {
  const codes = Object.keys(exitCodes);
  const [table = '', cron = ''] = readme.split('## In cron');
  const script = table.split('## In a script')[1] ?? '';
  const named = (text: string): string[] =>
    [...text.matchAll(/\| ((?:\d+(?:, )?)+) (?=\|)/g)].flatMap(([, code = '']) => code.split(', '));
  assert.deepEqual(new Set(named(script)), new Set(codes));
  assert.deepEqual(new Set(named(cron)), new Set(codes.filter((code) => code !== '0')));
});

test('what the README links to is there', async () => {
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  assert.ok(targets.length >= 6);
  for (const target of targets) {
    if (target.startsWith('#'))
      assert.match(readme.toLowerCase(), new RegExp(`^## ${target.slice(1).replaceAll('-', ' ')}$`, 'm'));
    else assert.ok((await stat(join(root, target))).isFile(), target);
  }
});

test('CONTRIBUTING.md names files and scripts that are there', async () => {
  const text = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const paths = [...text.matchAll(/\b(?:bin|src|test|scripts|docs|bench)\/[\w./-]*\w\/?/g)].map(
    ([path]) => path,
  );
  assert.ok(paths.length >= 30);
  for (const path of new Set(paths)) await assert.doesNotReject(stat(join(root, path)), path);
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const [, name = ''] of text.matchAll(/`npm (?:run )?(\w+)`/g))
    assert.ok(name === 'ci' || Object.hasOwn(scripts, name), `npm run ${name}`);
});
