import { commandLine } from '../cli/invocation.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Failure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { joined } from '../output/format.ts';
import type { PagedOperation } from '../service/contract.ts';
import { cannotResume, type Page } from '../service/pages.ts';
import { count, credits } from '../text/count.ts';
import { isUnsafe } from '../text/sanitize.ts';
import {
  creditsLeft,
  firstEntries,
  type Listing,
  listPages,
  type Position,
  type Sink,
  startPosition,
} from './listing.ts';
import type { Run } from './open.ts';
import { OutputDocument, openOutput, outputFormat } from './output.ts';
import { type Result, resultOf, type Subject, unreached } from './results.ts';

/** A listing on stdout: of a reference, or from a continuation token on. */
export interface PrintedListing extends Subject {
  readonly value: string | null;
  readonly id: string | null;
}

/**
 * Lists references to stdout, or to the device or pipe that `-o` names, one after another. Every reference has its place
 * in a json document, however the run ends.
 */
export async function printListings(
  run: Run,
  operation: PagedOperation,
  listings: readonly PrintedListing[],
  options: ListingOptions,
  { target, several }: { readonly target: Target | null; readonly several: boolean },
): Promise<readonly Result[]> {
  const { name, format, terminal } = await outputFormat(operation, options, run.context, several);
  const document = new OutputDocument(format, await openOutput(target, run.context, options, run.stderr));
  const { limit, all, maxCredits, continuation } = options;
  const isSingle = listings.length === 1;
  // Only these flags list more than the first page.
  const isQuickLook =
    terminal !== null && name === 'table' && limit === null && !all && maxCredits.length === 0;
  const results: Result[] = [];
  const notes: string[] = [];
  try {
    for (const listing of listings) {
      const isLast = listing === listings.at(-1);
      let { id } = listing;
      let isOpen = false;
      const opening = (info: Page['info']): string => {
        if (isOpen) return '';
        isOpen = true;
        return format.open(listing, info);
      };
      const sink: Sink = {
        write: async ({ entries, done }, next, page) => {
          id ??= channelOf(page);
          const isMoreFetched = !isLast || (!done && next.hasMore);
          await document.write(joined(opening(page.info), format.rows(listing, entries)), isMoreFetched);
        },
      };
      const result = await run.work(listing, async () => {
        const select = firstEntries(operation, limit);
        const { position, pages, failure } = await listPages(
          run,
          {
            operation,
            reference: listing.value,
            before: { ...startPosition, token: continuation },
            limit,
            select: isQuickLook ? onePage(select) : select,
          },
          sink,
          listing.tally,
        );
        const { total, entries, hasMore, token } = position;
        const isCut = failure === null && hasMore;
        if (isCut && isQuickLook) notes.push(quickLookNote(listing, position));
        else if (isCut && isSingle && token !== null && isShowable(token))
          notes.push(`more with: ${continueCommand(options, position)}`);
        return resultOf(listing, {
          id,
          file: options.output,
          ...(isCut && { status: 'limited' }),
          entries,
          missing: total === null || pages === 0 ? null : Math.max(0, total - entries),
          pages,
          token: hasMore && !(failure !== null && isUnresumable(failure, token)) ? token : null,
          failure,
          next: failure !== null && isSingle ? resumeHint(run, options, position, failure) : null,
          creditsLeft: creditsLeft(position, limit),
        });
      });
      results.push(result);
      if (run.hasReaderLeft) break;
      const hasMore = result.failure !== null || result.status === 'limited';
      await document.write(opening(null) + format.close(listing, { ...result, hasMore }));
    }
    if (!run.hasReaderLeft) await document.end();
  } catch (error) {
    run.endAt(error);
  }
  for (const warning of format.warnings()) run.stderr.warn(warning);
  if (!run.hasReaderLeft) for (const note of notes) run.stderr.note(note);
  return [...results, ...listings.slice(results.length).map((one) => unreached(one, run.stopped))];
}

/** The channel that a page is of; null if its first entry does not say. */
function channelOf({ entries: [first] }: Page): string | null {
  const id = first?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

const onePage =
  (select: Listing['select']): Listing['select'] =>
  (page, written) => ({ ...select(page, written), done: true });

/** How many entries there are, and what all of them cost. */
function quickLookNote({ label }: Subject, { total, entries, pages }: Position): string {
  // There are more than the page contains, whatever numVideos says; after a token, how many more is not known.
  const known = label !== null && total !== null && total > entries ? total : null;
  const all = known === null ? 'there are more entries' : `${entries} of ${count(known, 'entry', 'entries')}`;
  const cost =
    known === null || entries === 0
      ? '1 credit per page'
      : `about ${credits(Math.ceil(known / (entries / pages)))}`;
  return `${label === null ? '' : `${label}: `}${all}; --all lists all of them for ${cost}`;
}

/** Whether no command resumes a listing: its token was refused, or the response was invalid. */
const isUnresumable = (failure: Failure, token: string | null): boolean =>
  cannotResume(failure, token) || failure.code === 'bad_answer' || failure.code === 'loop';

/** How to list the rest of a single reference; null if that cannot work. */
function resumeHint(run: Run, options: ListingOptions, position: Position, failure: Failure): string | null {
  const isRefused = ['usage', 'not_found', 'refused'].includes(failure.code) && position.token === null;
  if (isRefused || isUnresumable(failure, position.token)) return null;
  const stopsAgain = failure.code === 'budget' && run.isNothingAllowed;
  if (position.token === null || position.token === options.continuation)
    return stopsAgain ? null : 'run the same command again';
  if (!isShowable(position.token))
    return "the next page's token cannot be printed here; use --json to get it";
  return `resume with: ${continueCommand(options, position)}`;
}

/** Maximum size of a token in a message (bytes). */
const maxShownBytes = 4096;

/** Whether a token can be shown in a message and pasted back into a shell. */
const isShowable = (token: string): boolean => !isUnsafe(token) && Buffer.byteLength(token) <= maxShownBytes;

/** The command that resumes at the page of a token. */
function continueCommand({ invocation, limit }: ListingOptions, { token, entries }: Position): string {
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  return commandLine(invocation, [], { drop: ['--from', '--continuation', '--limit'], add });
}
