import { parseBounds } from '../accounts/bounds.ts';
import { parseKey } from '../accounts/key.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseFaultRule } from '../sandbox/faults.ts';
import { defaultNamespace, operations, pagedNames } from '../service/contract.ts';
import {
  duration,
  formatName,
  month,
  nonEmpty,
  oneOf,
  outputFile,
  type Parser,
  seconds,
  summaryFile,
  wholeNumber,
} from './parsers.ts';

/** A row of the table of flags: parsing, help, completions and the man page derive from it. */
export interface FlagRow extends FlagSettings {
  /** The commands and actions (`auth login`) that take it. */
  readonly commands: readonly string[];
  /** Names and value as the help shows them: `-n, --limit <n>`; a flag without a value is a switch. */
  readonly term: string;
  /** One line that begins with a verb. */
  readonly help: string;
  readonly parse: Parser<unknown> | undefined;
  /** The value without the flag; by default null, a switch: false, a flag with a variable: undefined. */
  readonly default: unknown;
}

interface FlagSettings {
  /** Occurrences add up: lists and texts are joined, switches counted. Otherwise the last one wins. */
  readonly repeats?: true;
  /** A switch that is short for `--format` with this value. */
  readonly format?: string;
  /** The environment variable that sets the same. */
  readonly variable?: string;
  /** The default that the help shows, if it is set elsewhere. */
  readonly shownDefault?: string | number;
}

/** Makes rows of flags that these commands take. */
const takenBy =
  (...commands: readonly string[]) =>
  (
    term: string,
    help: string,
    parse?: Parser<unknown>,
    value?: unknown,
    settings: FlagSettings = {},
  ): FlagRow => ({ commands, term, help, parse, default: value, ...settings });

const listings: readonly string[] = pagedNames;
const lists = ['resolve', 'latest', ...listings];
const operated = ['resolve', 'search', ...listings, 'latest'];
/** Commands that print records of this machine: without the format id. */
export const localReports: readonly string[] = ['check', 'credits', 'auth list', 'auth status'];
const printers = [...operated, 'show', ...localReports];

const paged = takenBy(...listings);
const listed = takenBy(...lists);
const uploads = takenBy('uploads');
const check = takenBy('check');
const credits = takenBy('credits');
const serve = takenBy('serve');
const service = takenBy(...operated);
const keyed = takenBy(...operated, 'auth login', 'auth status');
const printing = takenBy(...printers);
const picking = takenBy(...operated, 'show');
const talking = takenBy(...printers, 'auth login', 'auth switch', 'auth logout');

const [, , { minimum, maximum, default: usual }] = operations.search.parameters;
/** The parts of `credits --by`. */
export const parts = ['day', 'command', 'reference'] as const;
const { host, key, credits: balance, pageSize, latency, seed, grow } = sandboxDefaults;
const day = 24 * 60 * 60;

/** Flags of single commands, which follow the command's name. */
export const ownFlags: readonly FlagRow[] = [
  listed('--from <file>', 'read references from <file>, one per line; - is stdin', nonEmpty),
  check('--from <file>', 'check that each reference in <file> has an export; - is stdin', nonEmpty),
  paged('-n, --limit <n>', 'list <n> entries per reference, or all if there are fewer', wholeNumber(1)),
  takenBy('latest', 'show')(
    '-n, --limit <n>',
    'print at most <n> entries per channel or file',
    wholeNumber(1),
  ),
  takenBy('search')(
    '-n, --limit <n>',
    `request at most <n> results, ${minimum} to ${maximum}`,
    wholeNumber(minimum, maximum),
    null,
    { shownDefault: usual },
  ),
  takenBy('latest')(
    '--seen <file>',
    'print only entries whose ID is not in <file>, then add their IDs to it',
    nonEmpty,
  ),
  uploads('--all', 'list every page, at a terminal too; with --update: fetch every page again'),
  takenBy(...listings.filter((name) => name !== 'uploads'))('--all', 'list every page, at a terminal too'),
  paged('--output-dir <dir>', 'write one file per reference to <dir>: <ID>.<format>', nonEmpty),
  uploads('--update', 'add new uploads to a complete file; free if there are none'),
  uploads('--print-new', 'also print the entries that --update adds'),
  paged('--restart', 'export again from the first page, and pay for every page again'),
  paged('--continuation <token>', 'resume from a continuation token, without a reference', nonEmpty),
  listed(
    '--concurrency <n>',
    'process <n> references at once (free commands, --output-dir)',
    wholeNumber(1, 100),
    4,
  ),
  check('--max-age <age>', 'report exports whose last successful check is older, e.g. 36h or 2d', duration),
  credits('--month <YYYY-MM>', 'show this month instead of the current one', month),
  credits('--by <part>', 'show the credits of each day, command or reference', oneOf(parts)),
  takenBy('auth login')('--no-verify', 'store the key without verifying it'),
  serve('--port <port>', 'listen on this port; 0: any free port', wholeNumber(0, 65_535), servePort),
  serve('--host <address>', 'listen on this address', nonEmpty, host),
  serve('--key <key>', 'accept this key and no other', parseKey, key),
  serve('--credits <n>', 'start with <n> credits', wholeNumber(0), balance),
  serve('--page-size <n>', 'send <n> entries per page', wholeNumber(1, 10_000), pageSize),
  serve('--latency <ms>', 'delay every response by <ms> milliseconds', wholeNumber(0, 3_600_000), latency),
  serve('--seed <n>', 'seed the random choice of the requests that fail', wholeNumber(0, 0xffff_ffff), seed),
  serve(
    '--rate <n>',
    'allow <n> requests per minute; respond with 429 and Retry-After beyond',
    wholeNumber(1),
  ),
  serve('--grow <n>', 'add about <n> new uploads per channel and minute', wholeNumber(0, 1_000_000), grow),
  serve('--plain-tokens', 'issue tokens that need no encoding in a URL'),
  serve(
    '--fail <kind:rate>',
    'make a share of the requests fail, e.g. 429:0.1; may repeat',
    parseFaultRule,
    [],
    {
      repeats: true,
    },
  ),
];

