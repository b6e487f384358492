import { Command, CommanderError, Help, Option } from 'commander';
import type { Context } from '../context.ts';
import { version } from '../version.ts';
import { commonFlags, type FlagRow, flagHelp, flagsOf, longName, ownFlags, valueName } from './flags.ts';
import type { Flag } from './invocation.ts';
import { formatName } from './parsers.ts';
import { checkFlags } from './rules.ts';
import { checkWordAfterJson, pathOf, unknownCommand, usageErrorOf } from './usage-errors.ts';

/** The function of a command and the options that the arguments give it. */
export interface Task<Options = unknown> {
  readonly run: (options: Options, context: Context) => Promise<number>;
  readonly options: Options;
}

/** Receives the function and the options of a command once its arguments are read. */
export type Start = <Options>(run: Task<Options>['run'], options: Options) => void;

/** The exports of a command file besides its `run`. */
export interface CommandFile {
  /** Adds description, arguments, actions and examples, and the call of `start`. The table of flags has the flags. */
  register(command: Command, start: Start): void;
}

/** A row of the table of commands. */
export interface CommandRow {
  readonly name: string;
  /** Its arguments. */
  readonly usage: string;
  readonly summary: string;
  /** Heading in the help of the program. */
  readonly group: string;
  /** Loads its file, when the command is called. */
  load(): Promise<CommandFile>;
}

interface ProgramSettings {
  readonly start: Start;
  /** Receives help and version texts. */
  readonly write: (text: string) => void;
  /** Width of help texts. */
  readonly columns: () => number;
}

/** The task that the arguments name, or the text of the help or version that they request. Throws usage errors. */
export async function parseArguments(
  argv: readonly string[],
  table: readonly CommandRow[],
  columns: () => number = () => 80,
): Promise<Task | string> {
  let task: Task | null = null;
  const texts: string[] = [];
  const { program } = buildProgram(table, {
    start: (run, options) => {
      task = { run: run as Task['run'], options };
    },
    write: (text) => texts.push(text),
    columns,
  });
  program.hook('preAction', (_, command) => checkWordAfterJson(command, argv));
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(withJoinedValues(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return task ?? texts.join('');
}

/** The Commander tree with all commands registered, for what is generated from it. */
export async function wholeProgram(table: readonly CommandRow[]): Promise<Command> {
  const { program, register } = buildProgram(table, { start: () => {}, write: () => {}, columns: () => 80 });
  for (const command of program.commands) await register(command);
  return program;
}

/** The Commander tree; `register` completes one of its commands. */
function buildProgram(table: readonly CommandRow[], { start, write, columns }: ProgramSettings) {
  const program = new Command('chanlist');
  const typed: Flag[] = [];
  const registered = new Set<Command>();
  program
    .description('A command-line client for the Channel and Playlist Listing Service.')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'print help')
    .version(version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: write,
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: columns,
    })
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(/ ?\[options\]$/, ''),
      optionDescription: ({ description }) => description,
      visibleOptions,
    });
  configure(program);
  for (const flag of commonFlags) addFlag(program, flag, typed).helpGroup(flag.group);
  for (const row of table)
    program.command(row.name).usage(row.usage).summary(row.summary).helpGroup(row.group);
  program.addHelpText('beforeAll', ({ command }) => {
    const [word] = command.args;
    if (command.commands.length > 0 && word !== undefined && !word.startsWith('-'))
      throw unknownCommand(command);
    return '';
  });
  program.addHelpText('after', programNotes);
  program.hook('preSubcommand', async (_, command) => register(command));
  program.hook('preAction', (_, command) => {
    program.setOptionValue('invocation', { name: pathOf(command), flags: lastOfEach(typed) });
    // Commander has no parsed value that is null.
    if (program.opts().output === '-') program.setOptionValue('output', null);
    checkFlags(pathOf(command), typed, program.opts());
  });
  return { program, register };

  async function register(command: Command): Promise<void> {
    const row = table.find(({ name }) => name === command.name());
    if (row === undefined || registered.has(command)) return;
    registered.add(command);
    (await row.load()).register(command, start);
    command.usage(`${row.usage} [options]`.trim());
    for (const each of [command, ...command.commands]) {
      configure(each);
      for (const flag of flagsOf(pathOf(each))) if (ownFlags.includes(flag)) addFlag(each, flag, typed);
    }
  }
}

