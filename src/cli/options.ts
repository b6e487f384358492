import type { ServiceFlags } from '../accounts/settings.ts';
import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { FormatName } from '../output/formats.ts';
import type { CreditBound } from '../service/budget.ts';
import type { Command, Flag } from '../text/command.ts';

/** The flags that most commands accept. Each command gets them all; a flag that it does not accept has its default. */
export interface CommonOptions extends ServiceFlags {
  readonly sandbox: boolean;
  /** The format as given, or by the extension of the file of `-o`. Null means a table at a terminal, and ndjson elsewhere. */
  readonly format: FormatName | null;
  /** The fields to print, as typed; repeated flags are joined with commas. */
  readonly fields: string | null;
  /** The file of `-o`; null for stdout. */
  readonly output: string | null;
  readonly quiet: boolean;
  readonly summary: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly retries: number;
  /** Seconds. */
  readonly maxWait: number;
  /** The bounds of the flag alone; [] if it is not given. */
  readonly maxCredits: readonly CreditBound[];
  readonly dryRun: boolean;
  /** Maximum number of entries per reference or file. */
  readonly limit: number | null;
  /** The file with a list of references; `-` is stdin. */
  readonly from: string | null;
  /** A usage error found while parsing; it is thrown once it can be written to the file of `--summary`. */
  readonly usageError: Failure | null;
  readonly invocation: Invocation;
}

/** Options of the commands that send requests to the service. */
export interface RunOptions extends CommonOptions {
  readonly references: readonly string[];
  readonly continuation: string | null;
  readonly outputDir: string | null;
  readonly concurrency: number;
  readonly restart: boolean;
  readonly update: boolean;
  readonly all: boolean;
  readonly seen: string | null;
}

/** The command line as typed, without its references. The commands that messages print are derived from it. */
interface Invocation {
  readonly name: string;
  readonly flags: readonly Flag[];
}

/** Variables of the flags that select the account. CHANLIST_API_KEY_FILE is omitted, because CHANLIST_API_KEY overrides it. */
const accountVariables: Readonly<Record<string, string>> = {
  '--profile': 'CHANLIST_PROFILE',
  '--base-url': 'CHANLIST_BASE_URL',
  '--namespace': 'CHANLIST_NAMESPACE',
};

/** The flags that select the account. */
export const accountFlags: readonly string[] = ['--profile', '--base-url', '--namespace', '--key-file'];

/** Selects the flags that every printed command repeats: the account and its bounds. `check` accepts them for its fixes. */
export const carriedFlagsOf = ({ invocation }: Pick<CommonOptions, 'invocation'>): readonly Flag[] =>
  invocation.flags.filter(({ name }) => [...accountFlags, '--max-credits'].includes(name));

/** Adds the values that the environment sets for these flags: a printed command may be pasted where they are not set. */
export function withEnvironment<T extends Pick<CommonOptions, 'invocation' | 'sandbox'>>(
  options: T,
  env: Context['env'],
): T {
  if (options.sandbox) return options;
  const { flags } = options.invocation;
  const missing = Object.entries(accountVariables)
    .filter(([name]) => !flags.some((flag) => flag.name === name))
    .map(([name, variable]) => ({ name, value: env[variable] ?? '' }));
  const bounds = (env.CHANLIST_MAX_CREDITS ?? '')
    .split(',')
    .map((bound) => ({ name: '--max-credits', value: bound.trim() }))
    .filter((bound) => !flags.some(({ name, value }) => name === bound.name && value === bound.value));
  const added = [...missing, ...bounds].filter(({ value }) => value !== '');
  return { ...options, invocation: { ...options.invocation, flags: [...flags, ...added] } };
}

/** Returns the command as typed, but with other operands, without the `dropped` flags and with the `added` ones. */
export function commandOf(
  { name, flags }: Invocation,
  purpose: string,
  operands: readonly string[],
  dropped: readonly string[],
  added: readonly Flag[] = [],
): Command {
  const kept = flags.filter((flag) => !dropped.includes(flag.name));
  return { purpose, program: `chanlist ${name}`, operands, flags: [...kept, ...added] };
}

/** Extends a `check` to run the fix of every problem; null if there is a bound per run, as each fix would spend it again. */
export function repairAll(check: Command): Command | null {
  const given = check.flags ?? [];
  if (given.some(({ name, value }) => name === '--max-credits' && !value?.includes('/'))) return null;
  const flags = [...given, { name: '--json', value: null }];
  const shell = process.platform === 'win32' ? 'iex' : 'sh';
  return { ...check, flags, pipe: `jq -r '.[].problem.fix // empty' | ${shell}` };
}
