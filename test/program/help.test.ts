import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { flagHelp, longFlag, shortFlag } from '../../src/cli/flag.ts';
import { flagsOf, ownFlagsOf } from '../../src/cli/flags.ts';
import { globalFlags } from '../../src/cli/global-flags.ts';
import { commands } from '../../src/commands/command-table.ts';
import { describeAll, helpText } from '../../src/help/help-text.ts';
import { topicText } from '../../src/help/topics.ts';
import { runHere as run } from '../support/command.ts';
import { cleanEnvironment, run as runProcess } from '../support/program.ts';
import { missing, runCommand, type Workshop, workshop } from '../support/shell.ts';
import { writeStore } from '../support/stored-accounts.ts';

const topics = ['flags', 'fields', 'exit-codes', 'formats', 'environment'] as const;

/** Every command and action: `uploads`, `auth login`. */
const paths = (await describeAll(commands)).map(({ path }) => path);

/** The help of a command, an action, a topic or (null) the program. */
const help = (name: string | null, width = 80): Promise<string> =>
  helpText(name?.split(' ') ?? [], commands, width);

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
  for (const [name, cost] of [
    ['resolve', /^Free; the account needs at least 1 credit\.$/m],
    ['latest', /^Free; the account needs at least 1 credit\.$/m],
    ['search', /Costs 1 credit; /],
    ['uploads', /^Costs 1 credit per page of about 100; /m],
    ['playlist', /^Costs 1 credit per page; /m],
  ] as const)
    assert.match(await help(name), cost);
  assert.match(await help('search'), /1 to 50\s+\(default:\s+30\)/);
  const oneLine = (await help(null)).replace(/\n {20,}/g, ' ');
  for (const [command, cost] of [
    ['resolve <channel...>', 'free'],
    ['search <channel> <query...>', '1 credit'],
    ['uploads <channel...>', '1 credit per page of about 100'],
    ['latest <channel...>', 'free'],
  ] as const)
    assert.ok(
      oneLine.split('\n').some((line) => line.startsWith(`  ${command} `) && line.endsWith(`(${cost})`)),
    );
});

test('a command has examples, its own flags, then one paragraph of global flags', async () => {
  for (const path of paths) {
    const text = await help(path, 1000);
    const blocks = text.split('\n\n').map((block) => block.split('\n')[0] ?? '');
    const [examples, flags] = ['Examples:', 'Flags:'].map((heading) => blocks.indexOf(heading));
    assert.ok(examples !== undefined && examples > 0 && flags === examples + 1, path);
    const own = [...(text.split('\nFlags:\n')[1] ?? '').matchAll(/^ {2}(?:-\w, | {4})(--[\w-]+)/gm)];
    const names = own.map(([, flag = '']) => flag).filter((flag) => flag !== '--help');
    assert.deepEqual(names, ownFlagsOf(path).map(longFlag), path);
    const global = flagsOf(path).filter((flag) => globalFlags.includes(flag));
    const paragraph = `Global flags (see: chanlist help flags): ${global.map(longFlag).join(', ')}.`;
    assert.equal(blocks[flags + 1], global.length === 0 ? undefined : paragraph, path);
  }
  const uploads = (await help('uploads')).split('\n');
  assert.ok(uploads.length < 60, `${uploads.length} lines`);
});

test('the program has its commands, two flags, and where to report a problem', async () => {
  const text = await help(null);
  for (const { name } of commands) assert.match(text, new RegExp(`^  ${name} `, 'm'));
  assert.deepEqual(text.match(/--[a-z]+(?= {3})/g), ['--help', '--version']);
  assert.match(text, /^To report a problem: npm bugs chanlist; .*\n$/m);
  assert.match(text, /chanlist help flags$/m);
});

test('help flags explains each global flag, with its variable and default', async () => {
  const text = (await help('flags', 1000)).replace(/ {2,}/g, ' ');
  for (const flag of globalFlags) assert.ok(text.includes(`${flag.flag} ${flagHelp(flag)}\n`), flag.flag);
  for (const line of [
    '-f, --format <format> print table, json, ndjson or csv (lists: id too); see: chanlist help formats',
    '--namespace <word> set the path segment after /api/v2/ (CHANLIST_NAMESPACE; default: media)',
    '--timeout <seconds> limit the time of each request, body included (default: 30)',
    '-v, --verbose print tally, waits and retries even if stderr is not a terminal; -vv: every request',
  ])
    assert.ok(text.includes(` ${line}\n`), line);
});

test('no two flags of a command have one name', () => {
  for (const path of paths) {
    const names = flagsOf(path).flatMap((flag) => [longFlag(flag), shortFlag(flag) ?? longFlag(flag)]);
    const own = flagsOf(path).length;
    assert.equal(new Set(names).size, own + flagsOf(path).filter((flag) => shortFlag(flag) !== null).length);
  }
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
  assert.match(
    await help('exit-codes', 1000),
    / in this order: 129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5, 11\.$/m,
  );
});

test('help formats has every format, and the rules of the default', async () => {
  const text = await help('formats');
  for (const name of ['table', 'json', 'ndjson', 'csv', 'id'])
    assert.match(text, new RegExp(`^  ${name} +\\w`, 'm'));
  for (const extension of ['.ndjson', '.jsonl', '.json', '.csv']) assert.ok(text.includes(extension));
});

const video = 'videoId title channelId channelTitle channelHandle';

