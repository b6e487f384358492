import { parseKey } from '../accounts/key.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseFaultRule } from '../sandbox/faults.ts';
import { operations, pagedNames } from '../service/contract.ts';
import { duration, type FlagRow, month, oneOf, wholeNumber } from './flag.ts';
import { globalFlags } from './global-flags.ts';

const lists = ['resolve', 'latest', ...pagedNames];
const updatable = ['uploads'];
const otherListings = pagedNames.filter((name) => !updatable.includes(name));
const [, , { minimum, maximum, default: usualLimit }] = operations.search.parameters;
export const parts = ['day', 'command', 'reference'] as const;
const { host, key, credits, pageSize, latency, seed, grow } = sandboxDefaults;
const toStdout = 'a listing from a token goes to stdout';

const serveFlags: readonly Omit<FlagRow, 'commands'>[] = [
  {
    flag: '--port <port>',
    help: 'listen on this port; 0: any free port',
    parse: wholeNumber(0, 65_535),
    default: servePort,
  },
  { flag: '--host <address>', help: 'listen on this address', default: host },
  { flag: '--key <key>', help: 'accept only this key', parse: parseKey, default: key },
  { flag: '--credits <n>', help: 'start with <n> credits', parse: wholeNumber(0), default: credits },
  {
    flag: '--page-size <n>',
    help: 'send <n> entries per page',
    parse: wholeNumber(1, 10_000),
    default: pageSize,
  },
  {
    flag: '--latency <ms>',
    help: 'delay every response by <ms> milliseconds',
    parse: wholeNumber(0, 3_600_000),
    default: latency,
  },
  {
    flag: '--seed <n>',
    help: 'seed the random choice of the requests that fail',
    parse: wholeNumber(0, 0xffff_ffff),
    default: seed,
  },
  {
    flag: '--rate <n>',
    help: 'allow <n> requests per minute; respond with 429 and Retry-After beyond',
    parse: wholeNumber(1),
  },
  {
    flag: '--grow <n>',
    help: 'add about <n> new uploads per channel and minute',
    parse: wholeNumber(0, 1_000_000),
    default: grow,
  },
  { flag: '--plain-tokens', help: 'issue tokens that need no encoding in a URL' },
  {
    flag: '--fail <kind:rate>',
    help: 'make a share of the requests fail, e.g. 429:0.1; may repeat',
    parse: parseFaultRule,
    combine: (rules) => rules,
  },
];

/** Flags of single commands, which follow the command's name. */
export const ownFlags: readonly FlagRow[] = [
  { flag: '--from <file>', commands: lists, help: 'read references from <file>, one per line; - is stdin' },
  {
    flag: '-n, --limit <n>',
    commands: pagedNames,
    help: 'list <n> entries per reference',
    parse: wholeNumber(1),
  },
  { flag: '--all', commands: updatable, help: 'list every page; with --update: fetch every page again' },
  { flag: '--all', commands: otherListings, help: 'list every page, at a terminal too' },
  {
    flag: '--output-dir <dir>',
    commands: pagedNames,
    help: 'write one file per reference to <dir>: <ID>.ndjson',
    excludes: { '--output': 'choose one' },
  },
  {
    flag: '--update',
    commands: updatable,
    help: 'add new uploads to a complete ndjson file; free if there are none',
    excludes: {
      '--limit': 'an update keeps every entry of the file',
      '--continuation': 'an update starts at the first page',
      '--restart': '--update adds to the file, --restart replaces it',
    },
  },
  { flag: '--print-new', commands: updatable, help: 'also print the entries that --update adds' },
  { flag: '--restart', commands: pagedNames, help: 'export again, and pay for every page again' },
  {
    flag: '--continuation <token>',
    commands: pagedNames,
    help: 'resume from a continuation token, without a reference',
    excludes: { '--output': toStdout, '--output-dir': toStdout, '--from': 'the token says where to start' },
  },
  {
    flag: '--concurrency <n>',
    commands: lists,
    help: 'process <n> references at once (free commands, --output-dir)',
    parse: wholeNumber(1, 100),
    default: 4,
  },
  {
    flag: '-n, --limit <n>',
    commands: ['latest', 'show'],
    help: 'print at most <n> entries per channel or file',
    parse: wholeNumber(1),
  },
  {
    flag: '--seen <file>',
    commands: ['latest'],
    help: 'print only entries not in <file>, then add their IDs',
  },
  {
    flag: '-n, --limit <n>',
    commands: ['search'],
    help: `request at most <n> results, ${minimum} to ${maximum}`,
    parse: wholeNumber(minimum, maximum),
    shownDefault: usualLimit,
  },
  {
    flag: '--from <file>',
    commands: ['check'],
    help: 'expect an export of each reference in <file>; - is stdin',
  },
  {
    flag: '--max-age <age>',
    commands: ['check'],
    help: 'report exports whose last successful check is older, e.g. 36h or 2d',
    parse: duration,
  },
  { flag: '--month <YYYY-MM>', commands: ['credits'], help: 'show another month', parse: month },
  {
    flag: '--by <part>',
    commands: ['credits'],
    help: 'show parts: day, command, reference',
    parse: oneOf(parts),
  },
  { flag: '--no-verify', commands: ['auth login'], help: 'store the key without verifying it' },
  ...serveFlags.map((row) => ({ ...row, commands: ['serve'] })),
];

export const helpFlag: FlagRow = { flag: '-h, --help', commands: [], help: 'print help' };
export const versionFlag: FlagRow = { flag: '-V, --version', commands: [], help: 'print the version' };

export const ownFlagsOf = (path: string): readonly FlagRow[] =>
  ownFlags.filter(({ commands }) => commands.includes(path));

/** The flags that a command or an action takes, its own first; '' for the program: the global ones. */
export const flagsOf = (path: string): readonly FlagRow[] => [
  ...ownFlagsOf(path),
  ...globalFlags.filter(({ commands }) => path === '' || commands.includes(path)),
];
