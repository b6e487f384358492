import type { ServiceFlags } from '../accounts/settings.ts';
import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { FormatName } from '../output/formats.ts';
import type { CreditBound } from '../service/budget.ts';
import type { Command, Flag } from '../text/command.ts';

/** The values of the flags that most commands take. Each command gets all of them; flags that it does not take have their default. */
export interface CommonOptions extends ServiceFlags {
  readonly sandbox: boolean;
  /** As given, or by the extension of `-o`. Null means a table at a terminal, and ndjson elsewhere. */
  readonly format: FormatName | null;
  /** The fields to print, as typed; repeated flags are joined with commas. */
  readonly fields: string | null;
  /** Null: stdout. */
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
  /** Entries per reference or file. */
  readonly limit: number | null;
  /** A list of references; `-` is stdin. */
  readonly from: string | null;
  /** A usage error found while parsing: thrown once `--summary` has it. */
  readonly refusal: Failure | null;
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

/** The command line as typed, without its references: for the commands that messages print. */
interface Invocation {
  readonly name: string;
  readonly flags: readonly Flag[];
}

/** Variables of flags that decide which account is used. CHANLIST_API_KEY_FILE is left out: CHANLIST_API_KEY takes precedence over it. */
const accountVariables: Readonly<Record<string, string>> = {
  '--profile': 'CHANLIST_PROFILE',
  '--base-url': 'CHANLIST_BASE_URL',
  '--namespace': 'CHANLIST_NAMESPACE',
};

/** The flags that decide which account is used. */
export const accountFlags: readonly string[] = ['--profile', '--base-url', '--namespace', '--key-file'];

/** Selects the flags that any printed command needs: the account, and what it may spend. `check` takes them for its fixes. */
export const carriedFlagsOf = ({ invocation }: Pick<CommonOptions, 'invocation'>): readonly Flag[] =>
  invocation.flags.filter(({ name }) => [...accountFlags, '--max-credits'].includes(name));

/** Adds what the environment sets of these flags: a printed command may be pasted where it is not set. */
export function withEnvironment<T extends Pick<CommonOptions, 'invocation' | 'sandbox'>>(
  options: T,
  env: Context['env'],
): T {
  if (options.sandbox) return options;
  const { flags } = options.invocation;
  const isGiven = (name: string): boolean => flags.some((flag) => flag.name === name);
  const settings = Object.entries(accountVariables).map(([name, variable]) => ({
    name,
    value: env[variable],
  }));
  const bounds = (env.CHANLIST_MAX_CREDITS ?? '').split(',').map((text) => text.trim());
  const isRepeated = (bound: string): boolean =>
    flags.some(({ name, value }) => name === '--max-credits' && value === bound);
  const added: readonly Flag[] = [
    ...settings.flatMap(({ name, value }) => (value && !isGiven(name) ? [{ name, value }] : [])),
    ...bounds
      .filter((bound) => bound && !isRepeated(bound))
      .map((value) => ({ name: '--max-credits', value })),
  ];
  return { ...options, invocation: { ...options.invocation, flags: [...flags, ...added] } };
}

/** Repeats the command as typed, for a purpose, with other operands, without some flags and with others. */
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

/** Extends a `check` so that it runs the fix of every problem; null with a bound per run: each fix would spend it again. */
export function repairAll(check: Command): Command | null {
  const given = check.flags ?? [];
  if (given.some(({ name, value }) => name === '--max-credits' && !value?.includes('/'))) return null;
  const flags = [...given, { name: '--json', value: null }];
  const shell = process.platform === 'win32' ? 'iex' : 'sh';
  return { ...check, flags, pipe: `jq -r '.[].problem.fix // empty' | ${shell}` };
}