/** Flags that stand on the program, before or after the command's name; by heading of the help. */
const commonGroups: Readonly<Record<string, readonly FlagRow[]>> = {
  'Service:': [
    keyed('--profile <name>', 'use this stored account', nonEmpty, undefined, {
      variable: 'CHANLIST_PROFILE',
    }),
    keyed('--base-url <url>', 'set the address of the service', nonEmpty, undefined, {
      variable: 'CHANLIST_BASE_URL',
    }),
    takenBy(...operated, 'auth login', 'auth status', 'serve')(
      '--namespace <word>',
      'set the path segment after /api/v2/',
      nonEmpty,
      undefined,
      { variable: 'CHANLIST_NAMESPACE', shownDefault: defaultNamespace },
    ),
    keyed('--key-file <file>', 'read the key from <file>', nonEmpty, undefined, {
      variable: 'CHANLIST_API_KEY, CHANLIST_API_KEY_FILE',
    }),
    service('--sandbox', 'use a private local service with demo data: no account, no network'),
  ],
  'Output:': [
    printing(
      '-f, --format <format>',
      'print table, json, ndjson or csv (lists: id too); see: chanlist help formats',
      formatName,
    ),
    printing('--json', 'short for --format json', undefined, undefined, { format: 'json' }),
    printing('--ndjson', 'short for --format ndjson', undefined, undefined, { format: 'ndjson' }),
    picking(
      '--fields <a,b.c,d.0>',
      'print these fields, in this order; * is all fields; may repeat',
      nonEmpty,
      null,
      { repeats: true },
    ),
    picking('-o, --output <file>', 'write to <file>; - is stdout', outputFile),
    service('--summary <file>', 'write a JSON report of the run to <file>', summaryFile),
    talking('--no-color', 'print no colour', undefined, undefined, { variable: 'NO_COLOR' }),
  ],
  'Network:': [
    takenBy(...operated, 'auth login')(
      '--max-credits <n>',
      'spend at most <n> credits in this run; <n>/day, <n>/month: in all runs; may repeat',
      parseBounds,
      [],
      { repeats: true, variable: 'CHANLIST_MAX_CREDITS' },
    ),
    service('--dry-run', 'print the first request of each reference and its cost; send nothing'),
    keyed('--timeout <seconds>', 'limit the time of each request, body included', seconds(0.001, day), 30),
    keyed('--retries <n>', 'retry each request at most <n> times after errors', wholeNumber(0, 1000), 4),
    keyed(
      '--max-wait <seconds>',
      'give up after this much waiting without success',
      seconds(0, 7 * day),
      120,
    ),
  ],
  'Messages:': [
    talking('-q, --quiet', 'print errors only'),
    talking(
      '-v, --verbose',
      'print tally, waits and retries even if stderr is not a terminal; -vv: every request',
      undefined,
      0,
      { repeats: true },
    ),
  ],
};

/** The common flags, each with its heading. */
export const commonFlags: readonly (FlagRow & { readonly group: string })[] = Object.entries(
  commonGroups,
).flatMap(([group, flags]) => flags.map((flag) => ({ ...flag, group })));

/** `--output-dir`, `--no-color` */
export const longFlag = ({ term }: FlagRow): string => /--[\w-]+/.exec(term)?.[0] ?? term;

/** `-n`; null if there is none. */
export const shortFlag = ({ term }: FlagRow): string | null => /^-\w\b/.exec(term)?.[0] ?? null;

/** `file`; null for a switch. */
export const valueName = ({ term }: FlagRow): string | null => /<([^<>]*)>/.exec(term)?.[1] ?? null;

/** The flags that a command or an action (`auth login`) takes, its own first; '' for the program: the common ones. */
export function flagsOf(path: string): readonly FlagRow[] {
  if (path === '') return commonFlags;
  return [...ownFlags, ...commonFlags].filter(({ commands }) => commands.includes(path));
}

/** The help line of a flag, with its variable and its default. */
export function flagHelp(flag: FlagRow): string {
  const { help, variable, default: value, shownDefault = value } = flag;
  const hasDefault =
    valueName(flag) !== null && (typeof shownDefault === 'number' || typeof shownDefault === 'string');
  const notes = [variable, hasDefault ? `default: ${shownDefault}` : undefined].filter(Boolean);
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}
