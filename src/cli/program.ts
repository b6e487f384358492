import { Command, CommanderError, Option } from 'commander';
import { type Failure, toFailure, usage } from '../errors.ts';
import type { Flag } from '../text/command.ts';
import type { CommandFile, CommandRow } from './command.ts';
import { type FlagRow, longFlag, optionOf } from './flag.ts';
import { flagsOf, globalFlags, helpFlag, localReports, ownFlagsOf, versionFlag } from './flags.ts';
import { assertFileFormat, type CommonOptions, effectiveFormat, type RunOptions } from './options.ts';
import { seeHelp, unknownCommand, unknownFlag } from './pointers.ts';

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

/** A flag as typed. `text`: its value; undefined for a switch. */
interface Typed {
  readonly row: FlagRow;
  readonly text: string | undefined;
}

/**
 * Parses arguments (without node and script). Global flags may stand before the command, which then gets them with its own;
 * its file is loaded when it is called.
 */
export async function parseArguments(
  argv: readonly string[],
  table: readonly CommandRow[],
): Promise<CommandLine> {
  const typed: Typed[] = [];
  /** Of bad values: `--help` comes before them. */
  const errors: unknown[] = [];
  let request: CommandLine['request'] | null = null;
  const program = new Command('chanlist');
  let called = program;

  const addFlags = (command: Command, parsed: boolean): void => {
    for (const row of [...ownFlagsOf(pathOf(command)), ...globalFlags, helpFlag, versionFlag]) {
      const option = parsed ? optionOf(row, (error) => errors.push(error)) : new Option(row.flag);
      command.addOption(option).on(`option:${option.name()}`, (text?: string) => typed.push({ row, text }));
    }
  };
  const addCommands = (parent: Command, rows: readonly CommandRow[]): void => {
    for (const { name } of rows) parent.command(name).helpCommand(false);
    parent.hook('preSubcommand', async (_, command) => {
      called = command;
      const file = await rows.find(({ name }) => name === command.name())?.load();
      if (file !== undefined) addParts(command, file);
    });
  };
  const addParts = (command: Command, { args = [], actions = [], run }: CommandFile): void => {
    for (const [, term] of args) command.argument(term);
    addFlags(command, actions.length === 0);
    if (actions.length > 0) addCommands(command, actions);
    else {
      command.parseOptions(typed.splice(0).map(textOf));
      command.action(() => {
        if (errors.length > 0) throw errors[0];
        if (run === undefined) request = { help: command.args };
        else request = { run, options: optionsOf(command, args, typed.map(flagOf)) };
      });
    }
  };

  program.configureOutput({ writeErr: () => {}, outputError: () => {} });
  program.exitOverride().helpOption(false).helpCommand(false).enablePositionalOptions();
  addFlags(program, false);
  addCommands(program, table);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    request = error instanceof CommanderError ? usageErrorOf(error, called) : toFailure(error);
    // `auth help login`
    if (called.parent !== null && called.commands.length > 0 && called.args[0] === 'help')
      request = { help: [pathOf(called), ...called.args.slice(1)] };
  }
  const isTyped = (wanted: FlagRow): boolean => typed.some(({ row }) => row === wanted);
  if (isTyped(versionFlag)) request = 'version';
  else if (isTyped(helpFlag) || (typed.length === 0 && program.args.length === 0)) {
    const words = called.commands.length > 0 ? called.args.filter((word) => !word.startsWith('-')) : [];
    request = { help: [...pathOf(called).split(' '), ...words].filter(Boolean) };
  }
  return { flags: typed.map(flagOf), request: request ?? { help: [] } };
}

const textOf = ({ row, text }: Typed): string =>
  text === undefined || text === null ? longFlag(row) : `${longFlag(row)}=${text}`;

const flagOf = ({ row, text }: Typed): Flag =>
  row.format === undefined
    ? { name: longFlag(row), value: text ?? null }
    : { name: '--format', value: row.format };

/** The values of the flags and arguments of a command, given or not. */
function optionsOf(
  command: Command,
  args: Required<CommandFile>['args'],
  flags: readonly Flag[],
): CommonOptions {
  const path = pathOf(command);
  const values = command.opts<CommonOptions>();
  const output = values.output === '-' ? null : values.output;
  const options = { ...values, output, invocation: { name: path, flags } };
  assertFlags(path, flags, options);
  return { ...options, ...Object.fromEntries(args.map(([option], i) => [option, command.processedArgs[i]])) };
}

/** Throws a usage error for flags that the command does not take, that exclude each other or that do not fit. */
function assertFlags(
  path: string,
  flags: readonly Flag[],
  options: CommonOptions & Partial<RunOptions>,
): void {
  const rows = flagsOf(path);
  const foreign = flags.find(({ name }) => !rows.some((row) => longFlag(row) === name));
  if (foreign !== undefined) throw unknownFlag(path, foreign.name);
  const [one, other] = new Set(flags.flatMap(({ name, value }) => (name === '--format' ? [value] : [])));
  if (other !== undefined) throw usage(`conflicting formats: ${one} and ${other}`, 'choose one');
  if (flags.filter(({ name }) => name === '--from').length > 1)
    throw usage('--from is given twice', 'put all references into one list');
  // `-o -` is stdout.
  const names = flags.flatMap(({ name, value }) => (name === '--output' && value === '-' ? [] : [name]));
  for (const row of rows.filter((each) => names.includes(longFlag(each))))
    for (const [flag, why] of Object.entries(row.excludes ?? {}))
      if (names.includes(flag)) throw usage(`${longFlag(row)} and ${flag} exclude each other`, why);
  const { format, output, fields } = options;
  if (format === 'id' && localReports.includes(path))
    throw usage(`${path} does not print id`, 'choose table, json, ndjson or csv');
  if (format === 'id' && fields !== null)
    throw usage('-f id prints the ID alone and takes no --fields', 'use -f csv');
  if (output !== null) assertFileFormat(output, format);
  const archives = options.outputDir ? '--output-dir' : options.update ? '--update' : null;
  const isView = effectiveFormat(options, false) !== 'ndjson' || fields !== null || options.limit != null;
  if (archives !== null && isView)
    throw usage(
      `${archives} needs archives (whole lists as ndjson): omit --limit, --fields and other formats`,
      'show makes views of them: chanlist help show',
    );
}

/** The words that name a command, without the program: `auth login`; '' for the program. */
export function pathOf(command: Command): string {
  if (command.parent === null) return '';
  return `${pathOf(command.parent)} ${command.name()}`.trim();
}

function usageErrorOf(error: CommanderError, command: Command): Failure {
  const path = pathOf(command);
  const actions = command.commands.map((each) => each.name());
  // Commander quotes what the message is about. A value after the sign may be a secret.
  const subject = (/'([^'=]*)/.exec(error.message)?.[1] ?? '').trim();
  switch (error.code) {
    case 'commander.help':
      if (path === '') return usage('missing command', seeHelp(path));
      return usage(`${path} needs an action`, `expected one of ${actions.join(', ')}`);
    case 'commander.unknownCommand':
      return unknownCommand(path, command.args[0] ?? '', actions);
    case 'commander.unknownOption':
      return unknownFlag(path, subject);
    case 'commander.missingArgument':
      return usage(`missing ${subject}`, seeHelp(path));
    case 'commander.optionMissingArgument':
      return usage(`missing value: ${subject}`);
    case 'commander.excessArguments':
      return usage('too many arguments', seeHelp(path));
    default:
      return usage(error.message, seeHelp(path));
  }
}
