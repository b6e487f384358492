import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { type FormatName, formatByExtension, formatNames, formats, isFileFormat } from '../output/formats.ts';
import type { Invocation } from '../run/command-line.ts';
import {
  conflicts,
  type FlagName,
  type FlagValue,
  flagRow,
  flagsOf,
  longName,
  type SharedFlag,
  sharedFlagNames,
} from './flags.ts';
import { pathOf } from './usage-errors.ts';

/** The shared flags that are options of their own: `--json` and `--ndjson` are values of `format`. */
type SharedName = Exclude<SharedFlag, 'json' | 'ndjson'>;
const isOption = (name: SharedFlag): name is SharedName => name !== 'json' && name !== 'ndjson';
type OptionalName = { [Name in SharedName]: undefined extends FlagValue<Name> ? Name : never }[SharedName];

/** The options that every command takes. `timeout` and `maxWait` are seconds. */
export type SharedOptions = { readonly [Name in Exclude<SharedName, OptionalName>]: FlagValue<Name> } & {
  readonly [Name in OptionalName]?: FlagValue<Name>;
};

/** The values of some flags; the table of flags says what each means. */
type FlagValues<Name extends FlagName> = { readonly [N in Name]: FlagValue<N> };

const listingFlags = [
  ...(['from', 'limit', 'continuation', 'outputDir', 'concurrency'] as const),
  ...(['restart', 'update', 'all', 'printNew'] as const),
] as const;

/** Options of the commands that list pages: uploads and playlist. `restart` wins over `update`. */
export interface ListingOptions extends FlagValues<(typeof listingFlags)[number]> {
  readonly shared: SharedOptions;
  readonly references: readonly string[];
  readonly invocation: Invocation;
}

const answerFlags = ['from', 'concurrency', 'limit', 'seen'] as const;

/** Options of the free commands that print whole answers: resolve and latest, which alone has `limit` and `seen`. */
export interface AnswerOptions extends FlagValues<(typeof answerFlags)[number]> {
  readonly shared: SharedOptions;
  readonly references: readonly string[];
}

/**
 * The typed values of a flag, first those before the command's name, then those after it: one text per occurrence,
 * an empty one for a switch.
 */
function textsOf(command: Command, name: FlagName): string[] {
  const attribute = flagRow(name).name ?? name;
  const before = command.parent === null ? [] : textsOf(command.parent, name);
  if (command.getOptionValueSource(attribute) !== 'cli') return before;
  const values: unknown = command.getOptionValue(attribute);
  return Array.isArray(values) ? [...before, ...(values as string[])] : before;
}

/**
 * The values of some flags of a command line, or their defaults. Throws usage errors for wrong values and for flags
 * that exclude each other.
 */
export function readFlags<Name extends FlagName>(command: Command, names: readonly Name[]): FlagValues<Name> {
  const taken = new Set<FlagName>(flagsOf(pathOf(command)));
  const isGiven = (name: FlagName): boolean => taken.has(name) && textsOf(command, name).length > 0;
  for (const [one, other, hint] of conflicts) {
    if (isGiven(one) && isGiven(other))
      throw usage(`${longName(one)} and ${longName(other)} exclude each other`, hint);
  }
  const values = names.map((name) => [name, taken.has(name) ? parsed(command, name) : absent(name)]);
  return Object.fromEntries(values) as FlagValues<Name>;
}

function parsed(command: Command, name: FlagName): unknown {
  const { parse, repeatable, negated } = flagRow(name);
  const texts = textsOf(command, name);
  if (texts.length === 0) return absent(name);
  if (parse === undefined) return repeatable ? texts.length : !negated;
  const values = texts.map((text) => parse(text, longName(name)));
  return repeatable ? values.flat() : values.at(-1);
}

function absent(name: FlagName): unknown {
  const row = flagRow(name);
  if (Object.hasOwn(row, 'default')) return row.default;
  if (row.parse === undefined) return row.repeatable ? 0 : row.negated === true;
  return row.repeatable ? [] : null;
}

/** The command line as it was typed, without its references and with long flag names. */
function invocationOf(command: Command): Invocation {
  const path = pathOf(command);
  const given = flagsOf(path).flatMap((name) => {
    const { parse, repeatable } = flagRow(name);
    const texts = textsOf(command, name);
    const kept = repeatable ? texts : texts.slice(-1);
    return kept.map((text) => ({ name: longName(name), value: parse === undefined ? null : text }));
  });
  return { name: path, flags: given };
}

