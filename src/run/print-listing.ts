import { commandLine, effectiveFormat, type ListingOptions } from '../cli/options.ts';
import type { Failure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { type Format, joined } from '../output/format.ts';
import type { Stdout } from '../output/stdout.ts';
import type { PagedOperation } from '../service/contract.ts';
import { isNoList, isUnresumable, type Page } from '../service/pages.ts';
import { count, credits, thousands } from '../text/count.ts';
import { isUnsafe } from '../text/sanitize.ts';
import {
  creditsLeft,
  firstEntries,
  type Listing,
  listPages,
  missingEntries,
  type Position,
  pagesOf,
  type Sink,
  startPosition,
} from './list-pages.ts';
import type { Run } from './open.ts';
import { openOutput, outputFormat } from './output.ts';
import { perPage } from './print-dry-run.ts';
import { type Result, resultOf, type Subject, unreachedResult } from './results.ts';

/** A listing on stdout: of a reference, or from a continuation token on. */
interface PrintedListing extends Subject {
  readonly value: string | null;
  readonly id: string | null;
}

interface Printing {
  readonly operation: PagedOperation;
  readonly options: ListingOptions;
  readonly listings: readonly PrintedListing[];
  readonly format: Format;
  readonly output: Stdout;
  /** A table at a terminal stops after the first page of each reference. */
  readonly isFirstPageOnly: boolean;
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
  const { format, isTerminalTable } = await outputFormat(operation, options, run.session.context, several);
  const output = await openOutput(target, run.session.context, run.session.stderr);
  run.session.client.readsMembers = format.readsMembers;
  const { limit, all, maxCredits } = options;
  if (listings.length > 1) run.session.shareProgress(listings.length);
  // Only these flags list more than the first page.
  const isFirstPageOnly = isTerminalTable && limit === null && !all && maxCredits.length === 0;
  const printing = { operation, options, listings, format, output, isFirstPageOnly };
  const results: Result[] = [];
  try {
    for (const listing of listings) {
      const result = await run.report.work(listing, () => printPages(run, printing, listing));
      results.push(result);
      if (run.report.hasReaderLeft) break;
      const opening = result.pages === 0 ? format.open(listing, null) : '';
      const hasMore = result.failure !== null || result.status === 'limited';
      await output.write(opening + format.close(listing, { ...result, hasMore }));
    }
    if (!run.report.hasReaderLeft) await output.write(format.tail());
  } catch (error) {
    run.report.endAt(error);
  }
  for (const warning of format.warnings()) run.report.warn('format', null, warning);
  if (!run.report.hasReaderLeft) noteMore(run, printing, results);
  return [
    ...results,
    ...listings.slice(results.length).map((one) => unreachedResult(one, run.report.stopped)),
  ];
}

/** Prints the pages of one listing; each is written before the next is fetched. */
async function printPages(run: Run, printing: Printing, listing: PrintedListing): Promise<Result> {
  const { operation, options, listings, format, output, isFirstPageOnly } = printing;
  const { limit, continuation } = options;
  const isLast = listing === listings.at(-1);
  const first = firstEntries(operation, limit);
  const onePage: Listing['select'] = (page, written) => ({ ...first(page, written), done: true });
  const printed: Listing = {
    operation,
    reference: listing.value,
    before: { ...startPosition, token: continuation },
    limit,
    select: isFirstPageOnly ? onePage : first,
  };
  let { id } = listing;
  const sink: Sink = {
    write: async ({ entries, done }, next, page) => {
      id ??= channelOf(page);
      const opening = next.pages === 1 ? format.open(listing, page.info) : '';
      const text = joined(opening, format.rows(listing, entries));
      const isMoreFetched = !isLast || (!done && next.hasMore);
      await (isMoreFetched ? output.writePage(text) : output.write(text));
    },
  };
  const { position, pages, failure } = await listPages(run, printed, sink, listing.tally);
  const { entries, hasMore, token, total } = position;
  const isResumable = failure === null || canResume(failure, token);
  return resultOf(listing, {
    id,
    file: options.output,
    ...(failure === null && hasMore && { status: 'limited' }),
    entries,
    missing: missingEntries(total, pages, entries),
    pages,
    token: hasMore && isResumable ? token : null,
    failure,
    next:
      failure !== null && isResumable && listings.length === 1
        ? resumeHint(run, options, position, failure)
        : null,
    creditsLeft: creditsLeft(position, limit),
  });
}

/** The channel that a page is of; null if its first entry does not say. */
function channelOf({ entries: [first] }: Page): string | null {
  const id = first?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

/** Whether the page that failed may be there in another run; `token`: that of the page, null for the first one. */
function canResume(failure: Failure, token: string | null): boolean {
  if (failure.code === 'invalid_response' || failure.code === 'loop') return false;
  return token === null ? !isNoList(failure) : !isUnresumable(failure, token);
}

/** How to list the rest of a single reference; null if the same would happen again. */
function resumeHint(run: Run, options: ListingOptions, position: Position, failure: Failure): string | null {
  const { token } = position;
  if (token === null || token === options.continuation)
    return failure.code === 'budget' && run.session.isNothingAllowed ? null : 'run the same command again';
  if (!isShowable(token)) return "the next page's token cannot be printed here; use --json to get it";
  return `resume with: ${continueCommand(options, position)}`;
}

/** Says of listings that `--limit` or a terminal has cut how to list more. */
function noteMore(
  run: Run,
  { options, listings, isFirstPageOnly }: Printing,
  results: readonly Result[],
): void {
  for (const result of results) {
    const { label, status, token } = result;
    const prefix = listings.length === 1 ? '' : `${label}: `;
    if (status !== 'limited') continue;
    if (isFirstPageOnly) run.session.stderr.note(`${prefix}${firstPageNote(result)}`);
    else if (listings.length === 1 && token !== null && isShowable(token)) {
      const command = continueCommand(options, result);
      run.session.stderr.note(`${prefix}more, from the first page not fully printed: ${command}`);
    }
  }
}

function firstPageNote({ label, entries, missing }: Result): string {
  // After a token, and if numVideos is too low, how many more there are is not known.
  const total = label === null || !missing ? null : entries + missing;
  const all =
    total === null
      ? 'there are more entries'
      : `${thousands(entries)} of ${count(total, 'entry', 'entries')}`;
  const cost = total === null || entries === 0 ? perPage : `about ${credits(pagesOf(total, entries))}`;
  return `${all}; --all lists all for ${cost}`;
}

/** Maximum size of a token in a message (bytes). */
const maxShownBytes = 4096;

/** Whether a token can be shown in a message and pasted back into a shell. */
const isShowable = (token: string): boolean => !isUnsafe(token) && Buffer.byteLength(token) <= maxShownBytes;

/** The command that resumes at the page of a token: on stdout, with the format of a device or a pipe. */
function continueCommand(
  options: ListingOptions,
  { token, entries }: Pick<Position, 'token' | 'entries'>,
): string {
  const { invocation, limit, output } = options;
  const drop = ['--from', '--output', '--continuation', '--limit'];
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  if (output !== null) {
    drop.push('--format');
    add.push({ name: '--format', value: effectiveFormat(options, false) });
  }
  return commandLine(invocation, [], { drop, add });
}
