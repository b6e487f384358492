import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { commonFlags, type FlagRow, flagsOf, longName, ownFlags } from '../../src/cli/flags.ts';
import { parseArguments, wholeProgram } from '../../src/cli/program.ts';
import { pathOf } from '../../src/cli/usage-errors.ts';
import { commands } from '../../src/commands/table.ts';
import { exitCodes } from '../../src/errors.ts';
import { environment } from '../../src/help/environment.ts';
import { checkFields, creditsFields, receiptFields, referenceFields } from '../../src/help/formats.ts';
import { helpColumns } from '../../src/help/rows.ts';
import { topicTexts } from '../../src/help/topics.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { writeStore } from '../accounts/fake-context.ts';
import { cleanEnvironment, launcher, run, temporaryFolder } from '../support/program.ts';
import { runCommand } from '../support/shell.ts';
import { onlyError } from '../support/stderr.ts';

const topics = ['exit-codes', 'formats', 'environment'] as const;

/** Every command and action: `uploads`, `auth login`. */
const paths = (await wholeProgram(commands)).commands
  .flatMap((command) => [command, ...command.commands])
  .map(pathOf);

/** The help of a command, an action, a topic or (null) the program. */
async function help(name: string | null, width = 80): Promise<string> {
  const topic = topics.find((one) => one === name);
  if (topic !== undefined) return topicTexts[topic](width);
  const text = await parseArguments(['help', ...(name?.split(' ') ?? [])], commands, () => width);
  assert.ok(typeof text === 'string');
  return text;
}

/** The command lines of the examples, as a shell reads them. */
const examplesIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}# .*\n {2}(\S.*)$/gm)].map(([, line = '']) => line);

test('every text fits 60, 80 and 200 columns, breaks no word, and ends with one line end', async () => {
  for (const name of [null, ...paths, ...topics]) {
    const words = (text: string): string[] => text.split(/\s+/);
    const wide = await help(name, 200);
    for (const width of [60, 80, 200]) {
      const text = await help(name, width);
      assert.match(text, /[^\n]\n$/, `${name}`);
      const [wrapped = ''] = text.split('\nExamples:\n');
      for (const line of wrapped.split('\n'))
        assert.ok(line.length <= width && line === line.trimEnd(), `${name}, ${width} columns: ${line}`);
      assert.deepEqual(words(text), words(wide), `${name}`);
    }
  }
});

test('help is as wide as the terminal, from 60 to 200 columns; 80 elsewhere', () => {
  const width = (isTTY: boolean, columns: number): number =>
    helpColumns({ stdout: Object.assign(new PassThrough(), { isTTY, columns }) });
  assert.deepEqual(
    [width(true, 40), width(true, 100), width(true, 300), width(true, 0), width(false, 100)],
    [60, 100, 200, 80, 80],
  );
});

test('a command says what it costs', async () => {
  for (const topic of ['resolve', 'latest']) {
    assert.match(await help(topic), /^Free; the account needs at least 1 credit\.$/m);
  }
  assert.match(await help('search'), /Costs 1 credit; /);
  assert.match(await help('uploads'), /^Costs 1 credit per page of about 100; /m);
  assert.match(await help('playlist'), /^Costs 1 credit per page; /m);
  assert.match(await help('latest'), /latest 15 uploads/);
  assert.match(await help('search'), /1 to 50\s+\(default:\s+30\)/);
  const program = await help(null);
  const oneLine = program.replace(/\n {20,}/g, ' ');
  for (const line of [
    /^ {2}resolve <channel\.\.\.> .*\(free\)$/m,
    /^ {2}search <channel> <query\.\.\.> .*\(1 credit\)$/m,
    /^ {2}uploads <channel\.\.\.> .*\(1 credit per page of about 100\)$/m,
    /^ {2}latest <channel\.\.\.> .*\(free\)$/m,
  ]) {
    assert.match(oneLine, line);
  }
});

test('a command has its own flags first, then the common ones that it takes; the program has its commands', async () => {
  for (const name of ['resolve', 'search', 'uploads', 'latest', 'playlist']) {
    const headings = (await help(name)).split('\n').filter((line) => /^[A-Z][a-z]+:$/.test(line));
    assert.deepEqual(headings, [
      ...['Arguments:', 'Options:', 'Service:', 'Output:', 'Network:', 'Messages:', 'Examples:'],
    ]);
  }
  const shownIn = async (name: string | null): Promise<string[]> =>
    [...(await help(name)).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag);
  for (const path of paths)
    assert.deepEqual((await shownIn(path)).sort(), [...flagsOf(path).map(longName), '--help'].sort(), path);
  assert.deepEqual((await shownIn(null)).sort(), ['--help', '--version']);
  for (const { name } of commands) assert.match(await help(null), new RegExp(`^  ${name} `, 'm'));
});

