import type { Command } from 'commander';
import { type Start, topicNames } from '../cli/commands.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { document } from '../help/document.ts';
import { columnsFor } from '../help/text.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { nearest } from '../text/nearest.ts';

export interface HelpOptions {
  /** A command, an action (`auth login`) or a topic; null: the program. */
  readonly topic: string | null;
}

/** Adds the argument and the help of `chanlist help`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('[command...]', `a command, or ${topicNames.join(', ')}`);
  document(
    command,
    ['Prints the help of a command, the same as its --help, or of a topic.'],
    [
      ['read about one command', 'chanlist help uploads'],
      ['list the exit codes', 'chanlist help exit-codes'],
      ['read about the formats and --fields', 'chanlist help formats'],
      ['list the environment variables', 'chanlist help environment'],
    ],
  );
  command.action((words: string[]) => start(run, { topic: words.length === 0 ? null : words.join(' ') }));
}

/** Prints the help of a command or topic on stdout. */
export async function run(options: HelpOptions, context: Context): Promise<number> {
  const { helpText, helpTopics } = await import('../cli/help-text.ts');
  const text = await helpText(options.topic, columnsFor(context));
  if (text === null) {
    const meant = nearest(options.topic ?? '', await helpTopics());
    throw usage(
      `there is no help on '${options.topic}'`,
      meant === undefined ? 'see: chanlist help' : `did you mean ${meant}?`,
    );
  }
  const stderr = new Stderr(context.stderr, { quiet: false, verbose: 0 });
  await new Stdout(context, stderr).write(text);
  return 0;
}
