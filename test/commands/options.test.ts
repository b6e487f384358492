import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommonOptions, carriedFlagsOf, withEnvironment } from '../../src/cli/options.ts';
import { parseArguments } from '../../src/cli/program.ts';
import { commands } from '../../src/commands/command-table.ts';
import type { Env } from '../../src/context.ts';
import { Failure } from '../../src/errors.ts';
import type { Flag } from '../../src/text/command.ts';

const argumentsOf = (line: string): string[] => line.split(' ').filter(Boolean);

const parseLine = (line: string) => parseArguments(argumentsOf(line), { actions: commands });

/** The options of a line, without those of flags that are short for others, counted or no options. */
async function parse(line: string): Promise<object> {
  const { request } = await parseLine(line);
  if (request.kind === 'refused') throw request.failure;
  assert.ok(request.kind === 'run');
  if (request.options.usageError !== null) throw request.options.usageError;
  const all: object = request.options;
  const { invocation, usageError, help, version, json, ndjson, verbose, ...options } = all as Record<
    string,
    unknown
  >;
  return options;
}

/** The usage error of the arguments: one line. */
async function refused(line: string): Promise<string> {
  const { request } = await parseLine(line);
  const refusal =
    request.kind === 'run' ? request.options.usageError : request.kind === 'refused' && request.failure;
  assert.ok(refusal instanceof Failure && refusal.exit === 2, `accepted: ${line}`);
  assert.doesNotMatch(refusal.line(), /\n/);
  return refusal.line();
}

/** The options without any flags: a command has those of all. */
const defaults = {
  ...{ format: null, fields: null, output: null, summary: null, quiet: false, color: true, sandbox: false },
  ...{ timeout: 30, retries: 4, maxWait: 120, maxCredits: [], dryRun: false },
  ...{ from: null, concurrency: 4, limit: null, continuation: null, outputDir: null, seen: null },
  ...{ restart: false, all: false, update: false, maxAge: null, month: null, by: null, verify: true },
  ...{ port: 8787, host: '127.0.0.1', key: 'sk_sandbox', credits: 1000, pageSize: 100, latency: 0 },
  ...{ seed: 1, rate: null, grow: 0, plainTokens: false, fail: [] },
};
const bound = { credits: 5, per: 'run', source: '--max-credits' } as const;

const commonFlags: readonly (readonly [
  flags: string,
  options: Partial<CommonOptions> & { color?: boolean },
])[] = [
  ['', {}],
  ['--profile work', { profile: 'work' }],
  ['--base-url https://api.example.com', { baseUrl: 'https://api.example.com' }],
  ['--namespace other', { namespace: 'other' }],
  ['--key-file key.txt', { keyFile: 'key.txt' }],
  ['--sandbox', { sandbox: true }],
  ['--max-credits 5', { maxCredits: [bound] }],
  ['--max-credits=100/day', { maxCredits: [{ ...bound, credits: 100, per: 'day' }] }],
  ['-f csv', { format: 'csv' }],
  ['-qfcsv', { quiet: true, format: 'csv' }],
  ['-f=csv', { format: 'csv' }],
  ['--format=id', { format: 'id' }],
  ['--json --format json', { format: 'json' }],
  ['--ndjson', { format: 'ndjson' }],
  ['--fields title --fields videoId,d.0.url', { fields: 'title,videoId,d.0.url' }],
  ['-o out.csv', { output: 'out.csv', format: 'csv' }],
  ['-o out', { output: 'out', format: 'ndjson' }],
  ['-o out -f id', { output: 'out', format: 'id' }],
  ['-o -', { output: null }],
  ['--summary summary.json', { summary: 'summary.json' }],
  ['--no-color', { color: false }],
  ['--timeout 2.5', { timeout: 2.5 }],
  ['--retries 0 --max-wait 0', { retries: 0, maxWait: 0 }],
  ['--dry-run', { dryRun: true }],
  ['-q', { quiet: true }],
  ['-vv', {}],
];

test('each common flag means the same before a command, after it and after its arguments', async () => {
  for (const [flags, options] of commonFlags)
    for (const [command, words, operands] of [
      ['uploads', '@x', { references: ['@x'] }],
      ['search', '@x a', { channel: '@x', words: ['a'] }],
    ] as const)
      for (const line of [
        `${flags} ${command} ${words}`,
        `${command} ${flags} ${words}`,
        `${command} ${words} ${flags}`,
      ])
        assert.deepEqual(await parse(line), { ...defaults, ...operands, ...options }, line);
  const merged = await parse('-v --timeout 5 playlist PLx -v --timeout 6 --sandbox');
  assert.deepEqual(merged, { ...defaults, references: ['PLx'], timeout: 6, sandbox: true });
  const { flags } = await parseLine('-v resolve -vv @x');
  assert.equal(flags.filter(({ name }) => name === '--verbose').length, 3);
});

