import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommonOptions } from '../../src/cli/options.ts';
import { parseArguments } from '../../src/cli/program.ts';
import { commands } from '../../src/commands/command-table.ts';
import { Failure } from '../../src/errors.ts';

type Parsed = Omit<CommonOptions, 'invocation'> & Readonly<Record<string, unknown>>;

/** The options that the arguments ask for. */
async function parse(...argv: string[]): Promise<Parsed> {
  const { request } = await parseArguments(argv, commands);
  if (request instanceof Error) throw request;
  assert.ok(typeof request === 'object' && 'run' in request);
  return request.options as unknown as Parsed;
}

/** The usage error of the arguments: one line. */
async function refused(argv: readonly string[]): Promise<string> {
  const { request } = await parseArguments(argv, commands);
  assert.ok(request instanceof Failure, `accepted: ${argv.join(' ')}`);
  assert.equal(request.exit, 2);
  assert.doesNotMatch(request.line(), /\n/);
  return request.line();
}

const defaults: Omit<CommonOptions, 'invocation'> = {
  ...{ sandbox: false, format: null, fields: null, output: null, summary: null },
  ...{ timeout: 30, retries: 4, maxWait: 120, maxCredits: [], dryRun: false },
  ...{ quiet: false, verbose: 0, color: true },
};

/** The common options alone. */
const commonOf = (parsed: Parsed): object =>
  Object.fromEntries(
    [...Object.keys(defaults), 'profile', 'baseUrl', 'namespace', 'keyFile']
      .filter((name) => parsed[name] !== undefined)
      .map((name) => [name, parsed[name]]),
  );

/** All other options but the command line. */
const ownOf = (parsed: Parsed): object =>
  Object.fromEntries(
    Object.entries(parsed).filter(
      ([name, value]) => value !== undefined && !Object.hasOwn(defaults, name) && name !== 'invocation',
    ),
  );

const calls: readonly (readonly [command: string, ...words: string[]])[] = [
  ['resolve', '@x'],
  ['search', '@x', 'word'],
  ['uploads', '@x'],
  ['latest', '@x'],
  ['playlist', 'PLx'],
];

