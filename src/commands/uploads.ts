import type { Argument, Example, RunCommand } from '../cli/command.ts';
import type { ListingOptions } from '../cli/options.ts';
import { costSentence, resumes } from '../help/document.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/parse-reference.ts';

export const args: readonly Argument[] = [['references', '[channel...]', expectedReference.channel]];

export const about = [
  'Lists every upload of each channel, page by page.',
  costSentence(operations.uploads),
  resumes,
];

export const examples: readonly Example[] = [
  ['list the first uploads, without an account', 'chanlist uploads @demo --sandbox --limit 20'],
  ['print the request and its cost; send nothing', 'chanlist uploads @demo --dry-run'],
  ['export everything, or resume', 'chanlist uploads @demo -o demo.ndjson'],
  [
    'bring the file up to date; free if there is nothing new',
    'chanlist uploads @demo -o demo.ndjson --update',
  ],
  [
    'export many channels for at most 100 credits',
    'chanlist uploads --from refs.txt --output-dir lists --max-credits 100',
  ],
];

/** Lists uploads (docs/service.md, 4.3). */
export const run: RunCommand<ListingOptions> = async (options, context, stderr) => {
  const { runListing } = await import('./run-listing.ts');
  return await runListing(operations.uploads, options, context, stderr);
};
