import { parseKey } from '../accounts/key.ts';
import { usage } from '../errors.ts';
import { formatNames } from '../output/formats.ts';
import { parseFaultRule, sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseBound } from '../service/budget.ts';
import { defaultNamespace, pagedNames, searchLimit } from '../service/contract.ts';
import { dayMs, hourMs } from '../text/duration.ts';
import { type FlagRow, longFlag, nonEmpty, oneOf, row } from './flag.ts';
import { accountFlags } from './options.ts';

const responseCommands = ['resolve', 'latest'];
const requestCommands = ['resolve', 'search', ...pagedNames, 'latest'];
const keyCommands = [...requestCommands, 'auth login', 'auth status'];
/** `check` needs no account, but repeats these flags in its fixes. */
const accountCommands = [...keyCommands, 'credits', 'check'];
/** Commands that report data of this machine; they do not support the format `id`. */
export const localReports: readonly string[] = ['check', 'credits', 'auth list', 'auth status'];
const entryCommands = [...requestCommands, 'show'];
const printCommands = [...entryCommands, ...localReports];
const messageCommands = [...printCommands, 'auth login', 'auth switch', 'auth logout'];
const boundedCommands = [...requestCommands, 'credits', 'auth login'];

const numberParser =
  (pattern: RegExp, expected: string) =>
  (minimum: number, maximum = Number.POSITIVE_INFINITY) =>
  (text: string, source: string): number => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    const range = Number.isFinite(maximum) ? `from ${minimum} to ${maximum}` : `${minimum} or more`;
    throw usage(`${source} is '${text}': expected ${expected}, ${range}`);
  };

const integer = numberParser(/^\d{1,15}$/, 'a whole number');
const seconds = numberParser(/^(?:\d+(?:\.\d*)?|\.\d+)$/, 'seconds');

const countedSwitch = { default: 0, combine: (count: number) => count + 1 };
/** Collects all values of a flag that may be repeated. */
const repeatable = {
  default: [],
  combine: (before: readonly unknown[], value: unknown) => [...before, value],
};

/** The flags that may also precede the command, by their headings in `help flags`. */
export const globalFlagGroups: Readonly<Record<string, readonly FlagRow[]>> = {
  'Service:': [
    row('--profile <name>', [...accountCommands, 'auth logout'], 'use this account', {
      variable: 'CHANLIST_PROFILE',
    }),
    row('--base-url <url>', accountCommands, 'use this address', { variable: 'CHANLIST_BASE_URL' }),
    row(
      '--namespace <word>',
      [...keyCommands, 'check', 'serve'],
      `set the path segment after /api/v2/ (default: ${defaultNamespace})`,
      { variable: 'CHANLIST_NAMESPACE' },
    ),
    row('--key-file <file>', [...keyCommands, 'check'], 'read the key from <file>', {
      variable: 'CHANLIST_API_KEY_FILE',
    }),
    row('--sandbox', requestCommands, 'use a private local service with demo data', {
      excludes: Object.fromEntries(accountFlags.map((flag) => [flag, 'the sandbox needs no account'])),
    }),
  ],
  'Output:': [
    row('-o, --output <file>', entryCommands, 'write to <file>; - is stdout', { parse: outputFile }),
    row('-f, --format <format>', entryCommands, 'print table, json, ndjson, csv or id', {
      parse: oneOf(formatNames),
    }),
    row('--json', printCommands, 'short for --format json', { format: 'json' }),
    row('--ndjson', printCommands, 'short for --format ndjson', { format: 'ndjson' }),
    row('--fields <a,b.c,d.0>', entryCommands, 'print these fields; see: chanlist help fields', {
      combine: (before: string | null, fields: string) => (before === null ? fields : `${before},${fields}`),
    }),
    row('--summary <file>', requestCommands, 'write a JSON report of the run to <file>', {
      parse: summaryFile,
    }),
    row('--no-color', messageCommands, 'print no colour', { variable: 'NO_COLOR' }),
  ],
  'Credits:': [
    row(
      '--max-credits <n>',
      [...boundedCommands, 'check'],
      'spend at most <n>, <n>/day, <n>/month; may repeat',
      {
        parse: parseBound,
        ...repeatable,
        variable: 'CHANLIST_MAX_CREDITS',
      },
    ),
    row('--dry-run', requestCommands, 'print the first request and its cost; send nothing'),
  ],
  'Network:': [
    row('--timeout <seconds>', keyCommands, 'limit the time of each request', {
      parse: seconds(0.001, dayMs / 1000),
      default: 30,
    }),
    row('--retries <n>', requestCommands, 'retry a request after errors, at most <n> times', {
      parse: integer(0, 1000),
      default: 4,
    }),
    row('--max-wait <seconds>', keyCommands, 'give up after waiting this long', {
      parse: seconds(0, (7 * dayMs) / 1000),
      default: 120,
    }),
  ],
  'Messages:': [
    row('-q, --quiet', messageCommands, 'print errors only'),
    row('-v, --verbose', messageCommands, 'print tally, waits, retries; -vv: every request', countedSwitch),
  ],
};

