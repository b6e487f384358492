import type { Command } from 'commander';
import { operations } from '../api/contract.ts';
import { expectedReference } from '../api/references.ts';
import type { Start } from '../cli/commands.ts';
import { type ListingOptions, listingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { costSentence, document } from '../help/document.ts';
import { runListing } from '../run/run-listing.ts';

export function register(command: Command, start: Start): void {
  command.argument('[channel...]', expectedReference.channel);
  document(
    command,
    [
      'Lists every upload of each channel, page by page.',
      costSentence(operations.uploads),
      'With -o the file appears once it is complete; if interrupted, run the same command to resume with the next page.',
    ],
    [
      ['take a quick look, without an account', 'chanlist uploads @demo --sandbox --limit 20'],
      ['print the request and its cost; send nothing', 'chanlist uploads @demo --dry-run'],
      ['export everything, or resume', 'chanlist uploads @demo -o demo.ndjson'],
      [
        'bring the file up to date: pay only for pages with new entries',
        'chanlist uploads @demo -o demo.ndjson --update',
      ],
      [
        'export many channels, one file each, for at most 100 credits',
        'chanlist uploads --from refs.txt --output-dir lists --max-credits 100',
      ],
    ],
  );
  command.action((channels: string[]) => start(run, listingOptions(command, channels)));
}

/** Lists every upload of each channel (service specification, 4.3). */
export async function run(options: ListingOptions, context: Context): Promise<number> {
  return await runListing(operations.uploads, options, context);
}
