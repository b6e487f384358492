import { extname } from 'node:path';
import type { ServiceFlags } from '../accounts/settings.ts';
import { type Failure, usage } from '../errors.ts';
import { type FormatName, fileFormats, formatByExtension, formats } from '../output/formats.ts';
import type { CreditBound } from '../service/budget.ts';
import type { Command, Flag } from '../text/command.ts';

/** Where and how a command prints: the options that all commands of records take. */
export interface OutputOptions {
  /** From `--format`, `--json` or `--ndjson`; null: see `effectiveFormat`. */
  readonly format: FormatName | null;
  /** The fields to print, as typed; repeated flags are joined with commas. */
  readonly fields: string | null;
  /** Null: stdout. */
  readonly output: string | null;
  readonly color: boolean;
  readonly quiet: boolean;
}

/** The options of the global flags: every command has them, given or not. */
export interface CommonOptions extends OutputOptions, ServiceFlags {
  readonly sandbox: boolean;
  readonly summary: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly retries: number;
  /** Seconds. */
  readonly maxWait: number;
  /** Of the flag alone; [] if it is not given. */
  readonly maxCredits: readonly CreditBound[];
  readonly dryRun: boolean;
  /** The command line as typed, without its references: for the commands that messages print. */
  readonly invocation: { readonly name: string; readonly flags: readonly Flag[] };
}

/** The options of flags that a command may not take. */
export const defaultOptions = {
  /** Undefined: the command takes no list. */
  from: undefined as string | null | undefined,
  limit: null as number | null,
  continuation: null as string | null,
  outputDir: null as string | null,
  concurrency: 1,
  restart: false,
  update: false,
  all: false,
  seen: null as string | null,
};

/** Options of the commands that send requests to the service. */
export interface RunOptions extends CommonOptions, Readonly<typeof defaultOptions> {
  readonly references: readonly string[];
}

/** The format as given, else by the extension of `-o`, else a table at a terminal and ndjson elsewhere. */
export function effectiveFormat(
  { format, output }: Pick<OutputOptions, 'format' | 'output'>,
  terminal: boolean,
): FormatName {
  if (output === null) return format ?? (terminal ? 'table' : 'ndjson');
  return format ?? formatByExtension(extensionOf(output)) ?? 'ndjson';
}

/** Throws a usage error if this format cannot be written to the file of `-o`. */
export function assertFileFormat(output: string, format: FormatName | null): void {
  if (format === 'table') throw tableInFile();
  const extension = extensionOf(output);
  const known = formatByExtension(extension);
  if (format !== null && known !== undefined && format !== known)
    throw usage(
      `-o ${output} is a file for ${known}, not for ${format}`,
      'change the extension or the format',
    );
  if (format === null && known === undefined && extension !== '')
    throw usage(
      `-o ${output}: no format has the extension .${extension}`,
      `add --format ${either(fileFormats)}, or use the extension ${either(extensions)}`,
    );
}

export const extensionOf = (path: string): string => extname(path).slice(1).toLowerCase();

const extensions = fileFormats.flatMap((name) =>
  formats[name].extensions.map((extension) => `.${extension}`),
);

/** `json, ndjson or csv` */
const either = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

export const tableInFile = (): Failure =>
  usage('cannot write a table to a file', `choose ${either(fileFormats)}`);

/** The flags that decide which account is used. */
export const accountFlags: readonly string[] = ['--profile', '--base-url', '--namespace', '--key-file'];

/** The flags that any other command of the same run needs: its account, and what it may spend. */
export const carriedFlagsOf = ({ invocation }: Pick<CommonOptions, 'invocation'>): readonly Flag[] =>
  invocation.flags.filter(({ name }) => [...accountFlags, '--max-credits'].includes(name));

/** The command as typed with other operands, without some flags and with others. */
export function commandOf(
  { name, flags }: CommonOptions['invocation'],
  operands: readonly string[],
  {
    drop = [],
    add = [],
    purpose,
  }: {
    readonly drop?: readonly string[];
    readonly add?: readonly Flag[];
    readonly purpose?: string;
  } = {},
): Command {
  const kept = flags.filter((flag) => !drop.includes(flag.name));
  return { ...(purpose && { purpose }), program: `chanlist ${name}`, operands, flags: [...kept, ...add] };
}

/** The command that runs the fix of every problem that a `check` finds. */
export function repairAll(check: Command): Command {
  const flags = [...(check.flags ?? []), { name: '--json', value: null }];
  const shell = process.platform === 'win32' ? 'iex' : 'sh';
  return { ...check, flags, pipe: `jq -r '.[].problem.fix // empty' | ${shell}` };
}
