import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { helpText, helpTopics, wholeProgram } from '../../src/cli/help-text.ts';
import { additionsTo } from '../../src/help/document.ts';
import { environment } from '../../src/help/environment.ts';
import { checkRows, creditsRows, referenceRows, summaryRows } from '../../src/help/reports.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { writeStore } from '../accounts/fake-context.ts';
import { cleanEnvironment, launcher, run, temporaryFolder } from '../support/program.ts';
import { runCommand } from '../support/shell.ts';

const topics = [
  'resolve',
  'search',
  'uploads',
  'latest',
  'playlist',
  'check',
  'credits',
  'auth',
  'auth login',
  'auth status',
  'auth list',
  'auth switch',
  'auth logout',
  'serve',
  'completion',
  'help',
  'exit-codes',
  'formats',
  'environment',
];

async function help(topic: string | null): Promise<string> {
  const text = await helpText(topic);
  assert.ok(text !== null, `no help on ${topic}`);
  return text;
}

test('there is help on every command, action and topic, and on nothing else', async () => {
  assert.deepEqual((await helpTopics()).sort(), [...topics].sort());
  for (const topic of ['', 'foo', 'auth foo', 'auth login foo', 'uploads foo', 'login']) {
    assert.equal(await helpText(topic), null, topic);
  }
});

