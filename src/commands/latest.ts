import type { Command } from 'commander';
import type { ResponseOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import { costSentence, document } from '../help/document.ts';
import { latestSize, operations } from '../service/contract.ts';
import { expectedReference } from '../service/references.ts';

/** Adds the argument and the help of `chanlist latest`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('[channel...]', expectedReference.channel);
  document(
    command,
    [`Prints the latest ${latestSize} uploads of each channel.`, costSentence(operations.latest)],
    [
      ['list the latest uploads of one channel, without an account', 'chanlist latest @demo --sandbox'],
      ['print the whole response of the service', 'chanlist latest @demo --json'],
      [
        'write the latest uploads of several channels for a spreadsheet',
        'chanlist latest --from refs.txt --fields @reference,videoId,title -o latest.csv',
      ],
    ],
  );
  command.action((references: string[]) =>
    start(
      async (options, context) =>
        (await import('../run/channels.ts')).askChannels(operations.latest, options, context),
      {
        ...command.optsWithGlobals<ResponseOptions>(),
        references,
      },
    ),
  );
}
