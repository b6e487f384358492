import { Command, CommanderError, Option } from 'commander';
import { type Failure, toFailure, usage } from '../errors.ts';
import { computedFields, shownEntries } from '../output/fields.ts';
import { operations } from '../service/contract.ts';
import { shellQuote } from '../text/sanitize.ts';
import type { CommandFile, CommandRow } from './command.ts';
import { type FlagRow, longFlag, nonEmpty, optionName, shortFlag, valueName } from './flag.ts';
import { flagsOf, helpFlag, ownFlagsOf, versionFlag } from './flags.ts';
import { globalFlags, localReports } from './global-flags.ts';
import {
  assertFileFormat,
  type CommonOptions,
  effectiveFormat,
  type Flag,
  fileOptions,
  hasVideoId,
  type ListingOptions,
} from './options.ts';
import { pathOf, usageErrorOf } from './usage-errors.ts';

interface CommandLine {
  /** Its flags in order, by their long names; of one that cannot be parsed, those that were understood. */
  readonly flags: readonly Flag[];
  /** What it asks for. `help`: the words after `chanlist help`. */
  readonly request:
    | { readonly run: Required<CommandFile>['run']; readonly options: CommonOptions }
    | { readonly help: readonly string[] }
    | 'version'
    | Failure;
}

/** Parses arguments (without node and script) in one pass. The file of a command is loaded when it is called. */
export async function parseArguments(
  argv: readonly string[],
  table: readonly CommandRow[],
): Promise<CommandLine> {
  const flags: Flag[] = [];
  let request: CommandLine['request'] | null = null;
  const program = new Command('chanlist');
  let called = program;

  const addFlags = (command: Command, rows: readonly FlagRow[]): void => {
    for (const row of [...rows, ...globalFlags, helpFlag, versionFlag]) {
      const option = new Option(row.flag);
      command.addOption(option).on(`option:${option.name()}`, (text?: string) => {
        flags.push(typedFlag(row, text));
      });
    }
  };
  const addCommands = (parent: Command, rows: readonly CommandRow[]): void => {
    for (const { name } of rows) parent.command(name);
    parent.hook('preSubcommand', async (_, command) => {
      called = command;
      const file = await rows.find(({ name }) => name === command.name())?.load();
      if (file !== undefined) addParts(command, file);
    });
  };
  const addParts = (command: Command, { args = [], actions = [], run }: CommandFile): void => {
    const path = pathOf(command);
    for (const [, term] of args) command.argument(term);
    addFlags(command, ownFlagsOf(path));
    if (actions.length > 0) addCommands(command, actions);
    else
      command.action(() => {
        if (run === undefined) request = { help: command.args };
        else request = { run, options: optionsOf(path, command, args, flags) };
      });
  };

  program.configureOutput({ writeErr: () => {}, outputError: () => {} });
  program.exitOverride().helpOption(false).helpCommand(false).enablePositionalOptions();
  addFlags(program, []);
  addCommands(program, table);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    request = error instanceof CommanderError ? usageErrorOf(error, called) : toFailure(error);
  }
  const isTyped = (row: FlagRow): boolean => flags.some(({ name }) => name === longFlag(row));
  if (isTyped(versionFlag)) request = 'version';
  else if (isTyped(helpFlag) || (flags.length === 0 && program.args.length === 0)) {
    const words = called.commands.length > 0 ? called.args.filter((word) => !word.startsWith('-')) : [];
    request = { help: [...pathOf(called).split(' '), ...words].filter(Boolean) };
  }
  return { flags, request: request ?? { help: [] } };
}

/** A flag as typed: by its long name, and by `--format` if it is short for that. `-n=3` is `-n 3`. */
function typedFlag(row: FlagRow, text?: string): Flag {
  if (row.format !== undefined) return { name: '--format', value: row.format };
  const value = shortFlag(row) === null ? text : text?.replace(/^=/, '');
  return { name: longFlag(row), value: value ?? null };
}

function optionsOf(
  path: string,
  { args: words, processedArgs }: Command,
  args: Required<CommandFile>['args'],
  flags: readonly Flag[],
): CommonOptions {
  assertText([...words, ...flags.flatMap(({ value }) => value ?? [])]);
  assertNoFieldList(words, path, flags);
  const rows = [...ownFlagsOf(path), ...globalFlags];
  const values = rows
    .filter(({ format }) => format === undefined)
    .map((row) => [optionName(row), flagValue(row, flags)] as const);
  const invocation = { name: path, flags: lastOfEach(rows, flags) };
  const options = { ...Object.fromEntries(values), invocation } as CommonOptions;
  assertFlags(path, flags, options);
  return { ...options, ...Object.fromEntries(args.map(([option], i) => [option, processedArgs[i]])) };
}

