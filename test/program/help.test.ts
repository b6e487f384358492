import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commonFlags, flagsOf, longFlag } from '../../src/cli/flags.ts';
import { parseArguments, wholeProgram } from '../../src/cli/program.ts';
import { pathOf } from '../../src/cli/usage-errors.ts';
import { commands } from '../../src/commands/table.ts';
import { topicText } from '../../src/help/topics.ts';
import { cleanEnvironment, run, temporaryFolder } from '../support/program.ts';
import { missing, runCommand, type Workshop, workshop } from '../support/shell.ts';
import { onlyError } from '../support/stderr.ts';
import { writeStore } from '../support/stored-accounts.ts';

const topics = ['exit-codes', 'formats', 'environment'] as const;

/** Every command and action: `uploads`, `auth login`. */
const paths = (await wholeProgram(commands)).commands
  .flatMap((command) => [command, ...command.commands])
  .map(pathOf);

/** The help of a command, an action, a topic or (null) the program. */
async function help(name: string | null, width = 80): Promise<string> {
  const topic = topics.find((one) => one === name);
  if (topic !== undefined) return topicText(topic, width);
  const text = await parseArguments(['help', ...(name?.split(' ') ?? [])], commands, () => width);
  assert.ok(typeof text === 'string');
  return text;
}

/** The terms of a topic under a heading. */
const termsOf = (topic: (typeof topics)[number], heading: string): string[] => {
  const [, text = ''] = topicText(topic, 1000).split(`${heading}\n`);
  return [...(text.split('\n\n')[0] ?? '').matchAll(/^ {2}(.*?) {2}/gm)].map(([, term = '']) => term);
};
const environment = termsOf('environment', 'Environment variables:');

/** The command lines of the examples, as a shell reads them. */
const examplesIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}# .*\n {2}(\S.*)$/gm)].map(([, line = '']) => line);

test('the help of a command says what it costs', async () => {
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
    assert.deepEqual((await shownIn(path)).sort(), [...flagsOf(path).map(longFlag), '--help'].sort(), path);
  assert.deepEqual((await shownIn(null)).sort(), ['--help', '--version']);
  for (const { name } of commands) assert.match(await help(null), new RegExp(`^  ${name} `, 'm'));
});

