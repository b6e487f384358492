import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SharedOptions } from '../../src/cli/options.ts';
import { parseArguments } from '../../src/cli/program.ts';
import { Failure } from '../../src/errors.ts';
import { options } from './auth-options.ts';

interface Parsed {
  readonly shared: SharedOptions;
  readonly [option: string]: unknown;
}

/** The options that the arguments ask for. */
async function parse(...argv: string[]): Promise<Parsed> {
  const task = await parseArguments(argv);
  assert.ok(typeof task !== 'string');
  return task.options as Parsed;
}

/** The usage error of the arguments: one line. */
async function refused(argv: readonly string[]): Promise<string> {
  try {
    await parseArguments(argv);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, 2);
    const line = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
    assert.doesNotMatch(line, /\n/);
    return line;
  }
  return assert.fail(`accepted: ${argv.join(' ')}`);
}

const defaults = {
  ...options(),
  profile: undefined,
  baseUrl: undefined,
  namespace: undefined,
  keyFile: undefined,
};

const calls: readonly (readonly [command: string, ...words: string[]])[] = [
  ['resolve', '@x'],
  ['search', '@x', 'word'],
  ['uploads', '@x'],
  ['latest', '@x'],
  ['playlist', 'PLx'],
];

const sharedFlags: readonly (readonly [argv: readonly string[], options: Partial<SharedOptions>])[] = [
  [['--profile', 'work'], { profile: 'work' }],
  [['--profile=work'], { profile: 'work' }],
  [['--base-url', 'https://api.example.com'], { baseUrl: 'https://api.example.com' }],
  [['--namespace', 'other'], { namespace: 'other' }],
  [['--key-file', 'key.txt'], { keyFile: 'key.txt' }],
  [['--sandbox'], { sandbox: true }],
  [['--max-credits', '3'], { maxCredits: [{ credits: 3, per: 'run' }] }],
  [
    ['--max-credits', '5,100/day', '--max-credits=3000/month'],
    {
      maxCredits: [
        { credits: 5, per: 'run' },
        { credits: 100, per: 'day' },
        { credits: 3000, per: 'month' },
      ],
    },
  ],
  [['-f', 'csv'], { format: 'csv' }],
  [['-fcsv'], { format: 'csv' }],
  [['--format', 'table'], { format: 'table' }],
  [['--format=id'], { format: 'id' }],
  [['--json'], { format: 'json' }],
  [['--ndjson'], { format: 'ndjson' }],
  [['--json', '--format', 'json'], { format: 'json' }],
  [['--fields', 'videoId,thumbnails.0.url'], { fields: 'videoId,thumbnails.0.url' }],
  [['-o', 'out.csv'], { output: 'out.csv' }],
  [['--output', 'out.csv'], { output: 'out.csv' }],
  [['-o', '-'], { output: null }],
  [['--summary', 'summary.json'], { summary: 'summary.json' }],
  [['--no-color'], { color: false }],
  [['--timeout', '2.5'], { timeout: 2.5 }],
  [['--retries', '0'], { retries: 0 }],
  [['--max-wait', '0'], { maxWait: 0 }],
  [['--dry-run'], { dryRun: true }],
  [['-q'], { quiet: true }],
  [['--quiet'], { quiet: true }],
  [['-v'], { verbose: 1 }],
  [['--verbose'], { verbose: 1 }],
  [['-vv'], { verbose: 2 }],
  [['-v', '-v'], { verbose: 2 }],
];

test('without flags: the defaults of the contract', async () => {
  for (const words of calls) assert.deepEqual((await parse(...words)).shared, defaults);
});

test('each shared flag means the same before a command, after it and after its arguments', async () => {
  for (const [flags, options] of sharedFlags) {
    const expected = { ...defaults, ...options };
    for (const [command, ...words] of calls) {
      const at = `${command} ${flags.join(' ')}`;
      assert.deepEqual((await parse(...flags, command, ...words)).shared, expected, `before ${at}`);
      assert.deepEqual((await parse(command, ...flags, ...words)).shared, expected, `after ${at}`);
      assert.deepEqual((await parse(command, ...words, ...flags)).shared, expected, `last ${at}`);
    }
  }
});

