import { statSync } from 'node:fs';
import { extname, normalize } from 'node:path';
import type { ServiceFlags } from '../accounts/settings.ts';
import { type Failure, usage } from '../errors.ts';
import { type FormatName, fileFormats, formatByExtension, formats } from '../output/formats.ts';
import type { CreditBound } from '../service/budget.ts';
import { shellQuote } from '../text/sanitize.ts';

/** Where and how a command prints: the options that all commands of records take. */
export interface OutputOptions {
  /** From `--format`, `--json` or `--ndjson`; null: see `effectiveFormat`. */
  readonly format: FormatName | null;
  /** The fields to print, as typed; repeated flags are joined with commas. */
  readonly fields: string | null;
  readonly output: string | null;
  readonly color: boolean;
  readonly quiet: boolean;
  readonly verbose: number;
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

/** Options of the commands that list pages: uploads and playlist (which has no `update` and `printNew`). */
export interface ListingOptions extends CommonOptions {
  readonly references: readonly string[];
  readonly from: string | null;
  readonly limit: number | null;
  readonly continuation: string | null;
  readonly outputDir: string | null;
  readonly concurrency: number;
  readonly restart: boolean;
  readonly update: boolean;
  readonly all: boolean;
  readonly printNew: boolean;
}

/** Options of the commands that print whole responses: resolve, latest (which alone has `limit` and `seen`), search. */
export interface ResponseOptions extends CommonOptions {
  readonly references: readonly string[];
  /** Undefined: the command takes no list. */
  readonly from: string | null | undefined;
  readonly concurrency: number;
  readonly limit: number | null;
  readonly seen: string | null;
}

/**
 * The format of the output: as given, else by the extension of `-o` (ndjson if it has none, or is a device or a pipe),
 * else a table at a terminal and NDJSON elsewhere.
 */
export function effectiveFormat(
  { format, output }: Pick<OutputOptions, 'format' | 'output'>,
  terminal: boolean,
): FormatName {
  if (output === null) return format ?? (terminal ? 'table' : 'ndjson');
  return format ?? formatByExtension(extensionOf(output)) ?? 'ndjson';
}

/**
 * The options as they concern a file: with `--dry-run`, `-f json` and `-f ndjson` are the format of its own records where
 * the file says which format it has; printed commands leave them out, too.
 */
export function fileOptions<O extends CommonOptions & Partial<ListingOptions>>(options: O): O {
  const { dryRun, format, output, outputDir, invocation } = options;
  const isKnown =
    outputDir != null || (output !== null && formatByExtension(extensionOf(output)) !== undefined);
  const isOfRecords = dryRun && isKnown && (format === 'json' || format === 'ndjson');
  if (!isOfRecords) return options;
  const flags = invocation.flags.filter(({ name }) => name !== '--format');
  return { ...options, format: null, invocation: { ...invocation, flags } };
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
  if (format === null && known === undefined && extension !== '' && !isStream(output))
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

/** Whether a path names a device or a pipe, which is written to directly. */
function isStream(path: string): boolean {
  if (/^\/(?:dev|proc)\//.test(normalize(path))) return true;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

export const tableInFile = (): Failure =>
  usage('cannot write a table to a file', `choose ${either(fileFormats)}`);

export interface Flag {
  /** `--format` */
  readonly name: string;
  readonly value: string | null;
}

/** A command line with other references, without some flags and with others; quoted for the shell. */
export function commandLine(
  invocation: CommonOptions['invocation'],
  references: readonly string[],
  { drop = [], add = [] }: { readonly drop?: readonly string[]; readonly add?: readonly Flag[] } = {},
): string {
  const kept = invocation.flags.filter(({ name }) => !drop.includes(name));
  const flags = [...kept, ...add].map(({ name, value }) =>
    value === null
      ? name
      : value.startsWith('-') || name === '--continuation'
        ? `${name}${name.startsWith('--') ? '=' : ''}${shellQuote(value)}`
        : `${name} ${shellQuote(value)}`,
  );
  return ['chanlist', invocation.name, ...references.map(shellQuote), ...flags].join(' ');
}

/** Whether entries with these `--fields` (null: all) have the ID by which an update recognizes them. */
export const hasVideoId = (fields: string | null): boolean =>
  fields === null || fields.split(',').some((name) => ['videoId', '*'].includes(name.trim()));
