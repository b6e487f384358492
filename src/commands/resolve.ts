import type { Command } from 'commander';
import type { ResponseOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import { costSentence, document } from '../help/document.ts';
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
  command.action((references: string[]) =>
    start(
      async (options, context) =>
        (await import('../run/channels.ts')).askChannels(operations.resolve, options, context),
      {
        ...command.optsWithGlobals<ResponseOptions>(),
        references,
        limit: null,
        seen: null,
      },
    ),
  );
}