test('flags before and after a command are merged: switches add up, else the last value counts', async () => {
  const { shared } = await parse(
    '-v',
    '--timeout',
    '5',
    'uploads',
    '@x',
    '-v',
    '--timeout',
    '6',
    '--sandbox',
  );
  assert.deepEqual(shared, { ...defaults, verbose: 2, timeout: 6, sandbox: true });
});

test('uploads and playlist: their own flags', async () => {
  for (const [command, word] of [
    ['uploads', '@x'],
    ['playlist', 'PLx'],
  ] as const) {
    const { shared: _, invocation: __, ...plain } = await parse(command, word, 'second');
    assert.deepEqual(plain, {
      references: [word, 'second'],
      from: null,
      limit: null,
      continuation: null,
      outputDir: null,
      concurrency: 4,
      restart: false,
      update: false,
      all: false,
      printNew: false,
    });
    const own = [
      '--from',
      '-',
      '-n',
      '7',
      '--max-credits',
      '0',
      '--output-dir',
      'lists',
      '--concurrency',
      '9',
    ];
    const { shared: budget, invocation: ____, ...given } = await parse(command, ...own, '--restart');
    assert.deepEqual(budget.maxCredits, [{ credits: 0, per: 'run' }]);
    assert.deepEqual(given, {
      references: [],
      from: '-',
      limit: 7,
      continuation: null,
      outputDir: 'lists',
      concurrency: 9,
      restart: true,
      update: false,
      all: false,
      printNew: false,
    });
    assert.equal((await parse(command, '--limit', '8', word)).limit, 8);
    assert.equal((await parse(command, '--continuation', 'abc')).continuation, 'abc');
    assert.equal((await parse(command, '--continuation=-abc')).continuation, '-abc');
  }
  assert.equal((await parse('uploads', '@x', '-o', 'x.csv', '--update')).update, true);
  assert.equal((await parse('uploads', '@x', '--output-dir', 'x', '--update')).update, true);
});

test('resolve and latest: their own flags', async () => {
  for (const command of ['resolve', 'latest']) {
    const { shared: _, invocation: __, ...plain } = await parse(command, '@x');
    const own = { limit: null, seen: null };
    assert.deepEqual(plain, { references: ['@x'], from: null, concurrency: 4, ...own });
    const list = await parse(command, '--from', 'refs.txt', '--concurrency', '1');
    const { shared: ___, invocation: ____, ...given } = list;
    assert.deepEqual(given, { references: [], from: 'refs.txt', concurrency: 1, ...own });
    // Free: a budget, also of nothing, is kept.
    await parse(command, '@x', '--max-credits', '0');
  }
});

test('search: words are joined', async () => {
  const { shared: _, ...plain } = await parse('search', '@x', 'two', 'words');
  assert.deepEqual(plain, { channel: '@x', query: 'two words', limit: null });
  const { shared: __, ...given } = await parse('search', '@x', 'a', '-n', '50', '--max-credits', '3', 'b');
  assert.deepEqual(given, { channel: '@x', query: 'a b', limit: 50 });
});

test('after -- everything is an argument', async () => {
  assert.equal((await parse('search', '@x', '--', '-n', '--json')).query, '-n --json');
});

test('check: paths, an age with its unit, a list', async () => {
  const { shared, ...given } = await parse(
    'check',
    'lists',
    'a.csv',
    '--max-age',
    '1.5d',
    '--from',
    '-',
    '-q',
  );
  assert.deepEqual(given, { paths: ['lists', 'a.csv'], from: '-', maxAge: 36 * 3_600_000 });
  assert.deepEqual([shared.quiet, shared.format], [true, null]);
  for (const flag of ['--json', '--ndjson'])
    assert.equal((await parse('check', 'lists', flag)).shared.format, flag.slice(2));
});

