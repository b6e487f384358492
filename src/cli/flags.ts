import { parseBounds } from '../accounts/bounds.ts';
import { formatNames } from '../output/formats.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import {
  defaultNamespace,
  isPaged,
  operationNames,
  operations,
  pagedOperations,
} from '../service/contract.ts';
import {
  duration,
  formatName,
  month,
  nonEmpty,
  oneOf,
  oneText,
  outputFile,
  type Parser,
  seconds,
  summaryFile,
  wholeNumber,
} from './parsers.ts';

/**
 * The table of flags: one row per flag of the program. Parsing, the types of the options, help, completions, the
 * man page and the environment variables derive from it.
 */
export interface FlagRow {
  /** The name without dashes, if it is not the key of the row. */
  readonly name?: string;
  readonly short?: `-${string}`;
  /** `--no-NAME`: the value is true unless the flag is given. */
  readonly negated?: true;
  /** Name of the value in the help; a flag without one is a switch. */
  readonly value?: string;
  /** Parses the value; for a repeatable flag, one occurrence into a list. */
  readonly parse?: Parser<unknown>;
  /** Occurrences add up: lists are joined, switches are counted. Otherwise the last one wins. */
  readonly repeatable?: true;
  /** The value without the flag; by default null (a switch: false or 0, a repeatable flag: an empty list). */
  readonly default?: unknown;
  /** The default that the help shows, if it is set elsewhere. */
  readonly shownDefault?: string | number;
  /** A switch that is short for `--format` with this value. */
  readonly format?: string;
  /** Environment variables that set the same, and the meaning of each. */
  readonly variables?: readonly (readonly [variable: string, meaning: string])[];
  /** Heading in the help; by default the first. */
  readonly group?: (typeof flagGroups)[number];
  /** One line that begins with a verb. */
  readonly help: string;
  /** Completions that shells offer for the value. */
  readonly offers?: 'file' | 'folder' | 'profile' | 'fields' | readonly string[];
  /** The commands and actions that take it. */
  readonly commands: readonly string[];
}

/** The headings of the help, in its order. */
export const flagGroups = ['Options:', 'Service:', 'Output:', 'Network:', 'Messages:'] as const;

const answers = operationNames.filter((name) => !isPaged(name));
const listings = operationNames.filter(isPaged);
const updatable = pagedOperations.filter((operation) => operation.updatable).map(({ name }) => name);
const service = [...answers, ...listings] as const;
const keyed = [...service, 'auth login', 'auth status'] as const;
const actions = ['auth login', 'auth status', 'auth list', 'auth switch', 'auth logout'] as const;
const records = [...service, 'auth list'] as const;
const reports = ['credits', 'check'] as const;

const [, , searchLimit] = operations.search.parameters;
const day = 24 * 60 * 60;

