import type { Command } from 'commander';
import { operations } from '../api/contract.ts';
import { addBodyOptions, type BodyFlags, type BodyOptions, bodyOptions } from '../cli/answer-options.ts';
import type { Start } from '../cli/command.ts';
import type { Context } from '../context.ts';
import { costSentence } from '../help/cost.ts';
import { document } from '../help/document.ts';
import { runChannels } from '../run/channel-answers.ts';

export function register(command: Command, start: Start): void {
  addBodyOptions(command);
  document(
    command,
    ['Says which canonical ID each channel has.', costSentence(operations.resolve)],
    [
      ['a handle, without an account', 'chanlist resolve @demo --sandbox'],
      ['the IDs alone, one a line', 'chanlist resolve @demo @empty --format id'],
      ['a list, one reference a line', 'chanlist resolve --from refs.txt'],
    ],
  );
  command.action((channels: string[], flags: BodyFlags) => start(run, bodyOptions(command, channels, flags)));
}

/** Prints the canonical ID of each channel (service specification, 4.1). */
export async function run(options: BodyOptions, context: Context): Promise<number> {
  return await runChannels(operations.resolve, options, context);
}