const commonFlags: readonly (readonly [argv: readonly string[], options: Partial<CommonOptions>])[] = [
  [[], {}],
  [['--profile', 'work'], { profile: 'work' }],
  [['--base-url', 'https://api.example.com'], { baseUrl: 'https://api.example.com' }],
  [['--namespace', 'other'], { namespace: 'other' }],
  [['--key-file', 'key.txt'], { keyFile: 'key.txt' }],
  [['--sandbox'], { sandbox: true }],
  [['--max-credits', '3'], { maxCredits: [{ credits: 3, per: 'run' }] }],
  [
    ['--max-credits', '5', '--max-credits', '100/day', '--max-credits=3000/month'],
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
  [['-qfcsv'], { quiet: true, format: 'csv' }],
  [['-f=csv'], { format: 'csv' }],
  [['--format=id'], { format: 'id' }],
  [['--json'], { format: 'json' }],
  [['--ndjson'], { format: 'ndjson' }],
  [['--json', '--format', 'json'], { format: 'json' }],
  [['--fields', 'videoId,thumbnails.0.url'], { fields: 'videoId,thumbnails.0.url' }],
  [['--fields', 'title', '--fields', 'videoId,index'], { fields: 'title,videoId,index' }],
  [['-o', 'out.csv'], { output: 'out.csv' }],
  [['-o=out.csv'], { output: 'out.csv' }],
  [['-o', '-'], { output: null }],
  [['--summary', 'summary.json'], { summary: 'summary.json' }],
  [['--no-color'], { color: false }],
  [['--timeout', '2.5'], { timeout: 2.5 }],
  [['--retries', '0'], { retries: 0 }],
  [['--max-wait', '0'], { maxWait: 0 }],
  [['--dry-run'], { dryRun: true }],
  [['-q'], { quiet: true }],
  [['-v'], { verbose: 1 }],
  [['-vv'], { verbose: 2 }],
];

test('each common flag means the same before a command, after it and after its arguments', async () => {
  for (const [flags, options] of commonFlags) {
    const expected = { ...defaults, ...options };
    for (const [command, ...words] of calls) {
      const at = `${command} ${flags.join(' ')}`;
      assert.deepEqual(commonOf(await parse(...flags, command, ...words)), expected, `before ${at}`);
      assert.deepEqual(commonOf(await parse(command, ...flags, ...words)), expected, `after ${at}`);
      assert.deepEqual(commonOf(await parse(command, ...words, ...flags)), expected, `last ${at}`);
    }
  }
});

test('flags before and after a command are merged: switches add up, else the last value counts', async () => {
  const parsed = await parse(
    ...['-v', '--timeout', '5', 'uploads', '@x', '-v', '--timeout', '6', '--sandbox'],
  );
  assert.deepEqual(commonOf(parsed), { ...defaults, verbose: 2, timeout: 6, sandbox: true });
});

test('uploads and playlist: their own flags', async () => {
  const absent = {
    ...{ from: null, limit: null, continuation: null, outputDir: null, concurrency: 4 },
    ...{ restart: false, all: false },
  };
  const updates = { update: false, printNew: false };
  const own = ['--from', '-', '-n', '7', '--output-dir', 'lists', '--concurrency', '9', '--restart'];
  const given = { from: '-', limit: 7, outputDir: 'lists', concurrency: 9, restart: true };
  for (const [command, more] of [
    ['uploads', updates],
    ['playlist', {}],
  ] as const) {
    const plain = ownOf(await parse(command, 'one', 'two'));
    assert.deepEqual(plain, { ...absent, ...more, references: ['one', 'two'] });
    assert.deepEqual(ownOf(await parse(command, ...own)), { ...absent, ...more, ...given, references: [] });
    for (const limit of [['--limit', '8'], ['--limit=8'], ['-n', '8'], ['-n8'], ['-n=8']])
      assert.equal((await parse(command, ...limit, 'one')).limit, 8);
  }
});

test('a continuation token that looks like flags is a token', async () => {
  for (const token of ['abc', '-abc', '-qfjson', '--json']) {
    for (const argv of [['--continuation', token], [`--continuation=${token}`]]) {
      const { continuation, quiet, format } = await parse('uploads', ...argv);
      assert.deepEqual([continuation, quiet, format], [token, false, null]);
    }
  }
});

test('resolve and latest: their own flags', async () => {
  for (const [command, more] of [
    ['resolve', {}],
    ['latest', { limit: null, seen: null }],
  ] as const) {
    const absent = { from: null, concurrency: 4, ...more };
    assert.deepEqual(ownOf(await parse(command, '@x')), { ...absent, references: ['@x'] });
    const list = await parse(command, '--from', 'refs.txt', '--concurrency', '1');
    assert.deepEqual(ownOf(list), { ...absent, references: [], from: 'refs.txt', concurrency: 1 });
  }
  const { limit, seen } = await parse('latest', '--from', 'refs.txt', '-n', '3', '--seen', 'seen.txt');
  assert.deepEqual([limit, seen], [3, 'seen.txt']);
});

test('search: the words of the query', async () => {
  const plain = { channel: '@x', words: ['two', 'words'], limit: null };
  assert.deepEqual(ownOf(await parse('search', '@x', 'two', 'words')), plain);
  const given = await parse('search', '@x', 'a', '-n', '50', '--max-credits', '3', 'b');
  assert.deepEqual(ownOf(given), { channel: '@x', words: ['a', 'b'], limit: 50 });
  assert.deepEqual((await parse('search', '@x', '--', '-n', '--json')).words, ['-n', '--json']);
});

test('check, show, credits: their own flags', async () => {
  const check = await parse('check', 'lists', 'a.csv', '--max-age', '1.5d', '--from', '-', '-q');
  assert.deepEqual(ownOf(check), { paths: ['lists', 'a.csv'], from: '-', maxAge: 36 * 3_600_000 });
  assert.equal(check.quiet, true);
  const show = await parse('show', 'a.ndjson', '-', '-n', '3', '--fields', 'title', '-o', 'a.csv');
  assert.deepEqual(ownOf(show), { files: ['a.ndjson', '-'], limit: 3 });
  assert.deepEqual([show.fields, show.output], ['title', 'a.csv']);
  const credits = await parse('credits', '--month', '2026-01', '--by', 'day', '-f', 'csv');
  assert.deepEqual(ownOf(credits), { month: '2026-01', by: 'day' });
});

test('serve: the defaults of the contract, and its flags', async () => {
  const absent = {
    ...{ port: 8787, host: '127.0.0.1', key: 'sk_sandbox', credits: 1000, pageSize: 100, latency: 0 },
    ...{ seed: 1, rate: null, grow: 0, plainTokens: false, fail: [] },
  };
  assert.deepEqual(ownOf(await parse('serve')), absent);
  const given = await parse(
    ...['serve', '--port', '0', '--host', '::1', '--key', 'k', '--credits', '5', '--page-size', '10'],
    ...['--latency', '20', '--seed', '7', '--fail', '429:0.1', '--fail', 'reset:.02'],
    ...['--namespace', 'tube', '--rate', '60', '--grow', '2', '--plain-tokens'],
  );
  assert.deepEqual(ownOf(given), {
    ...{ port: 0, host: '::1', key: 'k', credits: 5, pageSize: 10, latency: 20, namespace: 'tube' },
    ...{ seed: 7, rate: 60, grow: 2, plainTokens: true },
    fail: [
      { kind: 429, rate: 0.1 },
      { kind: 'reset', rate: 0.02 },
    ],
  });
});

test('auth: common flags before auth, before the action and after it', async () => {
  for (const argv of [
    ['--profile', 'p', 'auth', 'login'],
    ['auth', '--profile', 'p', 'login'],
    ['auth', 'login', '--profile', 'p'],
  ]) {
    const parsed = await parse(...argv);
    assert.deepEqual(commonOf(parsed), { ...defaults, profile: 'p' });
    assert.equal(parsed.noVerify, false);
  }
  assert.equal((await parse('auth', 'login', '--no-verify')).noVerify, true);
});

test('the format of a file: by its extension, ndjson without one and for streams', async () => {
  const accepted: readonly (readonly string[])[] = [
    ...['a', 'a.ndjson', 'a.jsonl', 'a.json', 'a.CSV', './json', '.hidden', 'lists.d/a', '-'].map((file) => [
      file,
    ]),
    ...['/dev/stdout', '/dev/fd/3', '/proc/self/fd/1.x', '/dev/../dev/a.b'].map((file) => [file]),
    ['a.xlsx', '-f', 'csv'],
    ['a.jsonl', '--ndjson'],
    ['a.txt', '-f', 'id'],
    ['a', '--json'],
    ['-', '-f', 'table'],
  ];
  for (const [file = '', ...more] of accepted) await parse('uploads', '@x', '-o', file, ...more);
});

test('words after --json that are not a list of fields are arguments', async () => {
  assert.deepEqual((await parse('show', '--json', 'a,b.ndjson')).files, ['a,b.ndjson']);
  assert.deepEqual((await parse('uploads', '--json', '@x')).references, ['@x']);
  assert.deepEqual((await parse('search', '@x', '--ndjson', 'title')).words, ['title']);
  assert.deepEqual((await parse('search', '@x', '--json', '1,000')).words, ['1,000']);
});

test('allowed combinations', async () => {
  const all = await parse('uploads', '@x', '-o', 'x.ndjson', '--update', '--all', '--print-new');
  assert.deepEqual([all.update, all.all, all.printNew], [true, true, true]);
  assert.equal((await parse('playlist', 'PLx', '--all')).all, true);
  const fields = await parse('uploads', '@x', '-o', 'x', '--update', '--fields', '@seconds,*');
  assert.equal(fields.update, true);
  assert.equal((await parse('uploads', '--continuation', 'abc', '-o', '-')).output, null);
  const both = await parse('uploads', '@x', '-q', '-v');
  assert.deepEqual([both.quiet, both.verbose], [true, 1]);
});

test('printed commands have the typed flags: long names, every bound, the last value of other flags', async () => {
  const line = ['-v', 'uploads', '@x', '--limit', '3', '-n', '5', '--max-credits', '9', '-v', '--no-color'];
  const { invocation } = await parse(...line, '--max-credits=100/day', '-fcsv');
  assert.deepEqual(invocation, {
    name: 'uploads',
    flags: [
      { name: '--verbose', value: null },
      { name: '--limit', value: '5' },
      { name: '--max-credits', value: '9' },
      { name: '--verbose', value: null },
      { name: '--no-color', value: null },
      { name: '--max-credits', value: '100/day' },
      { name: '--format', value: 'csv' },
    ],
  });
});

test('the flags of a command line are known, whatever else is wrong', async () => {
  const formats = async (line: string): Promise<unknown[]> =>
    (await parseArguments(line.split(' '), commands)).flags
      .filter(({ name }) => name === '--format')
      .map(({ value }) => value);
  for (const line of ['--json foo', 'uploads --nope -f json', 'x -fjson', 'x --format=json', 'x -qf json'])
    assert.deepEqual(await formats(line), ['json'], line);
  for (const line of ['serve --json', 'auth --json lgin', 'search --json', '--nope uploads @x --json'])
    assert.deepEqual(await formats(line), ['json'], line);
  assert.deepEqual(await formats('uploads -f ndjson'), ['ndjson']);
  for (const line of ['uploads json', 'uploads -- --json', 'uploads -o json', 'uploads @x --limit --json'])
    assert.deepEqual(await formats(line), [], line);
});

test('--help anywhere is help on the command, whatever else is wrong; --version anywhere is the version', async () => {
  for (const [line, help] of [
    ['', []],
    ['help', []],
    ['--help', []],
    ['-h --json', []],
    ['--help uploads', ['uploads']],
    ['uploads --help', ['uploads']],
    ['uploads @x --nope --limit 0 -qh', ['uploads']],
    ['search -h', ['search']],
    ['--help search', ['search']],
    ['help auth login', ['auth', 'login']],
    ['--help auth login', ['auth', 'login']],
    ['auth --help login', ['auth', 'login']],
    ['auth login --help', ['auth', 'login']],
    ['--help exit-codes', ['exit-codes']],
    ['serach --help', ['serach']],
    ['--help auth lgin', ['auth', 'lgin']],
  ] as const) {
    const { request } = await parseArguments(line === '' ? [] : line.split(' '), commands);
    assert.deepEqual(request, { help }, line);
  }
  for (const line of ['--version', '-V', 'uploads --version', '--version foo'])
    assert.equal((await parseArguments(line.split(' '), commands)).request, 'version', line);
});

const wrongValues: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
  [['--limit', '0'], /^--limit is '0': expected a whole number, 1 or more$/],
  [['--max-credits', '-1'], /^--max-credits is '-1': expected a whole number, N\/day or N\/month; /],
  [['--concurrency', '0'], /^--concurrency is '0': expected a whole number, from 1 to 100$/],
  [['--timeout', '0'], /^--timeout is '0': expected seconds, from 0.001 to 86400$/],
  [['--timeout', 'soon'], /^--timeout is 'soon': expected seconds/],
  [['--format', 'xml'], /^--format is 'xml'; expected one of table, json, ndjson, csv, id$/],
  [['--format', 'ndjsn'], /^--format is 'ndjsn'; did you mean ndjson\? expected one of/],
  [['--format', 'csv', '--json'], /^conflicting formats: csv and json; choose one$/],
  [['-n=0'], /^--limit is '0': expected a whole number, 1 or more$/],
  [['--limit'], /^missing value: -n, --limit <n>$/],
  [['--format'], /^missing value: -f, --format <format>$/],
  [['--formt', 'json'], /^uploads has no flag --formt; did you mean --format\?$/],
  [['--out-dir=x'], /^uploads has no flag --out-dir; see: chanlist help uploads$/],
  [['-x'], /^uploads has no flag -x; see: chanlist help uploads$/],
  [
    ['--key', 'sk_secret'],
    /^uploads has no flag --key; .*use --key-file FILE, CHANLIST_API_KEY or chanlist auth login$/,
  ],
  [['--update', '-o', 'x', '--limit', '3'], /^--update and --limit exclude each other; /],
  [['-o', 'x', '--output-dir', 'y'], /^--output-dir and --output exclude each other; choose one$/],
  [['-o', 'y', '-f', 'table'], /^cannot write a table to a file; choose json, ndjson, csv or id$/],
  [['-o', 'x', '--update', '--restart'], /^--update and --restart exclude each other; /],
  [['--update', '--continuation', 'abc'], /^--update and --continuation exclude each other; /],
  [['-o', 'x.csv', '--continuation', 'abc'], /^--continuation and --output exclude each other; /],
  [['--output-dir', 'x', '--continuation', 'abc'], /^--continuation and --output-dir exclude /],
  [['--from', 'x', '--continuation', 'abc'], /^--continuation and --from exclude each other; /],
  [['-o', 'x', '--print-new'], /^--print-new needs --update; /],
  [['--update', '-f', 'csv'], /; update FILE\.ndjson, then: chanlist show FILE\.ndjson -f csv$/],
  [['--max-credits', '1,000'], /^--max-credits is '1,000': expected a whole number, N\/day or N\/month; /],
  [
    ['-o', 'x.csv', '--update'],
    /^--update works with ndjson, not with csv; .*, then: chanlist show x.ndjson -f csv -o \S+$/,
  ],
  [['-o', 'x', '-f', 'id', '--update'], /^--update works with ndjson, not with id; .* -f id -o \S+$/],
  [['-o', 'x', '--update', '--fields', 'title,index'], /^--update needs videoId among the --fields; /],
  [
    ['--output-dir', 'x', '-f', 'table'],
    /^--output-dir writes ndjson, not table; .*, then: chanlist show x\/\*.ndjson -f table$/,
  ],
  [['--output-dir', 'x', '--json', '--update'], /^--output-dir writes ndjson, not json; .* -f json$/],
  [['--json', '-o', 'x.ndjson'], /^-o x.ndjson is a file for ndjson, not for json; change the extension /],
  [['-f', 'csv', '-o', 'x.JSON'], /^-o x.JSON is a file for json, not for csv; /],
  [['-f', 'id', '-o', 'x.csv'], /^-o x.csv is a file for csv, not for id; /],
  [['-f', 'id', '--fields', 'videoId'], /^-f id prints the ID alone and takes no --fields; use -f csv$/],
  [['-o', 'json'], /^--output json names a file; for the format use -f json; /],
  [['-o', 'id', '-f', 'csv'], /^--output id names a file; for the format use -f id; /],
  [['-o', 'a.xlsx'], /^-o a.xlsx: no format has the extension .xlsx; add --format /],
  [['--summary', '-'], /^--summary needs a file: stdout is for data; /],
  [['--json', 'videoId,title'], /^--json takes no value; name the fields with --fields videoId,title$/],
  [['--json=videoId'], /^--json takes no value; name the fields with --fields LIST$/],
  [['--ndjson', 'a,b'], /^--ndjson takes no value; name the fields with --fields a,b$/],
  [['--seen', 'seen.txt'], /^uploads has no flag --seen; it is a flag of latest$/],
  [['--max-credits', '3/week'], /^--max-credits is '3\/week': expected a whole number, N\/day or N\/month; /],
];