/** Flags of single commands. */
const ownFlags = {
  from: {
    value: 'file',
    parse: nonEmpty,
    help: 'read references from a file, one per line; - is stdin',
    offers: 'file',
    commands: ['resolve', 'latest', ...listings],
  },
  checkFrom: {
    name: 'from',
    value: 'file',
    parse: nonEmpty,
    help: 'expect exports of exactly these references, one per line; - is stdin',
    offers: 'file',
    commands: ['check'],
  },
  limit: {
    short: '-n',
    value: 'n',
    parse: wholeNumber(1),
    help: 'print at most this many entries per reference',
    commands: ['latest', ...listings],
  },
  searchLimit: {
    name: 'limit',
    short: '-n',
    value: 'n',
    parse: wholeNumber(searchLimit.minimum, searchLimit.maximum),
    help: `request at most this many results, ${searchLimit.minimum} to ${searchLimit.maximum}`,
    shownDefault: searchLimit.default,
    commands: ['search'],
  },
  seen: {
    value: 'file',
    parse: nonEmpty,
    help: 'print only entries whose ID is not in <file>, and add the new IDs to it',
    offers: 'file',
    commands: ['latest'],
  },
  all: { help: 'list every page at a terminal; with uploads --update, buy every page', commands: listings },
  continuation: {
    value: 'token',
    parse: nonEmpty,
    help: 'start at the page with this token instead of a reference',
    commands: listings,
  },
  outputDir: {
    value: 'dir',
    parse: nonEmpty,
    help: 'write one file per reference to this folder, <ID>.<format>',
    offers: 'folder',
    commands: listings,
  },
  concurrency: {
    value: 'n',
    parse: wholeNumber(1, 100),
    default: 4,
    help: 'process at most this many references at once; paid lists on stdout run one after another',
    commands: ['resolve', 'latest', ...listings],
  },
  update: { help: 'bring a complete file up to date; free if there is nothing new', commands: updatable },
  printNew: { help: 'also print to stdout the entries that --update adds', commands: updatable },
  restart: { help: 'export again from the first page, and pay for every page again', commands: listings },
  maxAge: {
    value: 'duration',
    parse: duration,
    help: 'report exports whose last successful look is older, e.g. 36h or 2d',
    commands: ['check'],
  },
  month: {
    value: 'YYYY-MM',
    parse: month,
    help: 'show this month instead of the current one',
    commands: ['credits'],
  },
  by: {
    value: 'part',
    parse: oneOf(['day', 'command', 'reference']),
    help: 'break the month down by day, command or reference',
    offers: ['day', 'command', 'reference'],
    commands: ['credits'],
  },
  verify: { negated: true, help: 'store the key without checking it', commands: ['auth login'] },
  port: {
    value: 'port',
    parse: wholeNumber(0, 65_535),
    default: servePort,
    help: 'listen on this port; 0 is any free one',
    commands: ['serve'],
  },
  host: {
    value: 'address',
    parse: nonEmpty,
    default: sandboxDefaults.host,
    help: 'listen on this address',
    commands: ['serve'],
  },
  key: {
    value: 'key',
    parse: nonEmpty,
    default: sandboxDefaults.key,
    help: 'accept this key and no other',
    commands: ['serve'],
  },
  credits: {
    value: 'n',
    parse: wholeNumber(0),
    default: sandboxDefaults.credits,
    help: 'start with this many credits on the account',
    commands: ['serve'],
  },
  pageSize: {
    value: 'n',
    parse: wholeNumber(1, 10_000),
    default: sandboxDefaults.pageSize,
    help: 'send this many entries per page',
    commands: ['serve'],
  },
  latency: {
    value: 'ms',
    parse: wholeNumber(0, 3_600_000),
    default: sandboxDefaults.latency,
    help: 'delay every response by this many milliseconds',
    commands: ['serve'],
  },
  seed: {
    value: 'n',
    parse: wholeNumber(0, 0xffff_ffff),
    default: sandboxDefaults.seed,
    help: 'set the seed of the faults',
    commands: ['serve'],
  },
  rate: {
    value: 'n',
    parse: wholeNumber(1),
    help: 'allow this many requests per minute: X-RateLimit-* headers on every response, 429 with Retry-After beyond',
    commands: ['serve'],
  },
  grow: {
    value: 'n',
    parse: wholeNumber(0, 1_000_000),
    default: sandboxDefaults.grow,
    help: 'add about this many new uploads per channel and minute',
    commands: ['serve'],
  },
  plainTokens: { help: 'issue tokens that need no encoding in a URL', commands: ['serve'] },
  fail: {
    value: 'kind:rate',
    parse: oneText,
    repeatable: true,
    help: 'make a share of the requests fail, e.g. 429:0.1; repeatable',
    commands: ['serve'],
  },
  reportFormat: {
    name: 'format',
    short: '-f',
    value: 'format',
    parse: oneOf(['table', 'json', 'ndjson']),
    group: 'Output:',
    help: 'print table | json | ndjson; default: table at a terminal, else ndjson',
    offers: ['table', 'json', 'ndjson'],
    commands: ['check', 'auth status'],
  },
} as const satisfies Record<string, FlagRow>;