export const globalFlags: readonly FlagRow[] = Object.values(globalFlagGroups).flat();

const listCommands = [...responseCommands, ...pagedNames];
const { minimum, maximum, default: usualLimit } = searchLimit;
export const creditParts = ['day', 'command', 'reference'] as const;
const { host, key, credits, pageSize, latency, seed, grow } = sandboxDefaults;
const toStdout = 'a listing from a token goes to stdout';

const onServe = (flag: string, help: string, more: Parameters<typeof row>[3] = {}): FlagRow =>
  row(flag, ['serve'], help, more);

const concurrency = { parse: integer(1, 100), default: 4 };

/** Flags of single commands, which follow the command's name. */
export const ownFlags: readonly FlagRow[] = [
  row('--from <file>', listCommands, 'read references from <file>; - is stdin'),
  row('-n, --limit <n>', pagedNames, 'list <n> entries per reference', { parse: integer(1) }),
  row('--all', pagedNames, 'list every page; with --update: buy every page'),
  row('--output-dir <dir>', pagedNames, 'write one archive per reference: <dir>/<ID>.ndjson', {
    parse: outputPath,
    excludes: { '--output': 'choose one', '--restart': 'restart one at a time: -o DIR/ID.ndjson' },
  }),
  row('--update', pagedNames, 'add what is new to an archive', {
    excludes: {
      '--continuation': 'an update starts at the first page',
      '--restart': '--update adds to the archive, --restart replaces it',
    },
  }),
  row('--restart', pagedNames, 'export again, and pay for every page again'),
  row('--continuation <token>', pagedNames, 'start at this page, without a reference', {
    excludes: { '--output': toStdout, '--output-dir': toStdout, '--from': 'the token says where to start' },
  }),
  row('--concurrency <n>', pagedNames, 'export <n> at once with --output-dir', concurrency),
  row('--concurrency <n>', responseCommands, 'process <n> references at once', concurrency),
  row('-n, --limit <n>', ['latest'], 'print <n> entries per channel', { parse: integer(1) }),
  row('-n, --limit <n>', ['show'], 'print <n> entries per file', { parse: integer(1) }),
  row('--seen <file>', ['latest'], 'print only entries not in <file>, then add their IDs', {
    excludes: { '--output': 'it would replace what is printed once: append with >>' },
  }),
  row(
    '-n, --limit <n>',
    ['search'],
    `request at most <n> results, ${minimum} to ${maximum} (default: ${usualLimit})`,
    { parse: integer(minimum, maximum) },
  ),
  row('--from <file>', ['check'], 'expect an archive of each reference in <file>'),
  row('--max-age <age>', ['check'], 'report archives last checked longer ago: 36h, 2d', { parse: duration }),
  row('--month <YYYY-MM>', ['credits'], 'report another month', { parse: month }),
  row('--by <part>', ['credits'], 'report by day, command or reference', { parse: oneOf(creditParts) }),
  row('--no-verify', ['auth login'], 'store the key without verifying it'),
  row('-f, --format <format>', localReports, 'print table, json, ndjson or csv', {
    parse: oneOf(formatNames.filter((name) => name !== 'id')),
  }),
  onServe('--port <port>', 'listen on this port; 0: any', { parse: integer(0, 65_535), default: servePort }),
  onServe('--host <address>', 'listen on this address', { default: host }),
  onServe('--key <key>', 'accept only this key', { parse: parseKey, default: key }),
  onServe('--credits <n>', 'start with <n> credits', { parse: integer(0), default: credits }),
  onServe('--page-size <n>', 'send <n> entries per page', {
    parse: integer(1, 100_000),
    default: pageSize,
  }),
  onServe('--latency <ms>', 'delay every response by <ms>', {
    parse: integer(0, 7 * dayMs),
    default: latency,
  }),
  onServe('--seed <n>', 'seed the choice of requests that fail', { parse: integer(0), default: seed }),
  onServe('--rate <n>', 'allow <n> requests per minute; 429 beyond', { parse: integer(1) }),
  onServe('--grow <n>', 'add <n> uploads per channel and minute', { parse: integer(0), default: grow }),
  onServe('--plain-tokens', 'issue tokens that need no encoding in a URL'),
  onServe('--fail <kind:rate>', 'fail a share of requests; may repeat', {
    parse: parseFaultRule,
    ...repeatable,
  }),
];

