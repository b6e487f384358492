import type { Command } from 'commander';
import { operations } from '../api/contract.ts';
import type { Start } from '../cli/command.ts';
import {
  addListingOptions,
  type ListingFlags,
  type ListingOptions,
  listingOptions,
} from '../cli/listing-options.ts';
import type { Context } from '../context.ts';
import { costSentence } from '../help/cost.ts';
import { document } from '../help/document.ts';
import { runListing } from '../run/run-listing.ts';

export function register(command: Command, start: Start): void {
  addListingOptions(command, 'playlist');
  document(
    command,
    [
      'Lists every video of each public playlist, page by page.',
      costSentence(operations.playlist),
      'With -o the same command continues with the next page where it was interrupted; the file appears once it is ' +
        'complete.',
    ],
    [
      ['a look at it, without an account', 'chanlist playlist PLdemo --sandbox --limit 20'],
      ['IDs and titles, tidy for a script', 'chanlist playlist PLdemo --fields videoId,title --ndjson'],
      ['export all, or go on with that', 'chanlist playlist PLdemo -o playlist.csv'],
    ],
  );
  command.action((playlists: string[], flags: ListingFlags) =>
    start(run, listingOptions(command, playlists, flags)),
  );
}

/** Lists every video of each playlist (service specification, 4.5). */
export async function run(options: ListingOptions, context: Context): Promise<number> {
  return await runListing(operations.playlist, 'playlist', options, context);
}