test('serve: the defaults of the contract, and its flags', async () => {
  assert.deepEqual(await parse('serve'), {
    port: 8787,
    host: '127.0.0.1',
    key: 'sk_sandbox',
    credits: 1000,
    pageSize: 100,
    latency: 0,
    seed: 1,
    namespace: undefined,
    rate: undefined,
    grow: 0,
    plainTokens: false,
    fail: [],
  });
  const given = await parse(
    ...['serve', '--port', '0', '--host', '[::1]', '--key', 'k', '--credits', '5', '--page-size', '10'],
    ...['--latency', '20', '--seed', '7', '--fail', '429:0.1', '--fail', 'reset:.02'],
    ...['--namespace', 'tube', '--rate', '60', '--grow', '2', '--plain-tokens'],
  );
  assert.deepEqual(given, {
    port: 0,
    host: '::1',
    key: 'k',
    credits: 5,
    pageSize: 10,
    latency: 20,
    seed: 7,
    namespace: 'tube',
    rate: 60,
    grow: 2,
    plainTokens: true,
    fail: [
      { kind: 429, rate: 0.1 },
      { kind: 'reset', rate: 0.02 },
    ],
  });
});

test('auth: shared flags before auth, before the action and after it', async () => {
  for (const argv of [
    ['--profile', 'p', 'auth', 'login'],
    ['auth', '--profile', 'p', 'login'],
    ['auth', 'login', '--profile', 'p'],
  ]) {
    const task = await parseArguments(argv);
    assert.ok(typeof task !== 'string');
    assert.deepEqual(task.options, { ...defaults, profile: 'p', verify: true });
  }
  for (const argv of [
    ['auth', 'switch', 'p'],
    ['auth', 'switch', '--profile', 'p'],
    ['auth', 'list', '--json'],
    ['auth', 'status', '--json', '--base-url', 'http://127.0.0.1:1', '--timeout', '1', '--retries', '0'],
    ['auth', 'logout', '--profile', 'p', '-v'],
  ]) {
    assert.equal(typeof (await parseArguments(argv)), 'object', argv.join(' '));
  }
});

test('the format of a file: by its extension, ndjson without one and for streams', async () => {
  const accepted: readonly (readonly string[])[] = [
    ...['a', 'a.ndjson', 'a.jsonl', 'a.json', 'a.CSV', './json', '.hidden', 'lists.d/a', '-'].map((file) => [
      file,
    ]),
    ...['/dev/stdout', '/dev/fd/3', '/proc/self/fd/1.x', '/dev/../dev/a.b'].map((file) => [file]),
    ['a.xlsx', '-f', 'csv'],
  ];
  for (const [file = '', ...more] of accepted) await parse('uploads', '@x', '-o', file, ...more);
});

test('words after --json that are not a list of fields are arguments', async () => {
  assert.deepEqual((await parse('uploads', '--json', '@title,x')).references, ['@title,x']);
  assert.deepEqual((await parse('uploads', '--json', '--', 'a,b')).references, ['a,b']);
  assert.equal((await parse('search', '@x', '--json', 'rock,pop')).query, 'rock,pop');
  assert.equal((await parse('search', '@x', '--ndjson', 'title')).query, 'title');
});

test('allowed combinations: --restart wins over --update, --all is harmless', async () => {
  const both = await parse('uploads', '@x', '-o', 'x.csv', '--update', '--restart', '--all', '--print-new');
  assert.deepEqual([both.update, both.restart, both.all, both.printNew], [true, true, true, true]);
  assert.equal((await parse('playlist', 'PLx', '--all')).all, true);
  assert.equal(
    (await parse('uploads', '@x', '-o', 'x.csv', '--update', '--fields', '@seconds,*')).update,
    true,
  );
  const { limit, seen } = await parse('latest', '--from', 'refs.txt', '-n', '3', '--seen', 'seen.txt');
  assert.deepEqual([limit, seen], [3, 'seen.txt']);
});

