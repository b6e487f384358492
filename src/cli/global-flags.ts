import { formatNames } from '../output/formats.ts';
import { parseBound } from '../service/budget.ts';
import { defaultNamespace, pagedNames } from '../service/contract.ts';
import { type FlagRow, oneOf, outputFile, seconds, summaryFile, wholeNumber } from './flag.ts';

const requesting = ['resolve', 'search', ...pagedNames, 'latest'];
const keyed = [...requesting, 'auth login', 'auth status'];
/** Commands that print records of this machine: without the format id. */
export const localReports: readonly string[] = ['check', 'credits', 'auth list', 'auth status'];
const selecting = [...requesting, 'show'];
const printing = [...selecting, ...localReports];
const reporting = [...printing, 'auth login', 'auth switch', 'auth logout'];
const daySeconds = 24 * 60 * 60;
const noAccount = 'the sandbox needs no account';

export const globalFlags: readonly FlagRow[] = [
  ...inGroup('Service:', [
    { flag: '--profile <name>', commands: keyed, help: 'use this account', variable: 'CHANLIST_PROFILE' },
    { flag: '--base-url <url>', commands: keyed, help: 'use this address', variable: 'CHANLIST_BASE_URL' },
    {
      flag: '--namespace <word>',
      commands: [...keyed, 'serve'],
      help: 'set the path segment after /api/v2/',
      variable: 'CHANLIST_NAMESPACE',
      shownDefault: defaultNamespace,
    },
    {
      flag: '--key-file <file>',
      commands: keyed,
      help: 'read the key from <file>',
      variable: 'CHANLIST_API_KEY, CHANLIST_API_KEY_FILE',
    },
    {
      flag: '--sandbox',
      commands: requesting,
      help: 'use a private local service with demo data: no account, no network',
      excludes: {
        '--profile': noAccount,
        '--base-url': noAccount,
        '--namespace': noAccount,
        '--key-file': noAccount,
      },
    },
  ]),
  ...inGroup('Output:', [
    {
      flag: '-f, --format <format>',
      commands: printing,
      help: 'print table, json, ndjson or csv (lists: id too); see: chanlist help formats',
      parse: oneOf(formatNames),
    },
    { flag: '--json', commands: printing, help: 'short for --format json', format: 'json' },
    { flag: '--ndjson', commands: printing, help: 'short for --format ndjson', format: 'ndjson' },
    {
      flag: '--fields <a,b.c,d.0>',
      commands: selecting,
      help: 'print these fields, in this order; * is all fields; may repeat; see: chanlist help fields',
      combine: (values) => values.join(',') || null,
    },
    {
      flag: '-o, --output <file>',
      commands: selecting,
      help: 'write to <file>; - is stdout',
      parse: outputFile,
    },
    {
      flag: '--summary <file>',
      commands: requesting,
      help: 'write a JSON report of the run',
      parse: summaryFile,
    },
    {
      flag: '--no-color',
      commands: reporting,
      help: 'print no colour',
      variable: 'NO_COLOR',
      option: 'color',
      combine: (switches) => switches.length === 0,
    },
  ]),
  ...inGroup('Network:', [
    {
      flag: '--max-credits <n>',
      commands: [...requesting, 'auth login'],
      help: 'spend at most <n> credits in this run; <n>/day, <n>/month: in all runs; may repeat',
      parse: parseBound,
      combine: (bounds) => bounds,
      variable: 'CHANLIST_MAX_CREDITS',
    },
    {
      flag: '--dry-run',
      commands: requesting,
      help: 'print the first requests and their cost; send nothing',
    },
    {
      flag: '--timeout <seconds>',
      commands: keyed,
      help: 'limit the time of each request, body included',
      parse: seconds(0.001, daySeconds),
      default: 30,
    },
    {
      flag: '--retries <n>',
      commands: keyed,
      help: 'retry each request at most <n> times after errors',
      parse: wholeNumber(0, 1000),
      default: 4,
    },
    {
      flag: '--max-wait <seconds>',
      commands: keyed,
      help: 'give up after this much waiting without success',
      parse: seconds(0, 7 * daySeconds),
      default: 120,
    },
  ]),
  ...inGroup('Messages:', [
    { flag: '-q, --quiet', commands: reporting, help: 'print errors only' },
    {
      flag: '-v, --verbose',
      commands: reporting,
      help: 'print tally, waits and retries even if stderr is not a terminal; -vv: every request',
      combine: (switches) => switches.length,
    },
  ]),
];

function inGroup(group: string, flags: readonly FlagRow[]): readonly FlagRow[] {
  return flags.map((flag) => ({ ...flag, group }));
}
