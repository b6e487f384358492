import type { Command } from 'commander';
import { latestSize, operations } from '../api/contract.ts';
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
    [`Prints the latest ${latestSize} uploads of each channel.`, costSentence(operations.latest)],
    [
      ['of one channel, without an account', 'chanlist latest @demo --sandbox'],
      ['the whole answer of the service', 'chanlist latest @demo --json'],
      [
        'of several channels, for a spreadsheet',
        'chanlist latest --from refs.txt --fields @reference,videoId,title -o latest.csv',
      ],
    ],
  );
  command.action((channels: string[], flags: BodyFlags) => start(run, bodyOptions(command, channels, flags)));
}

/** Prints the latest uploads of each channel (service specification, 4.4). */
export async function run(options: BodyOptions, context: Context): Promise<number> {
  return await runChannels(operations.latest, options, context);
}