const needsArchives = (flag: string, views: string): string =>
  `${flag} needs archives (whole lists as ndjson) and takes no ${views}; show makes views of them: chanlist help show`;

const references = ['one', 'two'];

/** Command lines, and the options that are given. */
const ownOptions: readonly (readonly [line: string, options: object])[] = [
  ['uploads one two', { references }],
  ['-q -- uploads one two', { references, quiet: true }],
  ['playlist one two', { references }],
  ['resolve one two', { references }],
  [
    'latest --from refs.txt -n 3 --seen s.txt --concurrency 1',
    { from: 'refs.txt', references: [], limit: 3, seen: 's.txt', concurrency: 1 },
  ],
  [
    'playlist --from - -n 7 --concurrency 9 --restart --all',
    { references: [], from: '-', limit: 7, concurrency: 9, restart: true, all: true },
  ],
  [
    'uploads one two --output-dir lists --update --all',
    { references, outputDir: 'lists', update: true, all: true },
  ],
  ...['--limit 8', '--limit=8', '-n 8', '-n8', '-n=8'].map(
    (limit) => [`uploads one ${limit} two`, { references, limit: 8 }] as const,
  ),
  ...['abc', '-abc', '-qfjson', '--json'].flatMap((token) =>
    ['--continuation ', '--continuation='].map(
      (flag) => [`uploads ${flag}${token}`, { references: [], continuation: token }] as const,
    ),
  ),
  // `-o -` is stdout: it excludes nothing.
  ['uploads --continuation abc -o -', { references: [], continuation: 'abc' }],
  ['uploads one two --output-dir lists -o -', { references, outputDir: 'lists' }],
  ['latest one two --seen s.txt -o -', { references, seen: 's.txt' }],
  ['search @x two words', { channel: '@x', words: ['two', 'words'] }],
  [
    'search @x a -n 50 --max-credits 5 b',
    { channel: '@x', words: ['a', 'b'], limit: 50, maxCredits: [bound] },
  ],
  ['search @x -- -n --json', { channel: '@x', words: ['-n', '--json'] }],
  [
    'check lists a.csv --max-age 1.5d --from - -q',
    { paths: ['lists', 'a.csv'], from: '-', maxAge: 129_600_000, quiet: true },
  ],
  ['show a.ndjson - -n 3 -o a.csv', { files: ['a.ndjson', '-'], limit: 3, output: 'a.csv', format: 'csv' }],
  ['credits --month 2026-01 --by day -f csv', { month: '2026-01', by: 'day', format: 'csv' }],
  ['auth login --no-verify', { verify: false }],
  [
    'serve --port 0 --host ::1 --key k --credits 5 --page-size 10 --latency 20',
    { port: 0, host: '::1', key: 'k', credits: 5, pageSize: 10, latency: 20 },
  ],
  ['serve --seed 7 --rate 60 --grow 2 --plain-tokens', { seed: 7, rate: 60, grow: 2, plainTokens: true }],
  ['serve --fail 429:0.1', { fail: [{ kind: 429, rate: 0.1 }] }],
];

test('each command has its own options', async () => {
  for (const [line, options] of ownOptions)
    assert.deepEqual(await parse(line), { ...defaults, ...options }, line);
  for (const line of ['--profile p auth login', 'auth --profile p login', 'auth login --profile p'])
    assert.deepEqual(await parse(line), { ...defaults, profile: 'p' });
});

test('--help anywhere is help on the command, whatever else is wrong; --version anywhere is the version', async () => {
  for (const [help, lines] of [
    ['', ['', 'help', 'help --json', '--help', '-h --json']],
    ['uploads', ['--help uploads', 'uploads --help', 'uploads @x --nope --limit 0 -qh']],
    ['search', ['search -h', '--help search']],
    ['auth', ['auth help', 'help auth', 'auth --help']],
    [
      'auth login',
      ['auth help login', 'help auth login', '--help auth login', 'auth --help login', 'auth login --help'],
    ],
    ['exit-codes', ['--help exit-codes', 'help exit-codes']],
    ['serach', ['serach --help']],
    ['auth lgin', ['--help auth lgin']],
  ] as const)
    for (const line of lines) {
      const { request } = await parseLine(line);
      assert.deepEqual(request, { kind: 'help', words: argumentsOf(help) }, line);
    }
  for (const line of ['--version', '-V', 'uploads --version', '--version foo'])
    assert.deepEqual((await parseLine(line)).request, { kind: 'version' }, line);
});

