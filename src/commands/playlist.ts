import type { Command } from 'commander';
import { operations } from '../api/contract.ts';
import { expectedReference } from '../api/references.ts';
import type { Start } from '../cli/commands.ts';
import { type ListingOptions, listingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { costSentence, document } from '../help/document.ts';
import { runListing } from '../run/run-listing.ts';

export function register(command: Command, start: Start): void {
  command.argument('[playlist...]', expectedReference.playlist);
  document(
    command,
    [
      'Lists every video of each public playlist, page by page.',
      costSentence(operations.playlist),
      'With -o the file appears once it is complete; if interrupted, run the same command to resume with the next page.',
    ],
    [
      ['take a quick look, without an account', 'chanlist playlist PLdemo --sandbox --limit 20'],
      ['print IDs and titles for a script', 'chanlist playlist PLdemo --fields videoId,title --ndjson'],
      ['export everything, or resume', 'chanlist playlist PLdemo -o playlist.csv'],
    ],
  );
  command.action((playlists: string[]) => start(run, listingOptions(command, playlists)));
}

/** Lists every video of each playlist (service specification, 4.5). */
export async function run(options: ListingOptions, context: Context): Promise<number> {
  return await runListing(operations.playlist, options, context);
}
