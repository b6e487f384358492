import { Command, CommanderError } from 'commander';
import { document } from '../help/document.ts';
import { formatHelp, helpGroup } from '../help/format-help.ts';
import { helpWidth } from '../help/text.ts';
import { version } from '../version.ts';
import { type CommandRow, commands, type Start, type Task } from './commands.ts';
import { type FlagName, flagGroups, flagHelp, flagRow, flagsOf, longName, sharedFlagNames } from './flags.ts';
import { checkFlagsBefore, checkWords, unknownWord, usageErrorOf } from './usage-errors.ts';

const programExamples = [
  ['try it without an account', 'chanlist uploads @demo --sandbox --limit 20'],
  ['store an account; prompts for address and key', 'chanlist auth login'],
  ['export every upload; run it again to resume', 'chanlist uploads @demo -o demo.ndjson'],
  ['read about a command or a topic', 'chanlist help uploads'],
] as const;

/**
 * The Commander tree. `start` is called with the task that the arguments name; `write` with help and version texts,
 * help in lines of `width` columns.
 */
export function buildProgram(
  start: Start = () => {},
  write: (text: string) => void = () => {},
  width: () => number = () => helpWidth,
): Command {
  const program = new Command('chanlist');
  program
    .usage('<command> [options]')
    .addHelpOption(program.createOption('-h, --help', 'print help').helpGroup(helpGroup))
    .helpCommand(false)
    .configureOutput({ writeOut: write, writeErr: () => {}, outputError: () => {} })
    .configureHelp({
      // Evaluated only when a help text is formatted.
      get helpWidth() {
        return width();
      },
      minWidthToWrap: 20,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(/ *\[options\]$/, ''),
      formatHelp,
    })
    .enablePositionalOptions()
    .showSuggestionAfterError(false);
  document(
    program,
    [
      'A command-line client for the Channel and Playlist Listing Service: resolve handles, search a channel, export every upload.',
    ],
    programExamples,
  );
  convertErrors(program);
  addFlags(program, sharedFlagNames);
  program.version(version, '-V, --version', 'print the version');
  program.options.at(-1)?.helpGroup(helpGroup);
  for (const row of commands) {
    program.command(row.name).usage(row.usage).summary(row.summary).helpGroup(row.group);
  }
  program.hook('preSubcommand', async (_, subcommand) => {
    const row = commands.find(({ name }) => name === subcommand.name());
    if (row !== undefined) await registerCommand(subcommand, row, start);
  });
  program.hook('preAction', (_, command) => checkFlagsBefore(command));
  return program;
}

/** Completes one command of the tree: its arguments, its actions and the flags of both. */
export async function registerCommand(command: Command, row: CommandRow, start: Start): Promise<void> {
  const file = await row.load();
  command.usage(`${row.usage} [options]`.trim());
  file.register(command, start);
  convertErrors(command);
  command.helpCommand(false);
  if (command.commands.length === 0) addFlags(command, flagsOf(row.name));
  else addFlags(command, sharedFlagNames, true);
  for (const action of command.commands) {
    convertErrors(action);
    addFlags(action, flagsOf(`${row.name} ${action.name()}`));
  }
}

/** Adds flags to a command. Commander keeps what is typed for each, one text per occurrence; `options.ts` parses it. */
function addFlags(command: Command, names: readonly FlagName[], hidden = false): void {
  for (const name of names) {
    const { short, value, group = flagGroups[0] } = flagRow(name);
    const term = [short, longName(name)].filter(Boolean).join(', ');
    const option = command
      .createOption(value === undefined ? term : `${term} <${value}>`, flagHelp(name))
      .helpGroup(group)
      .hideHelp(hidden)
      .argParser((text: string, before: unknown) => [...(Array.isArray(before) ? before : []), text]);
    if (value === undefined) option.preset('');
    command.addOption(option);
  }
}

/** Makes a command throw the program's usage errors instead of Commander's. */
function convertErrors(command: Command): void {
  command.exitOverride((error) => {
    if (error.exitCode !== 0) throw usageErrorOf(error, command);
    // Help for a command that does not exist.
    const word = command.args[0];
    const isGroup = command.commands.length > 0;
    if (error.code === 'commander.helpDisplayed' && isGroup && word && !word.startsWith('-')) {
      throw unknownWord(command);
    }
    throw error;
  });
}

/** The task that the arguments name, or the text of the help or version that they request. */
export async function parseArguments(argv: readonly string[], width?: () => number): Promise<Task | string> {
  let task: Task | null = null;
  const texts: string[] = [];
  const program = buildProgram(
    (run, options) => {
      task = { run: run as Task['run'], options };
    },
    (text) => texts.push(text),
    width,
  );
  try {
    if (argv.length === 0) program.outputHelp();
    else {
      program.hook('preAction', (_, command) => checkWords(command, argv));
      await program.parseAsync([...argv], { from: 'user' });
    }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return task ?? texts.join('');
}
