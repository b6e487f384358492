import type { Command } from 'commander';
import { latestSize, operations } from '../api/contract.ts';
import { expectedReference } from '../api/references.ts';
import type { Start } from '../cli/commands.ts';
import { answerOptions } from '../cli/options.ts';
import { costSentence, document, type Example } from '../help/document.ts';
import { runChannels } from '../run/answers.ts';

/** The first paragraph and the examples of the help of each command. */
const help: Record<'resolve' | 'latest', { readonly about: string; readonly examples: readonly Example[] }> =
  {
    resolve: {
      about: 'Prints the canonical ID of each channel.',
      examples: [
        ['resolve a handle, without an account', 'chanlist resolve @demo --sandbox'],
        ['print the IDs alone, one per line', 'chanlist resolve @demo @empty --format id'],
        ['resolve a list, one reference per line', 'chanlist resolve --from refs.txt'],
      ],
    },
    latest: {
      about: `Prints the latest ${latestSize} uploads of each channel.`,
      examples: [
        ['list the latest uploads of one channel, without an account', 'chanlist latest @demo --sandbox'],
        ['print the whole response of the service', 'chanlist latest @demo --json'],
        [
          'write the latest uploads of several channels for a spreadsheet',
          'chanlist latest --from refs.txt --fields @reference,videoId,title -o latest.csv',
        ],
      ],
    },
  };

/** The free commands that print an answer for each channel (service specification, 4.1 and 4.4). */
export function register(command: Command, start: Start): void {
  const operation = operations[command.name() as keyof typeof help];
  const { about, examples } = help[operation.name];
  command.argument('[channel...]', expectedReference.channel);
  document(command, [about, costSentence(operation)], examples);
  command.action((channels: string[]) =>
    start((options, context) => runChannels(operation, options, context), answerOptions(command, channels)),
  );
}