/** What follows `uploads @x`, and how the message begins. */
const wrongFlags: readonly (readonly [flags: string, message: string])[] = [
  ['--limit 0', "--limit is '0': expected a whole number, 1 or more"],
  ['--max-credits 1,000', "--max-credits is '1,000': expected a whole number, N/day or N/month; "],
  ['--concurrency 0', "--concurrency is '0': expected a whole number, from 1 to 100"],
  ['--timeout 0', "--timeout is '0': expected seconds, from 0.001 to 86400"],
  ['--format xml', "--format is 'xml'; expected one of table, json, ndjson, csv, id"],
  ['--format ndjsn', "--format is 'ndjsn'; did you mean ndjson? expected one of table, "],
  ['--format csv --json', 'conflicting formats: csv and json; choose one'],
  ['--limit', 'missing value: -n, --limit <n>'],
  ['--summary -', '--summary needs a file: stdout is for data; '],
  ['--from a --from b', '--from is given twice; put all references into one list'],
  ['--json=videoId', '--json takes no value'],
  ['--form json', 'uploads has no flag --form; did you mean --format?'],
  ['--outpu x', 'uploads has no flag --outpu; did you mean --output?'],
  ['--formt json', 'uploads has no flag --formt; did you mean --format?'],
  ['-x', 'uploads has no flag -x; see: chanlist help uploads'],
  ['-output', 'uploads has no flag -output; use --output'],
  ['-format=csv', 'uploads has no flag -format; use --format'],
  ['--page-size', 'uploads has no flag --page-size; it is a flag of serve'],
  ['-j4', 'uploads has no flag -j; see: chanlist help uploads'],
  ['--seen seen.txt', 'uploads has no flag --seen; it is a flag of latest'],
  [
    '-o json',
    '--output json would write a file named json; for the format use -f json; for a file use -o ./json',
  ],
  ['-o --update', '--output needs a name before --update; if that is the name, write ./--update'],
  ['--output-dir --json', '--output-dir needs a name before --json; if that is the name, write ./--json'],
  ['-o a.xlsx', '-o a.xlsx: no format has the extension .xlsx; add --format json, ndjson, csv or id, '],
  ['-o y -f table', 'cannot write a table to a file; choose json, ndjson, csv or id'],
  ['--json -o x.ndjson', '-o x.ndjson is a file for ndjson, not for json; change the extension or '],
  ['-f csv -o x.JSON --dry-run', '-o x.JSON is a file for json, not for csv; change the extension or '],
  ['-f id --fields videoId', '-f id prints the ID alone and takes no --fields; use -f csv'],
  ['-o x.csv --update', needsArchives('--update', 'csv')],
  ['--output-dir x -f table', needsArchives('--output-dir', 'table')],
  ['--output-dir x --update --limit 3', needsArchives('--output-dir', '--limit')],
  ['--update -o x.json --limit 3 --fields title', needsArchives('--update', 'json, no --fields, no --limit')],
];

const wrongLines: readonly (readonly [line: string, message: string])[] = [
  ...wrongFlags.map(([flags, message]) => [`uploads @x ${flags}`, message] as const),
  ['--json uploads @x -f csv', 'conflicting formats: json and csv; choose one'],
  ['serach @x', "there is no command 'serach'; did you mean search?"],
  ['constructor', "there is no command 'constructor'; see: chanlist help"],
  ['--json', 'missing command; see: chanlist help'],
  ['--limit 5 uploads @x', '--limit must come after its command; it is a flag of uploads, playlist, '],
  ['--vesion', 'there is no flag --vesion; did you mean --version?'],
  ['auth', 'auth needs an action; expected one of login, status, list, switch, logout'],
  ['auth switch', 'missing profile; see: chanlist help auth switch'],
  ['auth switch a b', 'too many arguments; see: chanlist help auth switch'],
  ['--fields a auth list', 'auth list has no flag --fields; it is a flag of resolve, search, '],
  ['search @x word --limit 51', "--limit is '51': expected a whole number, from 1 to 50"],
  ['check lists -f id', "--format is 'id'; expected one of table, json, ndjson, csv"],
  ['-f id credits', "--format is 'id'; expected one of table, json, ndjson, csv"],
  ['check lists --max-age 36', "--max-age is '36': expected hours or days; give it as 36h or 2d"],
  ['credits --by year', "--by is 'year'; expected one of day, command, reference"],
  ['credits --month 2026-13', "--month is '2026-13': expected a month as YYYY-MM; give it as 2026-01"],
];

test('a wrong line is a usage error of one line that names the fix', async () => {
  for (const [line, message] of wrongLines) {
    const refusal = await refused(line);
    assert.equal(refusal.slice(0, message.length), message, line);
  }
});

test('the value of an unknown flag, maybe a key, is not shown', async () => {
  for (const line of ['uploads @x --api-key=sk_secret', 'uploads --token sk_secret', '--key=sk_secret list'])
    assert.doesNotMatch(await refused(line), /secret/);
});

