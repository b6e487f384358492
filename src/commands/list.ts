import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { listingOptions } from '../cli/options.ts';
import { costSentence, document, type Example } from '../help/document.ts';
import { runListing } from '../run/run-listing.ts';
import { operations, type PagedName } from '../service/contract.ts';
import { expectedReference } from '../service/references.ts';

const resumes =
  'With -o the file appears once it is complete; if interrupted, run the same command to resume with the next page.';

/** The first paragraph and the examples of the help of each command. */
const help: Record<PagedName, { readonly about: string; readonly examples: readonly Example[] }> = {
  uploads: {
    about: 'Lists every upload of each channel, page by page.',
    examples: [
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
  },
  playlist: {
    about: 'Lists every video of each public playlist, page by page.',
    examples: [
      ['take a quick look, without an account', 'chanlist playlist PLdemo --sandbox --limit 20'],
      ['print IDs and titles for a script', 'chanlist playlist PLdemo --fields videoId,title --ndjson'],
      ['export everything, or resume', 'chanlist playlist PLdemo -o playlist.csv'],
    ],
  },
};

/** The commands that list pages (service specification, 4.3 and 4.5): one for each paged operation. */
export function register(command: Command, start: Start): void {
  const operation = operations[command.name() as PagedName];
  const { about, examples } = help[operation.name];
  command.argument(`[${operation.reference}...]`, expectedReference[operation.reference]);
  document(command, [about, costSentence(operation), resumes], examples);
  command.action((references: string[]) =>
    start((options, context) => runListing(operation, options, context), listingOptions(command, references)),
  );
}
