import type { Argument, Example, RunCommand } from '../cli/command.ts';
import type { ListingOptions } from '../cli/options.ts';
import { costSentence, resumes } from '../help/document.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/parse-reference.ts';

export const args: readonly Argument[] = [['references', '[playlist...]', expectedReference.playlist]];

export const about = [
  'Lists every video of each public playlist, page by page.',
  costSentence(operations.playlist),
  resumes,
];

export const examples: readonly Example[] = [
  ['list the first videos, without an account', 'chanlist playlist PLdemo --sandbox --limit 20'],
  ['print IDs and titles for a script', 'chanlist playlist PLdemo --fields videoId,title --ndjson'],
  ['export everything, or resume', 'chanlist playlist PLdemo -o playlist.csv'],
];

/** Lists playlists (docs/service.md, 4.5), which have no feed: there is no update. */
export const run: RunCommand<Omit<ListingOptions, 'update' | 'printNew'>> = async (
  options,
  context,
  stderr,
) => {
  const { runListing } = await import('./run-listing.ts');
  return await runListing(
    operations.playlist,
    { ...options, update: false, printNew: false },
    context,
    stderr,
  );
};