test('a wrong flag is a usage error of one line that names the fix', async () => {
  for (const [argv, message] of wrongValues) {
    assert.match(await refused(['uploads', '@x', ...argv]), message);
  }
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
  ['--json uploads @x -f csv', /^conflicting formats: json and csv; /],
  ['serach @x', /^there is no command 'serach'; did you mean search\?$/],
  ['foo', /^there is no command 'foo'; see: chanlist help$/],
  ['--json', /^missing command; see: chanlist help$/],
  [
    '--limit 5 uploads @x',
    /^there is no flag --limit; it is a flag of uploads, playlist, latest, show, search$/,
  ],
  ['--vesion', /^there is no flag --vesion; did you mean --version\?$/],
  ['auth', /^auth needs an action; expected one of login, status, list, switch, logout$/],
  ['auth lgin', /^auth has no action 'lgin'; did you mean login\?$/],
  ['auth switch', /^missing profile; see: chanlist help auth switch$/],
  ['auth logout --profile b', /^auth logout does not take --profile; see/],
  ['auth switch a b', /^too many arguments; see: chanlist help auth switch$/],
  ['latest --from', /^missing value: --from <file>$/],
  ['@demo', /^there is no command '@demo'; use uploads or playlist$/],
  ['https://x.example/@demo', /^there is no command '.*'; use uploads or playlist$/],
  ['uploads @x --sort views', /^uploads has no flag --sort; see: chanlist help uploads$/],
  ['uploads @x --limt 5', /^uploads has no flag --limt; did you mean --limit\?$/],
  ['auth login --sandbox', /^auth login does not take --sandbox; see: chanlist help auth login$/],
  ['serve --format json', /^serve does not take --format; see: chanlist help serve$/],
  ['serve --fail 429', /^--fail: '429' is not a fault rule; expected KIND:RATE/],
  ['completion', /^missing shell; see: chanlist help completion$/],
  [
    'completion bash --limit 3',
    /^completion has no flag --limit; it is a flag of uploads, playlist, latest, show, search$/,
  ],
  ['search', /^missing channel; see: chanlist help search$/],
  ['search @x word --limit 51', /^--limit is '51': expected a whole number, from 1 to 50$/],
  ['search @x word --from refs.txt', /^search has no flag --from; /],
  ['resolve @x --seen seen.txt', /^resolve has no flag --seen; it is a flag of latest$/],
  ['latest @x --limit 0', /^--limit is '0': expected a whole number, 1 or more$/],
  ['playlist PLx --update -o x', /^playlist has no flag --update; use --restart$/],
  ['show a.ndjson --update', /^show has no flag --update; it is a flag of uploads$/],
  ['latest @x --update', /^latest has no flag --update; /],
  ['search @x word --json title,videoId', /^--json takes no value; .*--fields title,videoId$/],
  ...['check lists', 'credits', 'auth list', 'auth status'].flatMap((path) => {
    const [name] = path.split(' lists');
    return [
      [`${path} -f id`, new RegExp(`^${name} does not print id; choose table, json, ndjson or csv$`)],
      [`${path} --fields a`, new RegExp(`^${name} does not take --fields; `)],
      [`${path} -o x`, new RegExp(`^${name} does not take --output; `)],
    ] as const;
  }),
  ['show a.ndjson -f id --fields videoId', /^-f id prints the ID alone and takes no --fields; use -f csv$/],
  ['latest @x --json -o x.csv', /^-o x.csv is a file for csv, not for json; /],
  ['credits --by year', /^--by is 'year'; expected one of day, command, reference$/],
  ['latest @x --sandbox --profile p', /^--sandbox and --profile exclude each other; /],
  ['latest @x --sandbox --base-url https://x.example', /^--sandbox and --base-url exclude each other; /],
  ['--namespace other latest @x --sandbox', /^--sandbox and --namespace exclude each other; /],
  ['latest @x --sandbox --key-file key.txt', /^--sandbox and --key-file exclude each other; /],
];

test('a wrong line is a usage error of one line that names the fix', async () => {
  for (const [line, message] of wrongLines) assert.match(await refused(line.split(' ')), message, line);
});

/** What is named in the place of words that other programs use. */
const habits: Readonly<Record<string, string>> = {
  'use --from <file>': 'uploads --file refs.txt | uploads --batch-file=refs.txt | latest -a refs.txt',
  'use --restart': 'uploads @x --force | uploads @x --clobber | playlist PLx --overwrite',
  'run the same command again to resume': 'uploads @x --continue | uploads @x --resume | resume',
  'use -n, --limit <n>': 'uploads @x --max 5 | uploads @x --max-items=5 | search @x bread --first 5',
  'use -o, --output <file>': 'uploads @x --out a.csv',
  'use --output-dir <dir>': 'uploads @x --outdir=a',
  '--output-dir is a flag of uploads, playlist': 'latest @x --outdir=a',
  'the key is read from stdin: chanlist auth login < FILE':
    'uploads @x --with-token | auth login --with-token',
  'use --concurrency <n>': 'uploads @x -j 4 | uploads @x -j4 | uploads @x --jobs 4 | uploads @x --parallel 4',
  'use -vv': 'uploads @x --debug',
  'use --all': 'uploads @x --paginate',
  'use --seen <file>': 'latest @x --download-archive a',
  '--seen is a flag of latest': 'uploads @x --download-archive a',
  'use --dry-run': 'uploads @x --estimate | uploads @x --cost',
  'use uploads or playlist': 'export @x | download @x | videos @x | list @x --json',
  'use show': 'convert a.ndjson | cat a.ndjson | view a.ndjson',
  'use serve, or the flag --sandbox': 'sandbox',
  'use auth status': 'whoami',
  'use credits': 'balance | quota | usage',
  'use uploads --update': 'sync @x -o x',
  'use latest': 'feed @x',
  'use check': 'verify lists',
};

test('habits from other tools get a pointer', async () => {
  for (const [pointer, lines] of Object.entries(habits))
    for (const line of lines.split(' | ')) {
      const message = await refused(line.split(' '));
      assert.equal(message.slice(message.indexOf('; ') + 2), pointer, line);
    }
});