function flagValue(row: FlagRow, flags: readonly Flag[]): unknown {
  const { parse = nonEmpty, combine, variable } = row;
  const name = longFlag(row);
  const isSwitch = valueName(row) === null;
  const values = flags
    .filter((flag) => flag.name === name)
    .map(({ value }) => (isSwitch ? true : parse(value ?? '', name)));
  if (combine !== undefined) return combine(values);
  if (isSwitch) return values.length > 0;
  return values.at(-1) ?? row.default ?? (variable === undefined ? null : undefined);
}

/** The flags for printed commands: of one whose values do not add up, the last. */
function lastOfEach(rows: readonly FlagRow[], flags: readonly Flag[]): readonly Flag[] {
  const adding = rows.filter(({ combine }) => combine !== undefined).map(longFlag);
  return flags.filter(
    ({ name }, i) => adding.includes(name) || flags.findLastIndex((other) => other.name === name) === i,
  );
}

/**
 * Throws a usage error for a flag that the command does not take, for flags that exclude or need each other, and for a
 * format that does not fit. `path`: the command.
 */
function assertFlags(
  path: string,
  flags: readonly Flag[],
  options: CommonOptions & Partial<ListingOptions>,
): void {
  const rows = flagsOf(path);
  const foreign = flags.find(({ name }) => !rows.some((row) => longFlag(row) === name));
  if (foreign !== undefined)
    throw usage(`${path} does not take ${foreign.name}`, `see: chanlist help ${path}`);
  const [one, other] = new Set(flags.flatMap(({ name, value }) => (name === '--format' ? [value] : [])));
  if (other !== undefined) throw usage(`conflicting formats: ${one} and ${other}`, 'choose one');
  if (flags.filter(({ name }) => name === '--from').length > 1)
    throw usage('--from is given twice', 'put all references into one list');
  // `-o -` is stdout.
  const names = flags
    .map(({ name }) => name)
    .filter((name) => name !== '--output' || options.output !== null);
  for (const row of rows.filter((each) => names.includes(longFlag(each))))
    for (const [flag, why] of Object.entries(row.excludes ?? {}))
      if (names.includes(flag)) throw usage(`${longFlag(row)} and ${flag} exclude each other`, why);
  if (options.printNew && !options.update)
    throw usage('--print-new needs --update', 'it prints the entries that --update adds');
  assertFormat(path, fileOptions(options));
}

function assertFormat(path: string, options: CommonOptions & Partial<ListingOptions>): void {
  const { format, output, outputDir, fields, update } = options;
  if (format === 'id' && localReports.includes(path))
    throw usage(`${path} does not print id`, 'choose table, json, ndjson or csv');
  if (format === 'id' && fields !== null)
    throw usage('-f id prints the ID alone and takes no --fields', 'use -f csv');
  if (output !== null) assertFileFormat(output, format);
  if (outputDir != null && format !== null && format !== 'ndjson')
    throw usage(
      `--output-dir writes ndjson, not ${format}`,
      `leave out --format, then: chanlist show ${shellQuote(outputDir)}/*.ndjson -f ${format}`,
    );
  if (!update) return;
  const fileFormat = effectiveFormat(options, false);
  if (fileFormat !== 'ndjson') {
    const archive = shellQuote(`${output?.replace(/\.\w+$/, '') ?? 'FILE'}.ndjson`);
    const hint = `update ${archive}, then: chanlist show ${archive} -f ${fileFormat}${output === null ? '' : ` -o ${shellQuote(output)}`}`;
    throw usage(`--update works with ndjson, not with ${fileFormat}`, hint);
  }
  if (!hasVideoId(fields))
    throw usage('--update needs videoId among the --fields', 'it recognizes known entries by it');
}

/** Throws a usage error for text that is not UTF-8: Node puts U+FFFD in place of what it cannot read. */
function assertText(words: readonly string[]): void {
  const wrong = words.find((word) => word.includes('\ufffd'));
  if (wrong !== undefined) throw usage(`'${wrong}' is not UTF-8 text`, 'type it again');
}

/**
 * Throws a usage error for a list of fields beside `--json` or `--ndjson`, where other programs expect one. No reference
 * looks like that; a query or a file may, so there the list has to name a known field.
 */
function assertNoFieldList(words: readonly string[], path: string, flags: readonly Flag[]): void {
  const format = flags.find(({ name }) => name === '--format')?.value;
  if (format !== 'json' && format !== 'ndjson') return;
  const known: readonly string[] = [...shownEntries.documentedFields, ...computedFields];
  const areReferences = path in operations && path !== 'search';
  const list = words
    .filter((word) => /^[\w.*@]+(?:,[\w.*@]+)+$/.test(word))
    .find((word) => areReferences || word.split(',').some((name) => known.includes(name)));
  if (list !== undefined) throw usage(`--${format} takes no value`, `name the fields with --fields ${list}`);
}
