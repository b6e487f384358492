import { formatNames } from '../output/formats.ts';
import { parseBound } from '../service/budget.ts';
import { defaultNamespace, pagedNames } from '../service/contract.ts';
import { type FlagRow, oneOf, outputFile, row, seconds, summaryFile, wholeNumber } from './flag.ts';

const requesting = ['resolve', 'search', ...pagedNames, 'latest'];
const keyed = [...requesting, 'auth login', 'auth status'];
const account = [...keyed, 'credits'];
/** Commands that print records of this machine: without the format id. */
export const localReports: readonly string[] = ['check', 'credits', 'auth list', 'auth status'];
const selecting = [...requesting, 'show'];
const printing = [...selecting, ...localReports];
const reporting = [...printing, 'auth login', 'auth switch', 'auth logout'];
const daySeconds = 24 * 60 * 60;
const noAccount = 'the sandbox needs no account';

export const globalFlags: readonly FlagRow[] = [
  ...inGroup('Service:', [
    row('--profile <name>', account, 'use this account', { variable: 'CHANLIST_PROFILE' }),
    row('--base-url <url>', account, 'use this address', { variable: 'CHANLIST_BASE_URL' }),
    row(
      '--namespace <word>',
      [...keyed, 'serve'],
      `set the path segment after /api/v2/ (default: ${defaultNamespace})`,
      { variable: 'CHANLIST_NAMESPACE' },
    ),
    row('--key-file <file>', keyed, 'read the key from <file>', { variable: 'CHANLIST_API_KEY_FILE' }),
    row('--sandbox', requesting, 'use a private local service with demo data', {
      excludes: {
        ...{ '--profile': noAccount, '--base-url': noAccount },
        ...{ '--namespace': noAccount, '--key-file': noAccount },
      },
    }),
  ]),
  ...inGroup('Output:', [
    row('-o, --output <file>', selecting, 'write to <file>; - is stdout', { parse: outputFile }),
    row('-f, --format <format>', printing, 'print table, json, ndjson or csv (lists: id too)', {
      parse: oneOf(formatNames),
    }),
    row('--json', printing, 'short for --format json', { format: 'json' }),
    row('--ndjson', printing, 'short for --format ndjson', { format: 'ndjson' }),
    row('--fields <a,b.c,d.0>', selecting, 'print these fields; see: chanlist help fields', {
      combine: (values) => values.join(',') || null,
    }),
    row('--summary <file>', requesting, 'write a JSON report of the run to <file>', { parse: summaryFile }),
    row('--no-color', reporting, 'print no colour', {
      variable: 'NO_COLOR',
      option: 'color',
      combine: (switches) => switches.length === 0,
    }),
  ]),
  ...inGroup('Credits:', [
    row(
      '--max-credits <n>',
      [...requesting, 'credits', 'auth login'],
      'spend at most <n> credits, <n>/day or <n>/month',
      { parse: parseBound, combine: (bounds) => bounds, variable: 'CHANLIST_MAX_CREDITS' },
    ),
    row('--dry-run', requesting, 'print the first request and its cost; send nothing'),
  ]),
  ...inGroup('Network:', [
    row('--timeout <seconds>', keyed, 'limit the time of each request', {
      parse: seconds(0.001, daySeconds),
      default: 30,
    }),
    row('--retries <n>', keyed, 'retry each request at most <n> times', {
      parse: wholeNumber(0, 1000),
      default: 4,
    }),
    row('--max-wait <seconds>', keyed, 'give up after waiting this long', {
      parse: seconds(0, 7 * daySeconds),
      default: 120,
    }),
  ]),
  ...inGroup('Messages:', [
    row('-q, --quiet', reporting, 'print errors only'),
    row('-v, --verbose', reporting, 'print tally, waits and retries; -vv: every request', {
      combine: (switches) => switches.length,
    }),
  ]),
];

function inGroup(group: string, flags: readonly FlagRow[]): readonly FlagRow[] {
  return flags.map((flag) => ({ ...flag, group }));
}