test('help fields explains every field that is specified, known or computed, and no other', async () => {
  for (const [heading, fields] of [
    ['Fields of resolve:', 'channel_id resolved_from'],
    ['Fields of uploads and playlist:', `${video} lengthText viewCountText thumbnails index`],
    ['Not specified, but known to be sent by uploads and playlist:', 'publishedTimeText members_only'],
    [
      'Not specified, but known to be sent by search:',
      `type ${video} channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails`,
    ],
    [
      'Not specified, but known to be sent by latest:',
      'videoId title channelId author published updated link description thumbnail viewCount starRating',
    ],
    ['Computed fields:', '@reference @seconds @views @published'],
    [
      'Fields of the summary (--summary):',
      'command started seconds exit error credits requests retries counts references',
    ],
    [
      'Fields of each of its references:',
      'reference id file status entries new missing unlisted pages credits resumed why continuation_token error ' +
        'exit',
    ],
    ['Fields of check:', 'file reference id entries limit missing newest checked problem'],
    ['Fields of credits:', 'account month today total day command reference'],
    ['Fields of --dry-run:', 'reference method url cost'],
  ] as const)
    assert.equal(termsOf('fields', heading).join(' ').replaceAll(',', ''), fields, heading);
  const text = await help('fields', 1000);
  // Each has a meaning.
  assert.doesNotMatch(text, /^ {2}[\w@]+ *$/m);
  assert.ok(text.includes(`jq '."@views"'`));
  for (const inner of ['.chanlist', '.part', '.lock']) assert.ok(!text.includes(inner));
});

test('help serve explains each fault', async () => {
  const text = await help('serve');
  const kinds = ['reset', 'truncate', 'garbage', 'loop', 'expire'];
  const feeds = ['feed-404', 'feed-empty'];
  for (const kind of ['400 to 599', ...kinds, ...feeds])
    assert.match(text, new RegExp(`^  ${kind} +\\w+ \\w+`, 'm'), kind);
});

test('help environment has every variable that the program reads', async () => {
  const named = new Set(environment);
  for (const { variable } of globalFlags)
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

test('help and --help print the same on stdout, and end with 0', async () => {
  for (const [name, lines] of [
    [null, ['', '--help', '-h', 'help']],
    ['auth login', ['help auth login', '--help auth login', 'auth login --help', 'auth login -h']],
    ...topics.map((topic) => [topic, [`help ${topic}`, `--help ${topic}`]] as const),
  ] as const)
    for (const line of lines) {
      const { exit, stdout, stderr } = await run(line === '' ? [] : line);
      assert.deepEqual({ exit, stdout, stderr }, { exit: 0, stdout: await help(name), stderr: '' }, line);
    }
});

test('no help on it: one line on stderr with a suggestion, 2', async () => {
  for (const [line, message] of [
    ['help uplaods', "there is no command 'uplaods'; did you mean uploads?"],
    ['help exit-code', "there is no help on 'exit-code'; did you mean exit-codes?"],
    ['help auth lgin', "auth has no action 'lgin'; did you mean login?"],
    ['help everything', "there is no command 'everything'; see: chanlist help"],
    ['--help serach', "there is no command 'serach'; did you mean search?"],
  ] as const) {
    const { exit, stdout, stderr } = await run(line);
    assert.deepEqual([exit, stdout, stderr], [2, '', `chanlist: error: ${message}\n`]);
  }
});

/** A workshop with a stored account and a list of references; runs the examples of a help, silent on stderr. */
async function prepared(t: TestContext): Promise<Workshop & { runs(name: string | null): Promise<void> }> {
  const key = 'sk_sandbox';
  const at = await workshop(t, key);
  await writeFile(join(at.folder, 'refs.txt'), '# two\n@demo\n@size-150\n');
  const profile = { baseUrl: at.sandbox.baseUrl, namespace: 'media', key };
  writeStore(join(at.folder, '.config'), { default: profile }, 'default');
  const env = { ...at.env, CHANLIST_BASE_URL: '', CHANLIST_API_KEY: '' };
  const runs = async (name: string | null): Promise<void> => {
    const examples = examplesIn(await help(name));
    assert.ok(examples.length > 0);
    for (const line of examples) {
      // The sandbox of `chanlist serve`, at the port that this one has.
      const command = ['bash', '-c', line.replace('localhost:8787', at.sandbox.baseUrl)];
      const { exit, stderr } = await runCommand(command, { cwd: at.folder, env, input: key });
      // A dry run sums up on stderr.
      const sum = line.includes('--dry-run') ? 'chanlist: 1 request, at least 1 credit\n' : '';
      assert.deepEqual([exit, stderr], [0, sum], line);
    }
  };
  return { ...at, runs };
}

for (const name of [null, 'resolve', 'search', 'uploads', 'latest', 'playlist', 'help']) {
  test(`the examples of ${name ?? 'the program'} run as written`, async (t) => {
    const { runs } = await prepared(t);
    await runs(name);
  });
}

test('the examples of help fields and formats run as written', { skip: missing('jq') }, async (t) => {
  const { folder, runs } = await prepared(t);
  for (const [topic, header] of [
    ['fields', 'index,videoId,@views'],
    ['formats', 'videoId,title,channelId,'],
  ] as const) {
    await runs(topic);
    const csv = await readFile(join(folder, 'demo.csv'), 'utf8');
    assert.ok(csv.startsWith(header), csv.slice(0, 100));
    await rm(join(folder, 'demo.csv'));
  }
});

test('the examples of auth run as written, one after another', async (t) => {
  const { runs } = await prepared(t);
  for (const path of paths.filter((name) => /^auth\b/.test(name))) await runs(path);
});

test('the examples of serve run as written until Ctrl-C', async () => {
  const lines = examplesIn(await help('serve'));
  assert.equal(lines.length, 3);
  for (const line of lines) {
    const args = line.split(' ').slice(1);
    // The usual port may be taken on this machine.
    const here = args.includes('--port') ? args : [...args, '--port', '0'];
    const { exit, stdout, stderr } = await runProcess(here, {
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