test('no line is wider than 100 columns or ends in a space; every text ends with one line end', async () => {
  for (const topic of [null, ...topics]) {
    const text = await help(topic);
    assert.match(text, /[^\n]\n$/, `${topic}`);
    for (const line of text.split('\n')) assert.ok(line.length <= 100 && line === line.trimEnd(), line);
  }
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

test('flags are grouped: a command has its own first, then the shared ones', async () => {
  for (const topic of ['resolve', 'search', 'uploads', 'latest', 'playlist']) {
    const headings = (await help(topic)).split('\n').filter((line) => /^[A-Z][a-z]+:$/.test(line));
    assert.deepEqual(headings, [
      ...['Arguments:', 'Options:', 'Service:', 'Output:', 'Network:', 'Messages:', 'Help:', 'Examples:'],
    ]);
  }
  assert.doesNotMatch(await help('serve'), /--format|--sandbox <|--profile/);
  assert.doesNotMatch(await help('auth list'), /--base-url|--timeout/);
  assert.doesNotMatch(await help('playlist'), /^ {2}--update/m);
});

test('help exit-codes names each code of the contract once', async () => {
  const codes = [...(await help('exit-codes')).matchAll(/^ {2}(\d+(?:, \d+)*) /gm)].map(([, code]) => code);
  assert.deepEqual(codes, [
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
    '11',
    '129',
    '130',
    '143',
  ]);
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

test('help formats has every field of --summary, check and credits, and no other', async (t) => {
  const { folder, env } = await workshop(t);
  const call = async (...args: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await run(args, { cwd: folder, env });
    assert.equal(exit, 0, stderr);
    return stdout;
  };
  await call('uploads', '@empty', '--output-dir', 'lists', '--summary', 'summary.json');
  const summary = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8')) as {
    references: object[];
  };
  const checked = JSON.parse(await call('check', 'lists')) as object;
  const credits = JSON.parse(await call('credits', '--json')) as { accounts: object[] };
  const named = (rows: readonly (readonly [string, string])[]): string[] =>
    rows.flatMap(([fields]) => fields.split(', ')).sort();
  const keys = (...objects: object[]): string[] => objects.flatMap((each) => Object.keys(each)).sort();
  assert.deepEqual(named(summaryRows), keys(summary));
  assert.deepEqual(named(referenceRows), keys(...summary.references));
  assert.deepEqual(named(checkRows), keys(checked));
  assert.deepEqual(named(creditsRows), keys(credits, ...credits.accounts));
  const text = await help('formats');
  for (const [fields] of [...summaryRows, ...referenceRows, ...checkRows, ...creditsRows])
    assert.match(text, new RegExp(`^  ${fields} `, 'm'));
});

test('a command names the formats that it takes, and no other', async () => {
  const status = await help('auth status');
  assert.match(status, /--format <format> +print table \| json \| ndjson;/);
  assert.doesNotMatch(status, /csv/);
  assert.doesNotMatch(await help('credits'), /--format/);
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
  const named = new Set(environment.flatMap(([variables]) => variables.split(', ')));
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
    [['help', 'uplaods'], "chanlist: there is no help on 'uplaods'; did you mean uploads?\n"],
    [['help', 'exit-code'], "chanlist: there is no help on 'exit-code'; did you mean exit-codes?\n"],
    [['help', 'auth', 'lgin'], "chanlist: there is no help on 'auth lgin'; did you mean auth login?\n"],
    [['help', 'everything'], "chanlist: there is no help on 'everything'; see: chanlist help\n"],
    [['serach', '@x'], "chanlist: there is no command 'serach'; did you mean search?\n"],
    [['serach', '--help'], "chanlist: there is no command 'serach'; did you mean search?\n"],
    [['serve', '--format', 'json'], 'chanlist: serve does not take --format; see: chanlist help serve\n'],
  ] as const) {
    const { exit, stdout, stderr } = await run(args);
    assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' });
    assert.equal(stderr, line);
  }
  const { exit, stderr } = await run(['\u001b[31mfoo']);
  assert.equal(exit, 2);
  assert.match(stderr, /^chanlist: there is no command '[^\u001b\n]*foo'; see: chanlist help\n$/);
});

test('the first run: one line says how to try it and what to do next; nothing prompts', async (t) => {
  const env = { HOME: await temporaryFolder(t) };
  for (const args of [
    ['uploads', '@demo'],
    ['resolve', '@demo'],
    ['playlist', 'PLdemo', '--json'],
  ]) {
    const { exit, stdout, stderr } = await run(args, { env, input: 'y\n' });
    assert.equal(exit, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^chanlist: [^\n]+\n$/);
    assert.match(stderr, /chanlist uploads @demo --sandbox/);
    assert.match(stderr, /chanlist auth login/);
  }
  const login = await run(['auth', 'login'], { env, input: '' });
  assert.equal(login.exit, 2);
  assert.match(login.stderr, /^chanlist: [^\n]*--base-url[^\n]*\n$/);
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

const listCommands = ['', 'resolve', 'search', 'uploads', 'latest', 'playlist', 'help'];

for (const name of listCommands) {
  test(`the examples of ${name === '' ? 'the program' : name} run as written`, async (t) => {
    const { folder, env } = await workshop(t);
    const program = await wholeProgram();
    const command = name === '' ? program : program.commands.find((one) => one.name() === name);
    assert.ok(command);
    const { examples } = additionsTo(command);
    assert.ok(examples.length > 0);
    for (const [, line] of examples) {
      assert.deepEqual(await shell(line, folder, env), { exit: 0, said: '' }, line);
    }
  });
}

test('the examples of help formats run as written', async (t) => {
  if (spawnSync('jq', ['--version']).error !== undefined && process.env.CI !== 'true') {
    return t.skip('jq is not installed');
  }
  const { folder, env } = await workshop(t);
  const lines = [...(await help('formats')).matchAll(/^ {2}(chanlist .*)$/gm)].map(([, line]) => line ?? '');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.deepEqual(await shell(line, folder, env), { exit: 0, said: '' }, line);
  const csv = await readFile(join(folder, 'demo.csv'), 'utf8');
  assert.match(csv, /^index,videoId,title\n/);
});

test('the examples of auth run as written, one after another', async (t) => {
  const { folder, env, url } = await workshop(t);
  const auth = (await wholeProgram()).commands.find((one) => one.name() === 'auth');
  assert.ok(auth);
  for (const command of [auth, ...auth.commands]) {
    const { examples } = additionsTo(command);
    assert.ok(examples.length > 0);
    for (const [, line] of examples) {
      // The sandbox of `chanlist serve`, at the port that this one has.
      const here = line.replace('http://127.0.0.1:8787', url);
      assert.deepEqual(await shell(here, folder, env), { exit: 0, said: '' }, here);
    }
  }
});

test('the examples of serve run as written until Ctrl-C', async () => {
  const serve = (await wholeProgram()).commands.find((one) => one.name() === 'serve');
  assert.ok(serve);
  const lines = additionsTo(serve).examples.map(([, line]) => line);
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
      assert.ok(line.length <= width, `${width} columns: ${line}`);
      assert.doesNotMatch(line, /\w[-\u2010]$/, 'a broken word');
    }
  }
});
