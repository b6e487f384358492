import { Command, CommanderError, Help, Option } from 'commander';
import type { Context } from '../context.ts';
import { describeCommand, type Example, type Terms } from '../help/document.ts';
import { version } from '../version.ts';
import { commonFlags, type FlagRow, flagHelp, flagsOf, longFlag, ownFlags, valueName } from './flags.ts';
import type { Flag } from './invocation.ts';
import { formatName } from './parsers.ts';
import { checkFlags, checkText, checkWordAfterJson } from './rules.ts';
import { pathOf, unknownCommand, usageErrorOf } from './usage-errors.ts';

/** A row of the table of commands, or of the actions of one. */
export interface CommandRow {
  readonly name: string;
  /** Its arguments. */
  readonly usage: string;
  readonly summary: string;
  /** Heading in the help of the program. */
  readonly group?: string;
  /** Loads its file, when the command is called. */
  load(): Promise<CommandFile>;
}

/** An argument: the option that gets its value, its term, what it is, how it is parsed. */
export type Argument = readonly [
  option: string,
  term: string,
  help: string,
  parse?: (text: string, before?: unknown) => unknown,
];

/** What the file of a command exports. The table of flags has its flags. */
export interface CommandFile {
  readonly args?: readonly Argument[];
  /** Paragraphs of its help. */
  readonly about: readonly string[];
  readonly examples: readonly Example[];
  /** A list at the end of its help. */
  readonly terms?: Terms;
  /** Instead of `run`: the commands below it. */
  readonly actions?: readonly CommandRow[];
  /** The command whose help is printed, instead of `run`; null: none. */
  helpOn?(options: object): readonly string[] | null;
  /** Does its work; returns the exit code. */
  run?(options: object, context: Context): Promise<number>;
}

/** The function of a command and the options that the arguments give it. */
export interface ParsedCommand {
  readonly run: Required<CommandFile>['run'];
  readonly options: object;
}

/** The task that the arguments name, or the text of the help or version that they request. Throws usage errors. */
export async function parseArguments(
  argv: readonly string[],
  table: readonly CommandRow[],
  columns?: () => number,
): Promise<ParsedCommand | string> {
  const { program, called, texts } = buildProgram(table, columns);
  try {
    checkText(argv);
    checkWordAfterJson(argv);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(withJoinedValues(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return called[0] ?? texts.join('');
}

/** The Commander tree with all commands complete, for what is generated from it. */
export async function wholeProgram(table: readonly CommandRow[]): Promise<Command> {
  const { program, complete } = buildProgram(table);
  const completeAll = async (parent: Command): Promise<void> => {
    for (const command of parent.commands) {
      await complete(command);
      await completeAll(command);
    }
  };
  await completeAll(program);
  return program;
}

/**
 * The Commander tree; `complete` loads the file of one of its commands. Parsing adds the task of the command that is
 * called, or the text of a help.
 */
function buildProgram(table: readonly CommandRow[], columns = () => 80) {
  const program = new Command('chanlist');
  const called: ParsedCommand[] = [];
  const texts: string[] = [];
  const typed: Flag[] = [];
  /** Of the commands that are not complete. */
  const rows = new Map<Command, CommandRow>();
  const add = (parent: Command, row: CommandRow): void => {
    const command = parent.command(row.name).usage(`${row.usage} [options]`.trim()).summary(row.summary);
    if (row.group !== undefined) command.helpGroup(row.group);
    rows.set(configure(command), row);
  };
  const complete = async (command: Command): Promise<void> => {
    const file = await rows.get(command)?.load();
    if (file === undefined || !rows.delete(command)) return;
    const { args = [], about, examples, terms, actions, helpOn, run } = file;
    describeCommand(command, about, examples, terms);
    for (const [, term, help, parse] of args)
      if (parse === undefined) command.argument(term, help);
      else command.argument(term, help, parse);
    for (const flag of flagsOf(pathOf(command))) if (ownFlags.includes(flag)) addFlag(command, flag, typed);
    for (const row of actions ?? []) add(command, row);
    command.hook('preSubcommand', (_, action) => complete(action));
    if (run === undefined) return;
    command.action(async () => {
      const values = args.map(([option], i) => [option, command.processedArgs[i]] as const);
      const options = { ...command.optsWithGlobals(), ...Object.fromEntries(values) };
      const words = helpOn?.(options) ?? null;
      if (words === null) called.push({ run, options });
      else await program.parseAsync([...words, '--help'], { from: 'user' });
    });
  };
  program
    .description('A command-line client for the Channel and Playlist Listing Service.')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'print help')
    .version(version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => texts.push(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: columns,
    })
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(/ ?\[options\]$/, ''),
      optionDescription: ({ description }) => description,
      visibleOptions: (command) => visibleOptions(command, program),
    })
    .addHelpText('beforeAll', ({ command }) => {
      const [word] = command.args;
      if (command.commands.length > 0 && word !== undefined && !word.startsWith('-'))
        throw unknownCommand(command);
      return '';
    })
    .addHelpText('after', programNotes)
    .hook('preSubcommand', (_, command) => complete(command))
    .hook('preAction', (_, command) => {
      const path = pathOf(command);
      program.setOptionValue('invocation', { name: path, flags: lastOfEach(typed) });
      // Commander has no parsed value that is null.
      if (program.opts().output === '-') program.setOptionValue('output', null);
      checkFlags(path, typed, program.opts());
    });
  configure(program);
  for (const flag of commonFlags) addFlag(program, flag, typed).helpGroup(flag.group);
  for (const row of table) add(program, row);
  return { program, complete, called, texts };
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

const configure = (command: Command): Command =>
  command.helpCommand(false).exitOverride((error) => {
    throw error.exitCode === 0 ? error : usageErrorOf(error, command);
  });

/** Adds a flag to a command; `typed` gets each occurrence on the command line. */
function addFlag(command: Command, flag: FlagRow, typed: Flag[]): Option {
  const name = longFlag(flag);
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
  if (Array.isArray(before)) return before.concat(value);
  if (typeof before === 'number') return before + Number(value);
  return typeof before === 'string' ? `${before},${value}` : value;
}

/** The own flags of a command, then the common ones that it takes. The program's help has only its commands. */
function visibleOptions(command: Command, program: Command): Option[] {
  const own = new Help().visibleOptions(command);
  if (command === program) return own.filter(({ helpGroupHeading }) => helpGroupHeading === undefined);
  const taken = flagsOf(pathOf(command)).map(longFlag);
  return [...own, ...program.options.filter(({ long }) => taken.includes(long ?? ''))];
}

const repeating = new Set([...ownFlags, ...commonFlags].filter(({ repeats }) => repeats).map(longFlag));

/** The flags of a command line for printed commands: of one that does not repeat, the last. */
const lastOfEach = (typed: readonly Flag[]): Flag[] =>
  typed.filter(
    ({ name }, i) => repeating.has(name) || typed.findLastIndex((other) => other.name === name) === i,
  );

const flagsWithValue = new Set(ownFlags.filter((flag) => valueName(flag) !== null).map(longFlag));

/**
 * The arguments with the values of a command's own flags joined by `=`: the program reads the common flags first,
 * wherever they stand, and would take a value such as `-qQ9` (a token) for flags.
 */
function withJoinedValues(argv: readonly string[]): string[] {
  const joined: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') return [...joined, word, ...rest];
    joined.push(flagsWithValue.has(word) && rest.length > 0 ? `${word}=${rest.shift()}` : word);
  }
  return joined;
}