export const helpFlag: FlagRow = { flag: '-h, --help', commands: [], help: 'print help' };
export const versionFlag: FlagRow = { flag: '-V, --version', commands: [], help: 'print the version' };

/** Lists the flags that a command or an action accepts, its own first; for the program ('') lists the global flags. */
export const flagsOf = (path: string): readonly FlagRow[] =>
  path === '' ? globalFlags : [...ownFlags, ...globalFlags].filter(({ commands }) => commands.includes(path));

/** Selects the flags that the help of a command explains: its own, and the global ones that matter most for it. */
export const explainedFlagsOf = (path: string): readonly FlagRow[] =>
  flagsOf(path).filter((row) => {
    const name = longFlag(row);
    if (accountFlags.includes(name)) return ['auth login', 'serve'].includes(path);
    // A credit bound has no effect on a command that is free.
    if (name === '--max-credits') return !responseCommands.includes(path);
    return ownFlags.includes(row) || ['--output', '--format', '--fields', '--dry-run'].includes(name);
  });

/** Converts `36h` or `2d` into milliseconds. */
function duration(text: string, source: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?[hd]$/.test(text))
    throw usage(`${source} is '${text}': expected hours or days`, 'give it as 36h or 2d');
  return Number.parseFloat(text) * (text.endsWith('d') ? dayMs : hourMs);
}

function month(text: string, source: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw usage(`${source} is '${text}': expected a month as YYYY-MM`, 'give it as 2026-01');
}

/** Checks an output path. One that begins with `--` is refused: it is probably the next flag, and the path is missing. */
function outputPath(text: string, source: string): string {
  if (!text.startsWith('--')) return nonEmpty(text, source);
  throw usage(`${source} needs a name before ${text}`, `if that is the name, write ./${text}`);
}

/** Checks the file of `-o`; `-` is stdout. */
function outputFile(text: string, source: string): string {
  if (!formatNames.some((name) => name === text)) return outputPath(text, source);
  const step = `for the format use -f ${text}; for a file use -o ./${text}`;
  throw usage(`${source} ${text} would write a file named ${text}`, step);
}

function summaryFile(text: string, source: string): string {
  if (text !== '-') return nonEmpty(text, source);
  throw usage(`${source} needs a file: stdout is for data`, 'give the name of a file');
}
