import { commandLine } from '../cli/invocation.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Failure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { type Format, joined } from '../output/format.ts';
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
  type Selection,
  type Sink,
  startPosition,
} from './listing.ts';
import type { Run } from './open.ts';
import { OutputDocument, openOutput, outputFormat } from './output.ts';
import { type Result, resultOf, type Subject, unreached } from './results.ts';

/** A listing on stdout: of a reference, or from a continuation token on. */
interface PrintedListing extends Subject {
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
  const { limit, all, maxCredits } = options;
  const isSingle = listings.length === 1;
  // Only these flags list more than the first page.
  const isFirstPageOnly =
    terminal !== null && name === 'table' && limit === null && !all && maxCredits.length === 0;
  const results: Result[] = [];
  try {
    for (const listing of listings) {
      const sink = new DocumentSink(document, format, listing, listing === listings.at(-1));
      const result = await run.work(listing, () =>
        printPages(run, operation, sink, options, { isFirstPageOnly, isSingle }),
      );
      results.push(result);
      if (run.hasReaderLeft) break;
      await sink.close(result);
    }
    if (!run.hasReaderLeft) await document.end();
  } catch (error) {
    run.endAt(error);
  }
  for (const warning of format.warnings()) run.stderr.warn(warning);
  if (!run.hasReaderLeft)
    for (const result of results) {
      if (result.status !== 'limited') continue;
      if (isFirstPageOnly) run.stderr.note(`${about(result)}${firstPageNote(result)}`);
      else if (isSingle && result.token !== null && isShowable(result.token))
        run.stderr.note(
          `${about(result)}more, from the first page not fully printed: ${continueCommand(options, result)}`,
        );
    }
  return [...results, ...listings.slice(results.length).map((one) => unreached(one, run.stopped))];
}

/** Prints the pages of one listing. */
class DocumentSink implements Sink {
  /** The channel or playlist; null if it is not known. */
  id: string | null;
  readonly listing: PrintedListing;
  readonly #document: OutputDocument;
  readonly #format: Format;
  readonly #isLast: boolean;
  #isOpen = false;

  constructor(document: OutputDocument, format: Format, listing: PrintedListing, isLast: boolean) {
    this.id = listing.id;
    this.#document = document;
    this.#format = format;
    this.listing = listing;
    this.#isLast = isLast;
  }

  async write({ entries, done }: Selection, next: Position, page: Page): Promise<void> {
    this.id ??= channelOf(page);
    const isMoreFetched = !this.#isLast || (!done && next.hasMore);
    const text = joined(this.#opening(page.info), this.#format.rows(this.listing, entries));
    await this.#document.write(text, isMoreFetched);
  }

  /** Ends the listing in the document. */
  async close(result: Result): Promise<void> {
    const hasMore = result.failure !== null || result.status === 'limited';
    const closing = this.#format.close(this.listing, { ...result, hasMore });
    await this.#document.write(this.#opening(null) + closing);
  }

  #opening(info: Page['info']): string {
    if (this.#isOpen) return '';
    this.#isOpen = true;
    return this.#format.open(this.listing, info);
  }
}

/** Prints the pages of one listing. */
async function printPages(
  run: Run,
  operation: PagedOperation,
  sink: DocumentSink,
  options: ListingOptions,
  { isFirstPageOnly, isSingle }: { readonly isFirstPageOnly: boolean; readonly isSingle: boolean },
): Promise<Result> {
  const { listing } = sink;
  const { limit, continuation } = options;
  const before = { ...startPosition, token: continuation };
  const first = firstEntries(operation, limit);
  const select = isFirstPageOnly ? onePage(first) : first;
  const wanted = { operation, reference: listing.value, before, limit, select };
  const { position, pages, failure } = await listPages(run, wanted, sink, listing.tally);
  const { entries, hasMore, token, total } = position;
  const isResumable = failure === null || !isUnresumable(failure, token);
  return resultOf(listing, {
    id: sink.id,
    file: options.output,
    ...(failure === null && hasMore && { status: 'limited' }),
    entries,
    missing: total === null || pages === 0 ? null : Math.max(0, total - entries),
    pages,
    token: hasMore && isResumable ? token : null,
    failure,
    next: failure !== null && isSingle ? resumeHint(run, options, position, failure) : null,
    creditsLeft: creditsLeft(position, limit),
  });
}

/** The channel that a page is of; null if its first entry does not say. */
function channelOf({ entries: [first] }: Page): string | null {
  const id = first?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

const onePage =
  (select: Listing['select']): Listing['select'] =>
  (page, written) => ({ ...select(page, written), done: true });

const about = ({ label }: Subject): string => (label === null ? '' : `${label}: `);

/** How many entries there are, and what all of them cost. */
function firstPageNote({ label, entries, missing }: Result): string {
  // After a token, and if numVideos is too low, how many more there are is not known.
  const total = label === null || !missing ? null : entries + missing;
  const all = total === null ? 'there are more entries' : `${entries} of ${count(total, 'entry', 'entries')}`;
  const cost =
    total === null || entries === 0 ? '1 credit per page' : `about ${credits(Math.ceil(total / entries))}`;
  return `${all}; --all lists all of them for ${cost}`;
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
function continueCommand(
  { invocation, limit }: ListingOptions,
  { token, entries }: Pick<Position, 'token' | 'entries'>,
): string {
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  return commandLine(invocation, [], { drop: ['--from', '--continuation', '--limit'], add });
}
