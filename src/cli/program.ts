import { extname } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { type Failure, toFailure, usage } from '../errors.ts';
import { extensions, fileFormats, formatByPath } from '../output/formats.ts';
import type { Flag } from '../text/command.ts';
import type { CommandModule } from './command-module.ts';
import { type FlagRow, longFlag, nonEmpty } from './flag.ts';
import { flagsOf, globalFlags, helpFlag, ownFlags, versionFlag } from './flags.ts';
import type { CommonOptions, RunOptions } from './options.ts';
import { seeHelp, unknownCommand, unknownFlag } from './pointers.ts';

/** What a command line asks for. */
type ParsedCommand =
  | { readonly kind: 'run'; readonly run: Required<CommandModule>['run']; readonly options: RunOptions }
  /** `words` are the words after `chanlist help`. */
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'version' }
  | { readonly kind: 'refused'; readonly failure: Failure };

interface CommandLine {
  /** The parsed flags in order, by their long names; after a parse error, the flags before it. */
  readonly flags: readonly Flag[];
  readonly request: ParsedCommand;
}

/**
 * Parses the arguments of the program (path '') or of one command. If they name a subcommand, loads that and parses
 * again for it, with the flags that were typed before its name.
 */
export async function parseArguments(
  argv: readonly string[],
  file: Partial<CommandModule>,
  path = '',
): Promise<CommandLine> {
  const { actions = [] } = file;
  const parser = createParser(path, file);
  const { command, flags } = parser;
  let words: readonly string[] = [];
  let request: ParsedCommand;
  try {
    const { operands, unknown } = command.parseOptions([...argv]);
    words = [...operands, ...unknown];
    const action = actions.find(({ name }) => name === operands[0]);
    if (action !== undefined) {
      const flagsBefore = argv.slice(0, argv.length - words.length);
      const actionPath = `${path} ${action.name}`.trim();
      return await parseArguments([...flagsBefore, ...words.slice(1)], await action.load(), actionPath);
    }
    const [flag] = unknown;
    const refused = longFlagWithOneHyphen(argv, path) ?? flag;
    if (refused !== undefined && (actions.length === 0 || operands.length === 0))
      throw unknownFlag(path, refused.replace(/=.*/s, ''));
    request = requestOf(path, file, parser, operands);
  } catch (error) {
    const failure = error instanceof CommanderError ? usageErrorOf(error, path) : toFailure(error);
    request = { kind: 'refused', failure };
  }
  const isTyped = (row: FlagRow): boolean => flags.some(({ name }) => name === longFlag(row));
  if (isTyped(versionFlag)) request = { kind: 'version' };
  else if (isTyped(helpFlag)) {
    const topic = actions.length > 0 ? words.filter((word) => !word.startsWith('-')) : [];
    request = { kind: 'help', words: [...path.split(' '), ...topic].filter(Boolean) };
  }
  return { flags, request };
}

/** Finds a long flag with one hyphen, such as `-output`, which Commander would parse as `-o utput`. */
function longFlagWithOneHyphen(argv: readonly string[], path: string): string | undefined {
  const names = [...flagsOf(path), helpFlag, versionFlag].map(longFlag);
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.find((word) => names.includes(`-${word.replace(/=.*/s, '')}`));
}

/** Also registers the flags of other commands: they are refused by name, and their values are not parsed as operands. */
function createParser(path: string, { args = [], actions = [] }: Partial<CommandModule>) {
  const command = new Command(path).helpOption(false).helpCommand(false).enablePositionalOptions();
  command.exitOverride().configureOutput({ outputError: () => {} });
  /** What was typed, in order. */
  const flags: Flag[] = [];
  /** Errors of values are collected, not thrown: a `--help` after such a value is still obeyed. */
  const failures: Failure[] = [];
  // Before the name of a command, only the global flags are accepted.
  const all = [...(actions.length > 0 ? [] : ownFlags), ...globalFlags, ...flagsOf(path)];
  const rows = new Map(all.map((row) => [longFlag(row), row]));
  for (const row of [...rows.values(), helpFlag, versionFlag])
    command.addOption(optionOf(row, flags, failures));
  for (const { name } of actions) command.command(name);
  for (const [, term] of args) command.argument(term);
  return { command, flags, failures };
}

/** Makes the option of a row. It is added to `flags` when it is parsed, and to `failures` if its value is wrong. */
function optionOf(row: FlagRow, flags: Flag[], failures: Failure[]): Option {
  const { flag, format, variable, parse = nonEmpty, combine } = row;
  const name = longFlag(row);
  const option = new Option(flag);
  const absent = option.required ? null : option.negate;
  option.default(row.default ?? (variable === undefined ? absent : undefined));
  if (format !== undefined) option.implies({ format });
  return option.argParser((text: string | undefined, before: unknown) => {
    // `-n=3` is `-n 3`.
    const typed = option.short ? text?.replace(/^=/, '') : text;
    flags.push(
      format === undefined
        ? { name, value: typed ?? null }
        : { name: '--format', value: format, typed: name },
    );
    try {
      const value = typed === undefined ? undefined : parse(typed, name);
      return combine === undefined ? value : combine(before as never, value as never);
    } catch (error) {
      failures.push(toFailure(error));
      return before;
    }
  });
}

