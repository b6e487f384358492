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
  addListingOptions(command, 'channel');
  document(
    command,
    [
      'Lists every upload of each channel, page by page.',
      costSentence(operations.uploads),
      'With -o the same command continues with the next page where it was interrupted; the file appears once it is ' +
        'complete.',
    ],
    [
      ['a look at it, without an account', 'chanlist uploads @demo --sandbox --limit 20'],
      ['what it would ask for and cost', 'chanlist uploads @demo --dry-run'],
      ['export all, or go on with that', 'chanlist uploads @demo -o demo.ndjson'],
      [
        'bring it up to date every night: pays for what is new',
        'chanlist uploads @demo -o demo.ndjson --update',
      ],
      [
        'many channels, a file for each, 100 credits at the most',
        'chanlist uploads --from refs.txt --output-dir lists --max-credits 100',
      ],
    ],
  );
  command.action((channels: string[], flags: ListingFlags) =>
    start(run, listingOptions(command, channels, flags)),
  );
}

/** Lists every upload of each channel (service specification, 4.3). */
export async function run(options: ListingOptions, context: Context): Promise<number> {
  return await runListing(operations.uploads, 'channel', options, context);
}
