import type { Command } from 'commander';
import { type Failure, usage } from '../errors.ts';
import type { FormatName } from '../output/format.ts';
import { defaults, type SharedFlags } from './shared-flags.ts';

/** The options that every command takes. */
export interface SharedOptions {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly namespace?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly sandbox: boolean;
  readonly format: FormatName | null;
  readonly fields: string | null;
  readonly output: string | null;
  readonly summary: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly retries: number;
  /** Seconds. */
  readonly maxWait: number;
  readonly dryRun: boolean;
  readonly quiet: boolean;
  readonly verbose: number;
  readonly color: boolean;
}

/** The shared options of a command, from its own flags and those given before it. */
export function sharedOptions(command: Command): SharedOptions {
  let flags: SharedFlags = {};
  let verbose = 0;
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const own: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(at.opts())) {
      if (at.getOptionValueSource(name) === 'cli') own[name] = value;
    }
    const count: unknown = at.getOptionValue('verboseCount');
    if (typeof count === 'number') verbose += count;
    const formats = [...((own.format as string[] | undefined) ?? []), ...(flags.format ?? [])];
    flags = { ...own, ...flags, format: formats };
  }
  if (flags.quiet && verbose > 0) throw usage('--quiet and --verbose exclude each other');
  return {
    profile: flags.profile,
    baseUrl: flags.baseUrl,
    namespace: flags.namespace,
    keyFile: flags.keyFile,
    sandbox: flags.sandbox ?? false,
    format: chosenFormat(flags),
    fields: flags.fields ?? null,
    output: flags.output === '-' ? null : (flags.output ?? null),
    summary: flags.summary ?? null,
    timeout: flags.timeout ?? defaults.timeout,
    retries: flags.retries ?? defaults.retries,
    maxWait: flags.maxWait ?? defaults.maxWait,
    dryRun: flags.dryRun ?? false,
    quiet: flags.quiet ?? false,
    verbose,
    color: flags.color ?? true,
  };
}

function chosenFormat(flags: SharedFlags): FormatName | null {
  const named = new Set(flags.format ?? []);
  if (flags.json) named.add('json');
  if (flags.ndjson) named.add('ndjson');
  if (named.size > 1) throw usage(`two formats are given: ${[...named].join(' and ')}`, 'give one');
  const [name] = named;
  return name === undefined ? null : (name as FormatName);
}

/** The format that the extension of `-o` stands for. */
export const byExtension: Readonly<Record<string, FormatName | undefined>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  csv: 'csv',
};

/** The format of the output: as given, else by the extension of `-o`, else a table at a terminal and NDJSON elsewhere. */
export function effectiveFormat(
  options: Pick<SharedOptions, 'format' | 'output'>,
  terminal: boolean,
): FormatName {
  if (options.output === null) return options.format ?? (terminal ? 'table' : 'ndjson');
  if (options.format === 'table') throw tableInFile();
  const extension = /\.([^./\\]+)$/.exec(options.output)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
  return options.format ?? known ?? 'ndjson';
}

/** A table was asked for where a file is written. */
export function tableInFile(): Failure {
  return usage('a table is for people, not for a file', 'choose json, ndjson, csv or id');
}
