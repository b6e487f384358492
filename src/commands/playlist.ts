import type { Command } from 'commander';
import type { ListingOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import { costSentence, document, resumes } from '../help/document.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/references.ts';

/** Adds the argument and the help of `chanlist playlist` (docs/service.md, 4.5). */
export function register(command: Command, start: Start): void {
  const operation = operations.playlist;
  command.argument('[playlist...]', expectedReference.playlist);
  document(
    command,
    ['Lists every video of each public playlist, page by page.', costSentence(operation), resumes],
    [
      ['take a quick look, without an account', 'chanlist playlist PLdemo --sandbox --limit 20'],
      ['print IDs and titles for a script', 'chanlist playlist PLdemo --fields videoId,title --ndjson'],
      ['export everything, or resume', 'chanlist playlist PLdemo -o playlist.csv'],
    ],
  );
  command.action((references: string[]) =>
    start(
      async (options, context) => (await import('./listing.ts')).runListing(operation, options, context),
      {
        ...command.optsWithGlobals<ListingOptions>(),
        references,
        update: false,
        printNew: false,
      },
    ),
  );
}