test('the command line as it was typed: long names, every bound, the last of the others', async () => {
  const line = ['-v', 'uploads', '@x', '--limit', '3', '-n', '5', '--max-credits', '9', '-v', '--no-color'];
  const { invocation } = await parse(...line, '--max-credits=100/day', '-fcsv');
  assert.deepEqual(invocation, {
    name: 'uploads',
    flags: [
      { name: '--limit', value: '5' },
      { name: '--format', value: 'csv' },
      { name: '--no-color', value: null },
      { name: '--max-credits', value: '9' },
      { name: '--max-credits', value: '100/day' },
      { name: '--verbose', value: null },
      { name: '--verbose', value: null },
    ],
  });
});

test('help and completion', async () => {
  assert.deepEqual(await parse('help'), { topic: null });
  assert.deepEqual(await parse('help', 'auth', 'login'), { topic: 'auth login' });
  assert.deepEqual(await parse('completion', 'fish'), { shell: 'fish' });
});

const wrongValues: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
  [['--limit', '0'], /^--limit is '0': expected a whole number, 1 or more$/],
  [['--limit', '-5'], /^--limit is '-5': expected/],
  [['--limit', '1.5'], /^--limit is '1.5': expected/],
  [['--limit', '1e3'], /^--limit is '1e3': expected/],
  [['--limit', ''], /^--limit is '': expected/],
  [['--limit', '9007199254740993'], /^--limit is/],
  [['--max-credits', '-1'], /^--max-credits is '-1': expected a whole number, N\/day or N\/month; /],
  [['--concurrency', '0'], /^--concurrency is '0': expected a whole number, from 1 to 100$/],
  [['--timeout', '0'], /^--timeout is '0': expected seconds, more than 0/],
  [['--timeout', 'soon'], /^--timeout is 'soon': expected seconds/],
  [['--timeout', 'Infinity'], /^--timeout is 'Infinity': expected seconds/],
  [['--retries', '-1'], /^--retries is '-1': expected a whole number/],
  [['--max-wait', 'x'], /^--max-wait is 'x': expected seconds/],
  [['--format', 'xml'], /^there is no format 'xml'; expected one of table, json, ndjson, csv, id$/],
  [['--format', 'ndjsn'], /^there is no format 'ndjsn'; did you mean ndjson\? expected one of/],
  [['--format', 'JSON'], /did you mean json\?/],
  [['--format', 'csv', '--json'], /^two formats are given: csv and json; give one$/],
  [['--json', '--ndjson'], /^two formats are given: json and ndjson; give one$/],
  [['-q', '-v'], /^--quiet and --verbose exclude each other/],
  [['--profile', ''], /^--profile is empty/],
  [['--output', ''], /^--output is empty/],
  [['--fields', ''], /^--fields is empty/],
  [['--from', ''], /^--from is empty/],
  [['--limit'], /^--limit needs a value; expected -n, --limit <n>$/],
  [['--format'], /^--format needs a value; expected -f, --format <format>$/],
  [['--formt', 'json'], /^uploads has no flag '--formt'; did you mean --format\?$/],
  [['--out-dir=x'], /^uploads has no flag '--out-dir'; see: chanlist help uploads$/],
  [['-x'], /^uploads has no flag '-x'; see: chanlist help uploads$/],
  [
    ['--key', 'sk_secret'],
    /^there is no flag --key: .*--key-file FILE, CHANLIST_API_KEY or chanlist auth login$/,
  ],
  [['--update'], /^--update needs a file; /],
  [['--restart'], /^--restart needs a file; /],
  [['--update', '-o', 'x', '--limit', '3'], /^--update and --limit exclude each other; /],
  [['--continuation', 'abc'], /^--continuation takes no reference; /],
  [['-o', 'x', '--output-dir', 'y'], /^--output and --output-dir exclude each other/],
  [['--output-dir', 'y', '-f', 'table'], /^a table is for people/],
  [['-o', 'y', '-f', 'table'], /^a table is for people/],
  [['-o', 'x.csv', '--update', '--continuation', 'abc'], /^--update and --continuation exclude each other; /],
  [['-o', 'x.csv', '--print-new'], /^--print-new needs --update; /],
  [['-o', 'x.json', '--update', '--print-new'], /^--print-new does not work with json; /],
  [['--output-dir', 'x', '--json', '--update', '--print-new'], /^--print-new does not work with json; /],
  [['-o', 'x.csv', '--update', '--fields', 'title,index'], /^--update needs videoId among the --fields; /],
  [['-o', 'json'], /^--output json names a file; for the format use -f json; /],
  [['--output=table'], /^--output table names a file; for the format use -f table; /],
  [['-o', 'id', '-f', 'csv'], /^--output id names a file; for the format use -f id; /],
  [['-o', 'a.xlsx'], /^-o a.xlsx: no format has the extension .xlsx; add --format /],
  [['-o', 'lists.d/a.txt'], /^-o lists.d\/a.txt: no format has the extension .txt; add --format /],
  [['--summary', '-'], /^--summary needs a file: stdout is for data; /],
  [['--file', 'refs.txt'], /^there is no flag --file; use --from FILE$/],
  [['--batch-file=refs.txt'], /^there is no flag --batch-file; use --from FILE$/],
  [['-a', 'refs.txt'], /^there is no flag -a; use --from FILE$/],
  [['-arefs.txt'], /^there is no flag -arefs.txt; use --from FILE$/],
  [['--force'], /^there is no flag --force; use --restart$/],
  [['--clobber'], /^there is no flag --clobber; use --restart$/],
  [['--continue'], /^there is no flag --continue; run the same command again to resume$/],
  [['--resume'], /^there is no flag --resume; run the same command again to resume$/],
  [['--max', '5'], /^there is no flag --max; use --limit N$/],
  [['--max=5'], /^there is no flag --max; use --limit N$/],
  [['--json', 'videoId,title'], /^--json takes no value; name the fields with --fields videoId,title$/],
  [['--json', '@reference,*'], /^--json takes no value; name the fields with --fields @reference,\*$/],
  [['--json=videoId'], /^--json takes no value; name the fields with --fields LIST$/],
  [['--seen', 'seen.txt'], /^uploads has no flag '--seen'; it is a flag of latest; /],
  [['--max-credits', '3/week'], /^--max-credits is '3\/week': expected a whole number, N\/day or N\/month; /],
];