test('every flag is taken by a command, and named in the man page and in the completions', async () => {
  const files = [
    'man/chanlist.1',
    'completions/chanlist.bash',
    'completions/_chanlist',
    'completions/chanlist.fish',
  ];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const all: readonly FlagRow[] = [...ownFlags, ...commonFlags];
  for (const flag of all) {
    assert.ok(flag.commands.length > 0);
    for (const path of flag.commands) assert.ok(paths.includes(path), path);
    const word = new RegExp(`(?<![\\w-])${longName(flag).slice(2)}(?![\\w-])`);
    for (const [i, text] of texts.entries())
      assert.match(text.replaceAll('\\-', '-').replaceAll('--', ' '), word, files[i]);
  }
});

test('the man page names every command, exit code and environment variable', async () => {
  const page = (await readFile('man/chanlist.1', 'utf8')).replaceAll('\\-', '-');
  for (const name of [...paths, ...Object.keys(exitCodes), ...environment.map(([variable]) => variable)])
    assert.match(page, new RegExp(`^\\.(?:B|SS) ${name}\\b`, 'm'), name);
});

test('help exit-codes names each code of the contract once', async () => {
  const codes = [...(await help('exit-codes')).matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  assert.deepEqual(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 129, 130, 143]);
});

test('help formats has every format, the rules of the default, and the specified fields', async () => {
  const text = await help('formats');
  for (const name of ['table', 'json', 'ndjson', 'csv', 'id'])
    assert.match(text, new RegExp(`^  ${name} +\\w`, 'm'));
  for (const extension of ['.ndjson', '.jsonl', '.json', '.csv']) assert.ok(text.includes(extension));
  for (const field of ['videoId', 'viewCountText', 'index', 'channel_id', '@reference']) {
    assert.ok(text.includes(field), field);
  }
});

test('help formats has every field of --summary, check and credits, and no other', async () => {
  const named = (rows: readonly (readonly [string, string])[]): string[] =>
    rows.flatMap(([fields]) => fields.split(', '));
  assert.deepEqual(named(receiptFields), [
    ...['command', 'started', 'seconds', 'exit', 'error', 'credits', 'requests', 'retries', 'counts'],
    'references',
  ]);
  assert.deepEqual(named(referenceFields), [
    ...[
      'reference',
      'id',
      'file',
      'status',
      'entries',
      'new',
      'missing',
      'pages',
      'credits',
      'resumed',
      'why',
    ],
    ...['continuation_token', 'error', 'exit'],
  ]);
  assert.deepEqual(named(checkFields), [
    ...['file', 'reference', 'id', 'entries', 'limit', 'missing', 'newest', 'checked', 'problem'],
  ]);
  assert.deepEqual(named(creditsFields), [
    ...['account', 'month', 'today', 'total', 'day', 'command', 'reference'],
  ]);
  const text = await help('formats');
  for (const [fields] of [...receiptFields, ...referenceFields, ...checkFields, ...creditsFields])
    assert.match(text, new RegExp(`^  ${fields} `, 'm'));
  for (const inner of ['.chanlist', '.part', '.lock']) assert.ok(!text.includes(inner));
});

test('help serve explains each fault', async () => {
  const text = await help('serve');
  const kinds = ['reset', 'truncate', 'stall', 'garbage', 'redirect', 'proxy-403', 'loop', 'expire'];
  const pages = ['empty-token', 'null-token', 'no-token', 'page-empty', 'page-repeat', 'page-overlap'];
  const feeds = ['feed-404', 'feed-500', 'feed-empty', 'feed-behind', 'feed-ahead'];
  for (const kind of ['400 to 599', ...kinds, ...pages, ...feeds])
    assert.match(text, new RegExp(`^  ${kind} +\\w+ \\w+`, 'm'), kind);
});