test('help fits 60, 80 and 200 columns; command lines stay whole, and fit 80', async () => {
  for (const width of [60, 80, 200])
    for (const name of [null, ...paths.slice(1), ...topics])
      for (const line of (await help(name, width)).split('\n'))
        assert.ok(line.length <= Math.max(width, line.includes('chanlist ') ? 80 : 0), line);
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
  for (const [heading, fields] of [
    [
      'Fields of the report of --summary (JSON):',
      'command started seconds exit error credits requests retries counts references',
    ],
    [
      'Fields of each of its references:',
      'reference id file status entries new missing pages credits resumed why continuation_token error exit',
    ],
    ['Fields of chanlist check:', 'file reference id entries limit missing newest checked problem'],
    ['Fields of chanlist credits:', 'account month today total day command reference'],
  ] as const)
    assert.equal(termsOf('formats', heading).join(' ').replaceAll(',', ''), fields);
  for (const inner of ['.chanlist', '.part', '.lock']) assert.ok(!(await help('formats')).includes(inner));
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
  const named = new Set(environment);
  for (const { variable } of commonFlags)
    for (const name of variable?.split(', ') ?? []) assert.ok(named.has(name), name);
  const text = await help('environment');
  for (const variable of named) assert.ok(text.includes(variable));
  const wanted =
    'CHANLIST_PROFILE CHANLIST_BASE_URL CHANLIST_NAMESPACE CHANLIST_API_KEY CHANLIST_API_KEY_FILE ' +
    'CHANLIST_MAX_CREDITS CHANLIST_DEBUG HTTPS_PROXY HTTP_PROXY NO_PROXY NODE_EXTRA_CA_CERTS NO_COLOR ' +
    'FORCE_COLOR TERM COLUMNS XDG_CONFIG_HOME HOME';
  for (const variable of wanted.split(' ')) assert.ok(named.has(variable), variable);
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
    for (const line of [`help ${topic}`, `${topic} --help`, `${topic} -h`]) {
      const { exit, stdout, stderr } = await run(line);
      assert.deepEqual({ exit, stdout, stderr }, expected, line);
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
  for (const line of ['uploads @demo', 'resolve @demo', 'playlist PLdemo --json']) {
    const { exit, stdout, stderr } = await run(line, { env, input: 'y\n' });
    assert.equal(exit, 3);
    assert.equal(stdout.startsWith('{"error":{"code":"unauthorized"'), line.includes('--json'));
    onlyError({ stderr }, 'chanlist uploads @demo --sandbox', 'chanlist auth login');
  }
  const login = await run('auth login', { env, input: '' });
  assert.equal(login.exit, 2);
  onlyError(login, '--base-url');
  assert.equal((await run('uploads @demo --sandbox --limit 3', { env })).lines.length, 3);
});

/** A workshop with a stored account and a list of references; runs a line, which must be silent on stderr. */
async function prepared(t: TestContext): Promise<Workshop & { runs(line: string): Promise<void> }> {
  const key = 'sk_sandbox';
  const at = await workshop(t, key);
  await writeFile(join(at.folder, 'refs.txt'), '# two\n@demo\n@size-150\n');
  const profile = { baseUrl: at.sandbox.baseUrl, namespace: 'media', key };
  writeStore(join(at.folder, '.config'), { default: profile }, 'default');
  const env = { ...at.env, CHANLIST_BASE_URL: '', CHANLIST_API_KEY: '' };
  const runs = async (line: string): Promise<void> => {
    const command = ['bash', '-c', line];
    const { exit, stderr } = await runCommand(command, { cwd: at.folder, env, input: key });
    assert.deepEqual([exit, stderr], [0, ''], line);
  };
  return { ...at, runs };
}

for (const name of [null, 'resolve', 'search', 'uploads', 'latest', 'playlist', 'help']) {
  test(`the examples of ${name ?? 'the program'} run as written`, async (t) => {
    const { runs } = await prepared(t);
    const examples = examplesIn(await help(name));
    assert.ok(examples.length > 0);
    for (const line of examples) await runs(line);
  });
}

test('the examples of help formats run as written', { skip: missing('jq') }, async (t) => {
  const { folder, runs } = await prepared(t);
  const lines = examplesIn(await help('formats'));
  assert.equal(lines.length, 2);
  for (const line of lines) await runs(line);
  const csv = await readFile(join(folder, 'demo.csv'), 'utf8');
  assert.match(csv, /^index,videoId,title\n/);
});

test('the examples of auth run as written, one after another', async (t) => {
  const { sandbox, runs } = await prepared(t);
  for (const path of paths.filter((name) => /^auth\b/.test(name))) {
    const examples = examplesIn(await help(path));
    assert.ok(examples.length > 0);
    // The sandbox of `chanlist serve`, at the port that this one has.
    for (const line of examples) await runs(line.replace('localhost:8787', sandbox.baseUrl));
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

test('the manual page renders without a warning, at any width', { skip: missing('man') }, () => {
  for (const width of [60, 80, 200]) {
    const { stdout, stderr } = spawnSync('man', ['--warnings', '-l', 'man/chanlist.1'], {
      encoding: 'utf8',
      env: cleanEnvironment({ MANWIDTH: String(width), LC_ALL: 'C.UTF-8' }),
    });
    assert.equal(stderr, '');
    assert.match(stdout, /chanlist uploads @demo --sandbox --limit 20/);
    for (const line of stdout.split('\n'))
      assert.ok(line.length <= width || line.includes('chanlist '), `${width} columns: ${line}`);
  }
});