const programNotes = `
Examples:
  # try it without an account
  chanlist uploads @demo --sandbox --limit 20
  # store an account; prompts for address and key
  chanlist auth login
  # export every upload; run it again to resume
  chanlist uploads @demo -o demo.ndjson

Flags go before or after the command: chanlist help uploads`;

function configure(command: Command): void {
  command.helpCommand(false).exitOverride((error) => {
    throw error.exitCode === 0 ? error : usageErrorOf(error, command);
  });
}

/** Adds a flag to a command; `typed` gets each occurrence on the command line. */
function addFlag(command: Command, flag: FlagRow, typed: Flag[]): Option {
  const name = longName(flag);
  const option = new Option(flag.term, flagHelp(flag));
  const { parse, format, repeats } = flag;
  const isSwitch = valueName(flag) === null;
  if (format !== undefined) {
    option.attributeName = () => 'format';
    option.preset(format).argParser((text, before) => formatName(text, name, before));
  } else if (repeats) {
    if (isSwitch) option.preset('');
    option.argParser((text, before) => added(before, isSwitch ? 1 : parse?.(text, name)));
  } else if (parse !== undefined) option.argParser((text, before) => parse(text, name, before));
  const absent = isSwitch ? false : flag.variable === undefined ? null : undefined;
  if (format === undefined && !option.negate) option.default(flag.default ?? absent);
  command.addOption(option);
  command.on(`option:${option.name()}`, (value?: string) => typed.push({ name, value: value ?? null }));
  return option;
}

/** The value of a flag that repeats, after one more occurrence: lists and texts are joined, switches counted. */
function added(before: unknown, value: unknown): unknown {
  if (Array.isArray(before)) return [...before, ...(Array.isArray(value) ? value : [value])];
  if (typeof before === 'number') return before + Number(value);
  return typeof before === 'string' ? `${before},${value}` : value;
}

/** The own flags of a command, then the common ones that it takes. The program's help has only its commands. */
function visibleOptions(command: Command): Option[] {
  const own = Help.prototype.visibleOptions.call(new Help(), command);
  if (command.parent === null) return own.filter(({ helpGroupHeading }) => helpGroupHeading === undefined);
  const taken = flagsOf(pathOf(command)).map(longName);
  let root = command;
  while (root.parent !== null) root = root.parent;
  return [
    ...own,
    ...root.options.filter(({ long, helpGroupHeading }) => helpGroupHeading && taken.includes(long ?? '')),
  ];
}

/** The flags of a command line for printed commands, in the order of the table: of one that does not repeat, the last. */
function lastOfEach(typed: readonly Flag[]): Flag[] {
  return [...ownFlags, ...commonFlags].flatMap((row, i, rows) => {
    const name = longName(row);
    if (rows.findIndex((other) => longName(other) === name) < i) return [];
    return typed.filter((flag) => flag.name === name).slice(row.repeats ? 0 : -1);
  });
}

const flagsWithValue = new Set(ownFlags.filter((flag) => valueName(flag) !== null).map(longName));

/**
 * The arguments with the values of a command's own flags joined by `=`: the program reads the common flags first,
 * wherever they stand, and would take a value such as `-qQ9` (a token) for flags.
 */
function withJoinedValues(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    const value = argv[i + 1];
    if (word === '--') return [...joined, ...argv.slice(i)];
    if (!flagsWithValue.has(word) || value === undefined) joined.push(word);
    else {
      joined.push(`${word}=${value}`);
      i++;
    }
  }
  return joined;
}