test('help environment has every variable that the program reads', async () => {
  const named = new Set(environment.map(([variable]) => variable));
  for (const { variable } of commonFlags)
    for (const name of variable?.split(', ') ?? []) assert.ok(named.has(name), name);
  const text = await help('environment');
  for (const variable of named) assert.ok(text.includes(variable));
  const wanted = [
    ...[
      'CHANLIST_PROFILE',
      'CHANLIST_BASE_URL',
      'CHANLIST_NAMESPACE',
      'CHANLIST_API_KEY',
      'CHANLIST_API_KEY_FILE',
    ],
    ...[
      'CHANLIST_MAX_CREDITS',
      'CHANLIST_DEBUG',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'NO_PROXY',
      'NODE_EXTRA_CA_CERTS',
    ],
    ...['NO_COLOR', 'FORCE_COLOR', 'TERM', 'COLUMNS', 'XDG_CONFIG_HOME', 'HOME'],
  ];
  for (const variable of wanted) assert.ok(named.has(variable), variable);
  // Kept from a library, not read for the user.
  const inner = new Set(['SNAP']);
  for (const file of await readdir('src', { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const source = await readFile(join('src', file), 'utf8');
    for (const [, one, other] of source.matchAll(/\benv\.([A-Z][A-Z_]+)\b|'(CHANLIST_[A-Z_]+)'/g)) {
      const variable = one ?? other ?? '';
      assert.ok(named.has(variable) || inner.has(variable), `${file} reads ${variable}`);
    }
  }
});

test('chanlist alone, --help and help print the same on stdout, and end with 0', async () => {
  const text = await help(null);
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const { exit, stdout, stderr } = await run(args);
    assert.deepEqual({ exit, stdout, stderr }, { exit: 0, stdout: text, stderr: '' }, args.join(' '));
  }
});

test('help TOPIC and --help print the same on stdout, and end with 0', async () => {
  for (const topic of ['uploads', 'auth', 'auth login', 'serve', 'help']) {
    const expected = { exit: 0, stdout: await help(topic), stderr: '' };
    const words = topic.split(' ');
    for (const args of [
      ['help', ...words],
      [...words, '--help'],
      [...words, '-h'],
    ]) {
      const { exit, stdout, stderr } = await run(args);
      assert.deepEqual({ exit, stdout, stderr }, expected, args.join(' '));
    }
  }
  for (const topic of ['exit-codes', 'formats', 'environment']) {
    const { exit, stdout } = await run(['help', topic]);
    assert.deepEqual({ exit, stdout }, { exit: 0, stdout: await help(topic) });
  }
});

test('no help on it: one line on stderr with a suggestion, 2', async () => {
  for (const [args, line] of [
    [['help', 'uplaods'], "chanlist: error: there is no command 'uplaods'; did you mean uploads?\n"],
    [['help', 'exit-code'], "chanlist: error: there is no help on 'exit-code'; did you mean exit-codes?\n"],
    [['help', 'auth', 'lgin'], "chanlist: error: auth has no action 'lgin'; did you mean login?\n"],
    [['help', 'everything'], "chanlist: error: there is no command 'everything'; see: chanlist help\n"],
    [['serach', '@x'], "chanlist: error: there is no command 'serach'; did you mean search?\n"],
    [['serach', '--help'], "chanlist: error: there is no command 'serach'; did you mean search?\n"],
    [
      ['serve', '--format', 'csv'],
      'chanlist: error: serve does not take --format; see: chanlist help serve\n',
    ],
  ] as const) {
    const { exit, stdout, stderr } = await run(args);
    assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' });
    assert.equal(stderr, line);
  }
  const { exit, stderr } = await run(['\u001b[31mfoo']);
  assert.equal(exit, 2);
  assert.match(stderr, /^chanlist: error: there is no command '[^\u001b\n]*foo'; see: chanlist help\n$/);
});

test('the first run: one line says how to try it and what to do next; nothing prompts', async (t) => {
  const env = { HOME: await temporaryFolder(t) };
  for (const args of [
    ['uploads', '@demo'],
    ['resolve', '@demo'],
    ['playlist', 'PLdemo', '--json'],
  ]) {
    const { exit, stdout, stderr } = await run(args, { env, input: 'y\n' });
    assert.equal(exit, 3);
    assert.equal(stdout.startsWith('{"error":{"code":"unauthorized"'), args.includes('--json'));
    onlyError({ stderr }, 'chanlist uploads @demo --sandbox', 'chanlist auth login');
  }
  const login = await run(['auth', 'login'], { env, input: '' });
  assert.equal(login.exit, 2);
  onlyError(login, '--base-url');
  assert.equal((await run(['uploads', '@demo', '--sandbox', '--limit', '3'], { env })).lines.length, 3);
});

/** A folder with a `chanlist` on its path and a service that it talks to. */
async function workshop(
  t: TestContext,
): Promise<{ folder: string; env: Record<string, string>; url: string }> {
  const folder = await temporaryFolder(t);
  const sandbox = await startSandbox();
  t.after(() => sandbox.close());
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'chanlist'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`, {
    mode: 0o755,
  });
  await writeFile(join(folder, 'refs.txt'), '# two\n@demo\n@size-150\n');
  const env = cleanEnvironment({
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
  });
  const profile = { baseUrl: sandbox.baseUrl, namespace: 'media', key: sandbox.key };
  writeStore(join(folder, '.config'), { default: profile }, 'default');
  return { folder, env, url: sandbox.baseUrl };
}

/** Runs a line in a shell; the exit code and what it said. */
async function shell(line: string, cwd: string, env: Record<string, string>) {
  const { exit, stderr } = await runCommand(['bash', '-c', line], { cwd, env, input: 'sk_sandbox\n' });
  return { exit, said: stderr };
}

for (const name of [null, 'resolve', 'search', 'uploads', 'latest', 'playlist', 'help']) {
  test(`the examples of ${name ?? 'the program'} run as written`, async (t) => {
    const { folder, env } = await workshop(t);
    const examples = examplesIn(await help(name));
    assert.ok(examples.length > 0);
    for (const line of examples)
      assert.deepEqual(await shell(line, folder, env), { exit: 0, said: '' }, line);
  });
}

test('the examples of help formats run as written', async (t) => {
  if (spawnSync('jq', ['--version']).error !== undefined && process.env.CI !== 'true') {
    return t.skip('jq is not installed');
  }
  const { folder, env } = await workshop(t);
  const lines = examplesIn(await help('formats'));
  assert.equal(lines.length, 2);
  for (const line of lines) assert.deepEqual(await shell(line, folder, env), { exit: 0, said: '' }, line);
  const csv = await readFile(join(folder, 'demo.csv'), 'utf8');
  assert.match(csv, /^index,videoId,title\n/);
});

test('the examples of auth run as written, one after another', async (t) => {
  const { folder, env, url } = await workshop(t);
  for (const path of paths.filter((name) => /^auth\b/.test(name))) {
    const examples = examplesIn(await help(path));
    assert.ok(examples.length > 0);
    for (const line of examples) {
      // The sandbox of `chanlist serve`, at the port that this one has.
      const here = line.replace('http://127.0.0.1:8787', url);
      assert.deepEqual(await shell(here, folder, env), { exit: 0, said: '' }, here);
    }
  }
});

test('the examples of serve run as written until Ctrl-C', async () => {
  const lines = examplesIn(await help('serve'));
  assert.equal(lines.length, 3);
  for (const line of lines) {
    const args = line.split(' ').slice(1);
    // The usual port may be taken on this machine.
    const here = args.includes('--port') ? args : [...args, '--port', '0'];
    const { exit, stdout, stderr } = await run(here, {
      started: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
    });
    assert.equal(exit, 0, `${line}: ${stderr}`);
    assert.match(stdout, /^# chanlist sandbox at http:\/\/127\.0\.0\.1:\d+ with key sk_sandbox\n/);
  }
});

test('the manual page has the text of the help, and renders without a warning', async (t) => {
  const page = await readFile('man/chanlist.1', 'utf8');
  for (const heading of ['NAME', 'COMMANDS', 'FORMATS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'EXAMPLES']) {
    assert.ok(page.includes(`\n.SH ${heading}\n`), heading);
  }
  const [name] = environment.at(-1) ?? [''];
  assert.ok(page.includes(`.B ${name}\n`));
  for (const width of [60, 80, 200]) {
    const shown = spawnSync('man', ['--warnings', '-l', 'man/chanlist.1'], {
      encoding: 'utf8',
      env: cleanEnvironment({ MANWIDTH: String(width), LC_ALL: 'C.UTF-8' }),
    });
    if (shown.error !== undefined && process.env.CI !== 'true') return t.skip('man is not installed');
    assert.equal(shown.stderr, '');
    assert.match(shown.stdout, /chanlist uploads @demo --sandbox --limit 20/);
    for (const line of shown.stdout.split('\n')) {
      assert.ok(line.length <= width || line.includes('chanlist '), `${width} columns: ${line}`);
      assert.doesNotMatch(line, /\w[-\u2010]$/, 'a broken word');
    }
  }
});