/** Flags with one meaning for every command that takes them, before and after its name. */
const sharedFlags = {
  profile: {
    value: 'name',
    parse: nonEmpty,
    default: undefined,
    variables: [['CHANLIST_PROFILE', 'stored account to use']],
    group: 'Service:',
    help: 'select the stored account to use',
    offers: 'profile',
    commands: [...keyed, 'auth switch', 'auth logout'],
  },
  baseUrl: {
    value: 'url',
    parse: nonEmpty,
    default: undefined,
    variables: [['CHANLIST_BASE_URL', 'address of the service']],
    group: 'Service:',
    help: 'set the address of the service',
    commands: keyed,
  },
  namespace: {
    value: 'word',
    parse: nonEmpty,
    default: undefined,
    variables: [['CHANLIST_NAMESPACE', `path segment after /api/v2/ (default: ${defaultNamespace})`]],
    group: 'Service:',
    help: 'set the path segment after /api/v2/',
    shownDefault: defaultNamespace,
    commands: [...keyed, 'serve'],
  },
  keyFile: {
    value: 'file',
    parse: nonEmpty,
    default: undefined,
    variables: [
      ['CHANLIST_API_KEY', 'the key; takes precedence over CHANLIST_API_KEY_FILE and a stored key'],
      ['CHANLIST_API_KEY_FILE', 'file that holds the key'],
    ],
    group: 'Service:',
    help: 'read the key from a file',
    offers: 'file',
    commands: keyed,
  },
  sandbox: {
    group: 'Service:',
    help: 'use a private local service with demo data for this call: no account, no network',
    commands: service,
  },
  format: {
    short: '-f',
    value: 'format',
    parse: formatName,
    group: 'Output:',
    help: `print ${formatNames.join(' | ')}; default: table at a terminal, else ndjson`,
    offers: formatNames,
    commands: records,
  },
  json: {
    format: 'json',
    group: 'Output:',
    help: 'print json',
    commands: [...records, 'auth status', ...reports],
  },
  ndjson: {
    format: 'ndjson',
    group: 'Output:',
    help: 'print ndjson',
    commands: [...records, 'auth status', 'check'],
  },
  fields: {
    value: 'a,b.c,d.0',
    parse: nonEmpty,
    group: 'Output:',
    help: 'print these fields, in this order; dots reach inside, * is all fields',
    offers: 'fields',
    commands: service,
  },
  output: {
    short: '-o',
    value: 'file',
    parse: outputFile,
    group: 'Output:',
    help: 'write to <file> instead of stdout; - is stdout',
    offers: 'file',
    commands: service,
  },
  summary: {
    value: 'file',
    parse: summaryFile,
    group: 'Output:',
    help: 'write a JSON report of the run to <file>',
    offers: 'file',
    commands: service,
  },
  color: {
    negated: true,
    default: true,
    variables: [['NO_COLOR', 'not empty: print no colour']],
    group: 'Output:',
    help: 'print no colour',
    commands: [...service, ...actions, ...reports],
  },
  maxCredits: {
    value: 'n',
    parse: parseBounds,
    repeatable: true,
    variables: [['CHANLIST_MAX_CREDITS', 'bounds on the credits to spend, separated by commas']],
    group: 'Network:',
    help: 'spend at most <n> credits in this call; <n>/day, <n>/month: over all calls of the calendar day or month',
    commands: [...service, 'auth login'],
  },
  timeout: {
    value: 'seconds',
    parse: seconds('more than zero', day),
    default: 30,
    group: 'Network:',
    help: 'set the time limit per request, body included',
    commands: keyed,
  },
  retries: {
    value: 'n',
    parse: wholeNumber(0, 1000),
    default: 4,
    group: 'Network:',
    help: 'retry each request at most this often after errors',
    commands: keyed,
  },
  maxWait: {
    value: 'seconds',
    parse: seconds('zero', 7 * day),
    default: 120,
    group: 'Network:',
    help: 'give up after this much waiting without a successful response',
    commands: keyed,
  },
  dryRun: {
    group: 'Network:',
    help: 'print the first request of each reference and its cost; send nothing',
    commands: service,
  },
  quiet: {
    short: '-q',
    group: 'Messages:',
    help: 'print errors only',
    commands: [...service, ...actions, ...reports],
  },
  verbose: {
    short: '-v',
    repeatable: true,
    group: 'Messages:',
    help: 'print the final tally, waits and retries even off the terminal; -vv: every request too',
    commands: [...service, ...actions, ...reports],
  },
} as const satisfies Record<string, FlagRow>;

export const flags = { ...ownFlags, ...sharedFlags };

export type FlagName = keyof typeof flags;
export type SharedFlag = keyof typeof sharedFlags;

/** The value of a flag that is given. */
type GivenValue<Row> = Row extends { parse: (...text: never[]) => infer Value }
  ? Value
  : Row extends { repeatable: true }
    ? number
    : boolean;

/** The value of a flag that is not given. */
type DefaultValue<Row> = Row extends { default: infer Value }
  ? Value
  : Row extends { parse: unknown; repeatable: true }
    ? readonly never[]
    : Row extends { parse: unknown }
      ? null
      : never;

/** The parsed value of a flag, given or not. */
export type FlagValue<Name extends FlagName> =
  | GivenValue<(typeof flags)[Name]>
  | DefaultValue<(typeof flags)[Name]>;

export const sharedFlagNames = Object.keys(sharedFlags) as readonly SharedFlag[];
const flagNames = Object.keys(flags) as readonly FlagName[];

/** The row of a flag, with its general type. */
export function flagRow(name: FlagName): FlagRow {
  return flags[name];
}

/** The flags that a command or action (`auth login`) takes, in the order of the help. */
export function flagsOf(path: string): readonly FlagName[] {
  return flagNames.filter((name) => flagRow(name).commands.includes(path));
}

/** `--output-dir`, `--no-color` */
export function longName(name: FlagName): string {
  const row = flagRow(name);
  const words = (row.name ?? name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${row.negated ? 'no-' : ''}${words}`;
}

/** The help line of a flag, with its variables and its default. */
export function flagHelp(name: FlagName): string {
  const row = flagRow(name);
  const { help, variables = [] } = row;
  const shownDefault = row.shownDefault ?? (row.parse === undefined ? undefined : row.default);
  const notes = variables.map(([variable]) => variable);
  if (shownDefault !== undefined) notes.push(`default: ${shownDefault}`);
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

/** Pairs of flags that exclude each other, with a hint if the message alone does not name the next step. */
export const conflicts: readonly (readonly [FlagName, FlagName, hint?: string])[] = [
  ...(['profile', 'baseUrl', 'namespace', 'keyFile'] as const).map(
    (name) => ['sandbox', name, 'the sandbox needs no account: leave one out'] as const,
  ),
  ['quiet', 'verbose', 'give one'],
  ['output', 'outputDir', 'give one'],
  ['outputDir', 'continuation', 'name the file with -o'],
  ['from', 'continuation', 'the token says where to start: leave --from out'],
  ['update', 'limit', 'an update keeps the whole file: leave --limit out'],
  ['update', 'continuation', 'an update starts at the first page: leave --continuation out'],
];