/** Determines what a command line that names no subcommand asks for. Throws a usage error if flags or operands are invalid. */
function requestOf(
  path: string,
  { args = [], actions = [], run }: Partial<CommandModule>,
  { command, flags, failures }: ReturnType<typeof createParser>,
  operands: readonly string[],
): ParsedCommand {
  const names = actions.map(({ name }) => name);
  const [word, ...rest] = operands;
  if (names.length > 0) {
    if (path !== '' && word === 'help') return { kind: 'help', words: [path, ...rest] };
    if (word !== undefined) throw unknownCommand(path, word, names);
    if (path !== '') throw usage(`${path} needs an action`, `expected one of ${names.join(', ')}`);
    if (flags.length > 0) throw usage('missing command', seeHelp(path));
    return { kind: 'help', words: [] };
  }
  // Commander checks the number of operands.
  command.parse(['--', ...operands], { from: 'user' });
  if (run === undefined) return { kind: 'help', words: operands };
  assertAcceptedFlags(path, flags);
  if (failures[0] !== undefined) throw failures[0];
  const operandsByName = args.map(([option], index) => [option, command.processedArgs[index]]);
  const values = { ...command.opts<RunOptions>(), ...Object.fromEntries(operandsByName) };
  const output = values.output === '-' ? null : values.output;
  let { format } = values;
  let usageError: Failure | null = null;
  try {
    assertCompatible(path, flags);
    if (output !== null) format = fileFormat(output, format);
    assertFormatFits({ ...values, format });
  } catch (error) {
    usageError = toFailure(error);
  }
  return {
    kind: 'run',
    run,
    options: { ...values, output, format, usageError, invocation: { name: path, flags } },
  };
}

/** Throws a usage error for a flag that the command does not take. */
function assertAcceptedFlags(path: string, flags: readonly Flag[]): void {
  const rows = flagsOf(path);
  const foreign = flags.find(({ name }) => !rows.some((row) => longFlag(row) === name));
  if (foreign !== undefined) throw unknownFlag(path, foreign.typed ?? foreign.name);
}

/** Throws a usage error for flags that exclude each other. */
function assertCompatible(path: string, flags: readonly Flag[]): void {
  const rows = flagsOf(path);
  const [format, other] = new Set(flags.flatMap(({ name, value }) => (name === '--format' ? [value] : [])));
  if (other !== undefined) throw usage(`conflicting formats: ${format} and ${other}`, 'choose one');
  if (flags.filter(({ name }) => name === '--from').length > 1)
    throw usage('--from is given twice', 'put all references into one list');
  // `-o -` is stdout.
  const names = flags.flatMap(({ name, value }) => (name === '--output' && value === '-' ? [] : [name]));
  for (const row of rows.filter((row) => names.includes(longFlag(row))))
    for (const [flag, why] of Object.entries(row.excludes ?? {}))
      if (names.includes(flag)) throw usage(`${longFlag(row)} and ${flag} exclude each other`, why);
}

/** `json, ndjson or csv` */
const either = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Returns the format for the file of `-o`: as given, else by its extension. Throws a usage error if they conflict. */
function fileFormat(output: string, given: CommonOptions['format']): CommonOptions['format'] {
  if (given === 'table') throw usage('cannot write a table to a file', `choose ${either(fileFormats)}`);
  const known = formatByPath(output);
  if (given !== null && known !== undefined && given !== known)
    throw usage(`-o ${output} is a file for ${known}, not for ${given}`, 'change the extension or format');
  const format = given ?? known;
  if (format !== undefined) return format;
  const extension = extname(output).toLowerCase();
  if (['', '.'].includes(extension)) return 'ndjson';
  throw usage(
    `-o ${output}: no format has the extension ${extension}`,
    `add --format ${either(fileFormats)}, or use the extension ${either(extensions)}`,
  );
}

/** Throws a usage error for a format, fields or a limit that the command or its other flags do not allow. */
function assertFormatFits({ format, fields, limit, outputDir, update }: RunOptions): void {
  if (format === 'id' && fields !== null)
    throw usage('-f id prints the ID alone and takes no --fields', 'use -f csv');
  const views = [
    format !== null && format !== 'ndjson' && format,
    fields !== null && '--fields',
    limit !== null && '--limit',
  ].filter((word) => word !== false);
  if (views.length > 0 && (outputDir !== null || update))
    throw usage(
      `${outputDir === null ? '--update' : '--output-dir'} needs archives (whole lists as ndjson) and takes no ${views.join(', no ')}`,
      'show makes views of them: chanlist help show',
    );
}

function usageErrorOf({ code, message }: CommanderError, path: string): Failure {
  // The message of Commander has the argument or the flag in quotes.
  const subject = /'(.*)'/.exec(message)?.[1] ?? '';
  if (code === 'commander.optionMissingArgument') {
    const flag = /--[\w-]+/.exec(subject)?.[0] ?? '';
    const isForeign = !flagsOf(path).some((row) => longFlag(row) === flag);
    return isForeign ? unknownFlag(path, flag) : usage(`missing value: ${subject}`);
  }
  if (code === 'commander.missingArgument') return usage(`missing ${subject}`, seeHelp(path));
  return usage('too many arguments', seeHelp(path));
}