test('flags that exclude each other', async () => {
  for (const line of [
    ...['-o x --output-dir y', '-o x --update --restart', '--output-dir x --restart'],
    ...['--update --continuation abc', '-o x.csv --continuation abc', '--output-dir x --continuation abc'],
    ...['--from x --continuation abc', '--sandbox --profile p', '--sandbox --base-url https://x.example'],
    ...['--sandbox --namespace other', '--sandbox --key-file key.txt'],
  ])
    assert.match(await refused(`uploads ${line}`), / exclude each other; /, line);
});

const jq = `use jq: jq -c 'select(.title | test("bread"))' FILE | chanlist show -`;

test('habits from other tools get a pointer', async () => {
  for (const [pointer, lines] of Object.entries({
    'use --restart': ['uploads @x --force', 'playlist PLx --overwrite'],
    'use --from': ['uploads --file refs.txt', 'latest --file=refs.txt'],
    'use --format csv': ['uploads @x --csv', 'latest @x --csv'],
    'use --output': ['uploads @x --out x'],
    'use --limit': ['uploads @x -L 5', 'latest @x --max=5'],
    'use --no-color': ['uploads @x --color always', 'credits --colour'],
    'set PAGER to an empty value': ['uploads @x --no-pager'],
    'use auth login': ['login'],
    'use auth logout': ['logout'],
    'use auth switch': ['switch work'],
    'use auth status': ['status', 'whoami'],
    'use auth list': ['profiles'],
    'use --version': ['version'],
    'did you mean: chanlist uploads @demo': ['@demo', '@demo --json'],
    'did you mean: chanlist playlist PLdemo': ['PLdemo'],
    'use --json': ['uploads @x -json'],
    'did you mean: chanlist uploads https://www.example.com/@demo': ['https://www.example.com/@demo'],
    "use jq: jq -s -c 'sort_by(.title)[]' FILE | chanlist show -": ['uploads @x --sort views'],
    [jq]: [...['show a --filter=x', 'latest @x --where x', 'uploads @x --grep a'], 'uploads @x --jq .a'],
    'a key among the arguments is visible to other users: use --key-file or chanlist auth login': [
      ...['uploads @x --key sk_secret', 'auth login --api-key=sk_secret', 'credits --token sk_secret'],
    ],
    'use --month': ['credits --since 2026-01-01'],
    'use jq: jq -c \'select(.published >= "2026-01-31")\' FILE | chanlist show -': ['latest @x --since 2026'],
    'only the entries of latest have dates': ['uploads @x --since 2020'],
    'use --update': ['uploads @x --append'],
    'run the same command again to resume': ['uploads @x --resume', 'playlist PLx --continue'],
    'use uploads': ['export @x', 'download @x', 'list @x'],
    'use show': ['cat a.ndjson', 'convert a.ndjson'],
    'it is a flag of uploads, playlist': ['latest @x --update', 'show a.ndjson --update'],
    'see: chanlist help latest': ['latest @x --force'],
  }))
    for (const line of lines) {
      const message = await refused(line);
      assert.equal(message.slice(message.indexOf('; ') + 2), pointer, line);
    }
});

test('a printed command has the account and the bounds of this run, also those of the environment', () => {
  const flag = (name: string, value: string) => ({ name, value });
  const nightly = flag('--profile', 'nightly');
  const bound = flag('--max-credits', '5');
  const carried = (flags: readonly Flag[], env: Env, sandbox = false) =>
    carriedFlagsOf(withEnvironment({ invocation: { name: 'uploads', flags }, sandbox }, env));
  const profile = { CHANLIST_PROFILE: 'nightly' };
  const service = { CHANLIST_BASE_URL: 'https://api.example.com', CHANLIST_NAMESPACE: 'media' };
  assert.deepEqual(carried([bound, flag('--limit', '3')], profile), [bound, nightly]);
  assert.deepEqual(carried([flag('--profile', 'work')], profile), [flag('--profile', 'work')]);
  assert.deepEqual(carried([], service), [
    flag('--base-url', 'https://api.example.com'),
    flag('--namespace', 'media'),
  ]);
  assert.deepEqual(carried([], { ...profile, ...service }, true), []);
  assert.deepEqual(carried([], { CHANLIST_PROFILE: '', CHANLIST_MAX_CREDITS: '' }), []);
  const bounds = [flag('--max-credits', '9/day'), flag('--max-credits', '30/month')];
  const variable = { CHANLIST_MAX_CREDITS: '9/day,30/month' };
  assert.deepEqual(carried([bound], variable), [bound, ...bounds]);
  // A printed command has them already.
  assert.deepEqual(carried(bounds, variable), bounds);
});
