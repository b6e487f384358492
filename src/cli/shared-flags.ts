import type { Command } from 'commander';
import { defaultNamespace } from '../api/contract.ts';
import { usage } from '../errors.ts';
import { formatNames } from '../output/format.ts';
import { expectedOneOf } from '../text/nearest.ts';
import { nonEmpty, seconds, wholeNumber } from './values.ts';

/** Options as Commander collects them: only those that were given. */
export interface SharedFlags {
  profile?: string;
  baseUrl?: string;
  namespace?: string;
  keyFile?: string;
  sandbox?: boolean;
  format?: string[];
  json?: boolean;
  ndjson?: boolean;
  fields?: string;
  output?: string;
  summary?: string;
  timeout?: number;
  retries?: number;
  maxWait?: number;
  dryRun?: boolean;
  quiet?: boolean;
  verbose?: number;
  color?: boolean;
}

/** What is meant where a flag is not given. */
export const defaults = { timeout: 30, retries: 4, maxWait: 120 } as const;

function formatName(text: string, before: string[] = []): string[] {
  if (!(formatNames as readonly string[]).includes(text)) {
    const meant = text === 'jsonl' ? 'ndjson' : undefined;
    throw usage(`there is no format '${text}'`, expectedOneOf(text, formatNames, meant));
  }
  return [...before, text];
}

function summaryFile(text: string): string {
  if (text === '-') throw usage('--summary needs a file: stdout is for data', 'e.g. --summary summary.json');
  return nonEmpty('--summary')(text);
}

/** Where the help shows a shared flag. */
export const flagGroups = ['Service:', 'Output:', 'Network:', 'Messages:'] as const;

interface FlagRow {
  readonly flags: string;
  readonly group: (typeof flagGroups)[number];
  readonly description: string;
  readonly parse?: (text: string, before: never) => unknown;
}

const day = 24 * 60 * 60;

/** The shared flags, in the order of the help. */
const flagRows = {
  profile: {
    flags: '--profile <name>',
    group: 'Service:',
    description: 'which stored account (CHANLIST_PROFILE)',
    parse: nonEmpty('--profile'),
  },
  baseUrl: {
    flags: '--base-url <url>',
    group: 'Service:',
    description: "the service's address (CHANLIST_BASE_URL)",
    parse: nonEmpty('--base-url'),
  },
  namespace: {
    flags: '--namespace <word>',
    group: 'Service:',
    description: `the path word after /api/v2/ (CHANLIST_NAMESPACE; default: ${defaultNamespace})`,
    parse: nonEmpty('--namespace'),
  },
  keyFile: {
    flags: '--key-file <file>',
    group: 'Service:',
    description: 'read the key from a file (CHANLIST_API_KEY, CHANLIST_API_KEY_FILE)',
    parse: nonEmpty('--key-file'),
  },
  sandbox: {
    flags: '--sandbox',
    group: 'Service:',
    description: 'a private local service with demo data, for this one call: no account, no network',
  },
  format: {
    flags: '-f, --format <format>',
    group: 'Output:',
    description: `${formatNames.join(' | ')}; default: table at a terminal, else ndjson`,
    parse: formatName,
  },
  json: { flags: '--json', group: 'Output:', description: 'short for --format json' },
  ndjson: { flags: '--ndjson', group: 'Output:', description: 'short for --format ndjson' },
  fields: {
    flags: '--fields <a,b.c,d.0>',
    group: 'Output:',
    description: 'these fields, in this order; dots reach inside',
    parse: nonEmpty('--fields'),
  },
  output: {
    flags: '-o, --output <file>',
    group: 'Output:',
    description: 'write there instead of stdout; - is stdout',
    parse: nonEmpty('--output'),
  },
  summary: {
    flags: '--summary <file>',
    group: 'Output:',
    description: 'write what happened there, as JSON',
    parse: summaryFile,
  },
  color: { flags: '--no-color', group: 'Output:', description: 'no colour' },
  timeout: {
    flags: '--timeout <seconds>',
    group: 'Network:',
    description: `for one request, to its last byte (default: ${defaults.timeout})`,
    parse: seconds('--timeout', 'more than zero', day),
  },
  retries: {
    flags: '--retries <n>',
    group: 'Network:',
    description: `retries per request, at most (default: ${defaults.retries})`,
    parse: wholeNumber('--retries', 0, 1000),
  },
  maxWait: {
    flags: '--max-wait <seconds>',
    group: 'Network:',
    description: `longest wait in all without a success in between (default: ${defaults.maxWait})`,
    parse: seconds('--max-wait', 'zero', 7 * day),
  },
  dryRun: {
    flags: '--dry-run',
    group: 'Network:',
    description: 'print the first request of each reference and its cost; send nothing',
  },
  quiet: { flags: '-q, --quiet', group: 'Messages:', description: 'errors only' },
  verbose: {
    flags: '-v, --verbose',
    group: 'Messages:',
    description: 'closing line, waits and retries also off the terminal; -vv: each request too',
  },
} as const satisfies Record<keyof SharedFlags, FlagRow>;

export type SharedFlag = keyof typeof flagRows;

/** All shared flags: what the commands take that call the service. */
export const allFlags = Object.keys(flagRows) as readonly SharedFlag[];

/** Adds shared flags to a command; before a subcommand and behind it they mean the same. */
export function addSharedFlags(command: Command, names: readonly SharedFlag[], hidden = false): void {
  for (const name of allFlags) {
    if (!names.includes(name)) continue;
    const { flags, description, group, parse }: FlagRow = flagRows[name];
    const option = command.createOption(flags, description).helpGroup(group).hideHelp(hidden);
    if (parse !== undefined) option.argParser(parse as (text: string, before: unknown) => unknown);
    command.addOption(option);
  }
  if (!names.includes('verbose')) return;
  command.on('option:verbose', () => {
    const before: unknown = command.getOptionValue('verboseCount');
    command.setOptionValue('verboseCount', (typeof before === 'number' ? before : 0) + 1);
  });
}
