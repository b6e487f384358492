import { Command, CommanderError } from 'commander';
import { document } from '../help/document.ts';
import { formatHelp, helpGroup } from '../help/format-help.ts';
import { helpWidth } from '../help/text.ts';
import { version } from '../version.ts';
import type { Start, Task } from './command.ts';
import { type CommandRow, commands } from './commands.ts';
import { addSharedFlags, allFlags } from './shared-flags.ts';
import { checkFlagsBefore, complaint, unknownWord } from './usage-errors.ts';

/** Where the program's own text (help, version) goes. */
type Write = (text: string) => void;

const programExamples = [
  ['look around, without an account', 'chanlist uploads @demo --sandbox --limit 20'],
  ['store an account; asks for address and key', 'chanlist auth login'],
  ['export every upload, or go on where that was interrupted', 'chanlist uploads @demo -o demo.ndjson'],
  ['more about a command or a topic', 'chanlist help uploads'],
] as const;

/** The Commander tree. `start` is called with what the arguments ask for; `write` with help and version texts. */
export function buildProgram(start: Start, write: Write): Command {
  const program = new Command('chanlist');
  program
    .usage('<command> [options]')
    .addHelpOption(program.createOption('-h, --help', 'print help').helpGroup(helpGroup))
    .helpCommand(false)
    .configureOutput({ writeOut: write, writeErr: () => {}, outputError: () => {} })
    .configureHelp({
      helpWidth,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(/ *\[options\]$/, ''),
      formatHelp,
    })
    .enablePositionalOptions()
    .showSuggestionAfterError(false);
  document(program, ['List channels and playlists of a video platform.'], programExamples);
  complainOf(program);
  addSharedFlags(program, allFlags);
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

/** Completes one command of the tree: its arguments, its options and the shared flags. */
export async function registerCommand(command: Command, row: CommandRow, start: Start): Promise<void> {
  const file = await row.load();
  command.usage(`${row.usage} [options]`.trim());
  file.register(command, start);
  complainOf(command);
  command.helpCommand(false);
  addSharedFlags(command, row.flags(''), command.commands.length > 0);
  for (const action of command.commands) {
    complainOf(action);
    addSharedFlags(action, row.flags(action.name()));
  }
}

/** Has errors in the arguments of a command thrown as ours. */
function complainOf(command: Command): void {
  command.exitOverride((error) => {
    if (error.exitCode !== 0) throw complaint(error, command);
    // Help that was asked for together with a command that there is not.
    const word = command.args[0];
    const isGroup = command.commands.length > 0;
    if (error.code === 'commander.helpDisplayed' && isGroup && word && !word.startsWith('-')) {
      throw unknownWord(command);
    }
    throw error;
  });
}

/** The task that the arguments ask for; null where help or version was asked for and has been written. */
export async function parseArguments(argv: readonly string[], write: Write): Promise<Task | null> {
  let task: Task | null = null;
  const texts: string[] = [];
  const program = buildProgram(
    (run, options) => {
      task = { run: run as Task['run'], options };
    },
    (text) => texts.push(text),
  );
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  if (texts.length > 0) write(texts.join(''));
  return task;
}