/** The shared options of a command, from the flags before and after its name. */
export function sharedOptions(command: Command): SharedOptions {
  const shared: SharedOptions = {
    ...readFlags(command, sharedFlagNames.filter(isOption)),
    format: chosenFormat(command),
  };
  if (shared.output !== null) effectiveFormat(shared, false);
  return shared;
}

function chosenFormat(command: Command): FormatName | null {
  const path = pathOf(command);
  const named = new Set<string>();
  for (const name of flagsOf(path)) {
    const { format, parse } = flagRow(name);
    const texts = textsOf(command, name);
    if (longName(name) === '--format') for (const text of texts) named.add(String(parse?.(text, '--format')));
    else if (format !== undefined && texts.length > 0) named.add(format);
  }
  if (named.size > 1) throw usage(`two formats are given: ${[...named].join(' and ')}`, 'give one');
  const [name] = named;
  return name === undefined ? null : (name as FormatName);
}

/** The options of a paged listing. Throws usage errors for combinations of flags that are not allowed. */
export function listingOptions(command: Command, references: readonly string[]): ListingOptions {
  const shared = sharedOptions(command);
  const own = readFlags(command, listingFlags);
  const { continuation, outputDir, update, restart, printNew } = own;
  const toFile = shared.output !== null || outputDir !== null;
  if (continuation !== null && references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  if (outputDir !== null && shared.format === 'table') throw tableInFile();
  for (const [name, given] of [
    ['--update', update],
    ['--restart', restart],
  ] as const) {
    if (given && !toFile) throw usage(`${name} needs a file`, 'name one with -o FILE or --output-dir DIR');
  }
  if (printNew && !update)
    throw usage('--print-new needs --update', 'it prints the entries that an update adds');
  const format = outputDir === null ? effectiveFormat(shared, false) : (shared.format ?? 'ndjson');
  if (printNew && format === 'json')
    throw usage(
      '--print-new does not work with json',
      `choose ${either(fileFormats.filter((name) => name !== 'json'))}`,
    );
  if (update && shared.fields !== null && !includesVideoId(shared.fields))
    throw usage('--update needs videoId among the --fields', 'it recognizes known entries by it');
  return { shared, references, ...own, invocation: invocationOf(command) };
}

function includesVideoId(fields: string): boolean {
  return fields.split(',').some((name) => ['videoId', '*'].includes(name.trim()));
}

/** The options of a free command over channels. */
export function answerOptions(command: Command, references: readonly string[]): AnswerOptions {
  return { shared: sharedOptions(command), references, ...readFlags(command, answerFlags) };
}

/**
 * The format of the output: as given, else by the extension of `-o` (ndjson if it has none, or is a device or a
 * pipe), else a table at a terminal and NDJSON elsewhere. Throws usage errors for a table in a file and for an
 * unknown extension.
 */
export function effectiveFormat(
  { format, output }: Pick<SharedOptions, 'format' | 'output'>,
  terminal: boolean,
): FormatName {
  if (output === null) return format ?? (terminal ? 'table' : 'ndjson');
  if (format === 'table') throw tableInFile();
  if (format !== null) return format;
  const extension = extname(output).slice(1);
  if (extension === '') return 'ndjson';
  const known = formatByExtension(extension.toLowerCase());
  if (known !== undefined) return known;
  if (isStream(output)) return 'ndjson';
  throw usage(
    `-o ${output}: no format has the extension .${extension}`,
    `add --format ${either(fileFormats)}, or use the extension ${either(extensions)}`,
  );
}

const fileFormats = formatNames.filter(isFileFormat);
const extensions = fileFormats.flatMap((name) =>
  formats[name].extensions.map((extension) => `.${extension}`),
);

/** `json, ndjson or csv` */
function either(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Whether a path names a device or a pipe, which is written to directly. */
function isStream(path: string): boolean {
  if (/^\/(?:dev|proc)\//.test(resolve(path))) return true;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** The usage error for a table in a file. */
export function tableInFile(): Failure {
  return usage('a table is for people, not for a file', `choose ${either(fileFormats)}`);
}
