import type { Command } from 'commander';
import type { ListingOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import { costSentence, document, resumes } from '../help/document.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/references.ts';

/** Adds the argument and the help of `chanlist uploads` (docs/service.md, 4.3). */
export function register(command: Command, start: Start): void {
  const operation = operations.uploads;
  command.argument('[channel...]', expectedReference.channel);
  document(
    command,
    ['Lists every upload of each channel, page by page.', costSentence(operation), resumes],
    [
      ['take a quick look, without an account', 'chanlist uploads @demo --sandbox --limit 20'],
      ['print the request and its cost; send nothing', 'chanlist uploads @demo --dry-run'],
      ['export everything, or resume', 'chanlist uploads @demo -o demo.ndjson'],
      [
        'bring the file up to date; free if there is nothing new',
        'chanlist uploads @demo -o demo.ndjson --update',
      ],
      [
        'export many channels, one file each, for at most 100 credits',
        'chanlist uploads --from refs.txt --output-dir lists --max-credits 100',
      ],
    ],
  );
  command.action((references: string[]) =>
    start(
      async (options, context) => (await import('./listing.ts')).runListing(operation, options, context),
      {
        ...command.optsWithGlobals<ListingOptions>(),
        references,
      },
    ),
  );
}
