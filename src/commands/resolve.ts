import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { type AnswerOptions, answerOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { costSentence, document } from '../help/document.ts';
import { runChannels } from '../run/answers.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/references.ts';

/** Adds the argument and the help of `chanlist resolve`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('[channel...]', expectedReference.channel);
  document(
    command,
    ['Prints the canonical ID of each channel.', costSentence(operations.resolve)],
    [
      ['resolve a handle, without an account', 'chanlist resolve @demo --sandbox'],
      ['print the IDs alone, one per line', 'chanlist resolve @demo @empty --format id'],
      ['resolve a list, one reference per line', 'chanlist resolve --from refs.txt'],
    ],
  );
  command.action((channels: string[]) => start(run, answerOptions(command, channels)));
}

/** Prints the canonical ID of each channel (service specification, 4.1). */
export async function run(options: AnswerOptions, context: Context): Promise<number> {
  return await runChannels(operations.resolve, options, context);
}