test('a wrong flag is a usage error of one line that names the fix', async () => {
  for (const [argv, message] of wrongValues) {
    assert.match(await refused(['uploads', '@x', ...argv]), message);
  }
});

test('a format before the command and another one after it exclude each other', async () => {
  assert.match(await refused(['--json', 'uploads', '@x', '-f', 'csv']), /^two formats are given/);
  assert.match(await refused(['-f', 'json', 'uploads', '@x', '-f', 'csv']), /^two formats are given/);
  assert.match(await refused(['-q', 'uploads', '@x', '-v']), /^--quiet and --verbose/);
});

test('the value of an unknown flag, maybe a key, is not shown', async () => {
  for (const argv of [
    ['uploads', '@x', '--api-key=sk_secret'],
    ['uploads', '@x', '--token', 'sk_secret'],
    ['uploads', '@x', '--auth=sk_secret'],
    ['--key=sk_secret', 'uploads', '@x'],
  ]) {
    assert.doesNotMatch(await refused(argv), /secret/);
  }
});

const wrongLines: readonly (readonly [line: string, message: RegExp])[] = [
  ['serach @x', /^there is no command 'serach'; did you mean search\?$/],
  ['foo', /^there is no command 'foo'; see: chanlist help$/],
  ['foo --help', /^there is no command 'foo'; see: chanlist help$/],
  ['login', /^there is no command 'login'; did you mean auth login\?$/],
  ['--json', /^no command is given; see: chanlist help$/],
  [
    '--limit 5 uploads @x',
    /^there is no flag '--limit'; options of a command go after its name; see: chanlist help$/,
  ],
  ['--vesion', /^there is no flag '--vesion'; did you mean --version\?$/],
  ['auth', /^auth needs an action; expected one of login, status, list, switch, logout$/],
  ['auth lgin', /^auth has no action 'lgin'; did you mean login\? expected one of/],
  ['auth foo --help', /^auth has no action 'foo'; expected one of/],
  ['auth switch', /^auth switch needs <profile>; /],
  ['auth switch a --profile b', /^two profiles are given: a and b; give one$/],
  ['auth switch a b', /^auth switch has too many arguments; expected: chanlist auth switch <profile>/],
  ['auth login now', /^auth login takes no arguments; see: chanlist help auth login$/],
  ['auth login --sandbox', /^auth login does not take --sandbox; see: chanlist help auth login$/],
  ['--sandbox auth status', /^auth status does not take --sandbox/],
  ['auth login --dry-run', /^auth login does not take --dry-run/],
  ['auth list --base-url https://x.example', /^auth list does not take --base-url/],
  ['serve --format json', /^serve does not take --format; see: chanlist help serve$/],
  ['--json serve', /^serve does not take --json/],
  ['serve -v', /^serve does not take -v/],
  ['serve now', /^serve takes no arguments; see: chanlist help serve$/],
  ['serve --port 70000', /^--port is '70000': expected a whole number, from 0 to 65535$/],
  ['serve --page-size 0', /^--page-size is '0': expected a whole number, from 1/],
  ['serve --fail 429', /^--fail: '429' is not a fault rule; expected KIND:RATE/],
  ['completion', /^completion needs <shell>; expected: chanlist completion <shell>/],
  [
    'completion bsh',
    /^there is no completion for 'bsh'; did you mean bash\? expected one of bash, zsh, fish$/,
  ],
  ['completion tcsh', /^there is no completion for 'tcsh'; expected one of bash, zsh, fish$/],
  ['completion bash zsh', /^completion has too many arguments; expected: chanlist completion <shell>/],
  [
    'completion bash --limit 3',
    /^completion has no flag '--limit'; it is a flag of latest, uploads, playlist, search; see: /,
  ],
  ['completion bash --json', /^completion does not take --json; /],
  ['help uploads --json', /^help does not take --json; /],
  ['--no-color help', /^help does not take --no-color; /],
  ['search', /^search needs <channel>; expected: chanlist search <channel> <query...>/],
  ['search @x', /^search needs <query>; expected: chanlist search <channel> <query...>/],
  ['search @x word --limit 51', /^--limit is '51': expected a whole number, from 1 to 50$/],
  ['search @x word --limit 0', /^--limit is '0': expected a whole number, from 1 to 50$/],
  ['search @x word --from refs.txt', /^search has no flag '--from'; /],
  ['resolve @x --seen seen.txt', /^resolve has no flag '--seen'; it is a flag of latest; /],
  ['latest @x --limit 0', /^--limit is '0': expected a whole number, 1 or more$/],
  ['playlist PLx --update -o x', /^--update is only for uploads; /],
  ['resolve @x --force', /^resolve has no flag '--force'; /],
  ['search @x word --json title,videoId', /^--json takes no value; .*--fields title,videoId$/],
  ['resolve @x --json channel_id', /^--json takes no value; .*--fields channel_id$/],
  ['latest @x --sandbox --profile p', /^--sandbox and --profile exclude each other; /],
  ['latest @x --sandbox --base-url https://x.example', /^--sandbox and --base-url exclude each other; /],
  ['--namespace other latest @x --sandbox', /^--sandbox and --namespace exclude each other; /],
  ['latest @x --sandbox --key-file key.txt', /^--sandbox and --key-file exclude each other; /],
];

test('a wrong line is a usage error of one line that names the fix', async () => {
  for (const [line, message] of wrongLines) assert.match(await refused(line.split(' ')), message, line);
});

test('--version and --help give a text and no task', async () => {
  for (const argv of [
    [],
    ['--help'],
    ['-h'],
    ['uploads', '-h'],
    ['auth', 'login', '--help'],
    ['--version'],
    ['-V'],
  ]) {
    const text = await parseArguments(argv);
    assert.ok(typeof text === 'string');
    assert.match(text, /^.+\n$/s, argv.join(' '));
  }
});
