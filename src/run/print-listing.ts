import { commandLine } from '../cli/invocation.ts';
import { effectiveFormat, type ListingOptions } from '../cli/options.ts';
import type { Failure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { parseFields } from '../output/fields.ts';
import { type Format, joined } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import type { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';
import { withEstimate } from '../service/budget.ts';
import type { PagedOperation } from '../service/contract.ts';
import { cannotResume, type Page } from '../service/pages.ts';
import { count, credits } from '../text/count.ts';
import { isShowable } from '../text/unsafe.ts';
import {
  creditsLeft,
  firstEntries,
  type Listing,
  listPages,
  type Position,
  type Sink,
  startPosition,
} from './listing.ts';
import { type Run, withUnreached } from './open.ts';
import { openOutput } from './output.ts';
import type { InputReference } from './references.ts';
import { newSubject, type Result, resultOf, type Subject } from './results.ts';

/** A listing on stdout: of a reference, or from a continuation token on. */
export interface PrintedListing extends Subject {
  readonly value: string | null;
  readonly id: string | null;
}

/** What is listed: the references, or the one listing of `--continuation`. */
export const listingsOf = (
  references: readonly InputReference[],
  token: string | null,
): readonly PrintedListing[] =>
  token === null ? references : [{ ...newSubject(null), value: null, id: null }];

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
  const { context } = run;
  const terminal = target === null ? decideTerminal(context.stdout, context.env, !options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const isQuickLook = terminal !== null && name === 'table' && isUnbounded(options);
  const fields = options.fields === null ? null : parseFields(options.fields, operation);
  const format = await createFormat(name, { operation, fields, several, terminal });
  const document = new OutputDocument(format, await openOutput(target, context, options, run.stderr));
  const results: Result[] = [];
  const notes: string[] = [];
  try {
    for (const listing of listings) {
      const isLast = listing === listings.at(-1);
      const sink = document.sink(listing, isLast);
      const result = await run.work(listing, async () => {
        const before = { ...startPosition, token: options.continuation };
        const first = firstEntries(operation, options.limit);
        let { id } = listing;
        const select: Listing['select'] = (page, written) => {
          id ??= channelOf(page);
          return first(page, written);
        };
        const listed = await listPages(
          run,
          {
            operation,
            reference: listing.value,
            before,
            limit: options.limit,
            select: isQuickLook ? onePage(select) : select,
          },
          sink,
          listing.tally,
        );
        const { position } = listed;
        let { failure } = listed;
        if (failure?.code === 'budget' && listings.length === 1)
          failure = withEstimate(failure, creditsLeft(position, options.limit) ?? 0);
        const isCut = failure === null && position.hasMore;
        if (isCut && isQuickLook) notes.push(quickLookNote(listing, position));
        else if (isCut && position.token !== null && isShowable(position.token) && listings.length === 1)
          notes.push(`more with: ${continueCommand(options, position)}`);
        return resultOf(listing, {
          id,
          file: options.output,
          status:
            failure !== null
              ? failure.scope === 'reference'
                ? 'failed'
                : 'interrupted'
              : isCut
                ? 'limited'
                : 'complete',
          entries: position.entries,
          missing:
            position.total === null || listed.pages === 0
              ? null
              : Math.max(0, position.total - position.entries),
          pages: listed.pages,
          token:
            failure !== null && isUnresumable(failure, position.token)
              ? null
              : position.hasMore
                ? position.token
                : null,
          failure,
          next:
            failure !== null && listings.length === 1 ? resumeHint(run, options, position, failure) : null,
        });
      });
      results.push(result);
      if (run.hasReaderLeft) return results;
      await sink.close(result);
    }
    await document.end();
  } catch (error) {
    run.endAt(error);
  } finally {
    for (const warning of format.warnings()) run.stderr.warn(warning);
  }
  for (const note of notes) run.stderr.note(note);
  return withUnreached(run, listings, results);
}

/** The channel that a page is of; null if its first entry does not say. */
function channelOf({ entries: [first] }: Page): string | null {
  const id = first?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

/** A table at a terminal is a quick look: only these flags list more than the first page. */
const isUnbounded = ({ limit, all, maxCredits }: ListingOptions): boolean =>
  limit === null && !all && maxCredits.length === 0;

const onePage =
  (select: Listing['select']): Listing['select'] =>
  (page, written) => ({ ...select(page, written), done: true });

/** The one document that the listings of a run make. */
class OutputDocument {
  readonly #format: Format;
  readonly #output: Stdout;
  #isOpen = false;

  constructor(format: Format, output: Stdout) {
    this.#format = format;
    this.#output = output;
  }

  /** The sink of one listing. `isLast`: nothing is fetched after it, so its last page need not detect a closed pipe. */
  sink(item: PrintedListing, isLast: boolean): Sink & { close(result: Result): Promise<void> } {
    const format = this.#format;
    const output = this.#output;
    let isOpen = false;
    return {
      write: async ({ entries, done }, next, page) => {
        const opening = isOpen ? '' : this.#head() + format.open(item, page.info);
        isOpen = true;
        const text = joined(opening, format.rows(item, entries));
        const isEnd = isLast && (done || !next.hasMore);
        await (isEnd ? output.write(text) : output.writePage(text));
      },
      close: async ({ failure, token, status }) => {
        const opening = isOpen ? '' : this.#head() + format.open(item, null);
        const hasMore = failure !== null || status === 'limited';
        const text = opening + format.close(item, { hasMore, token, failure });
        if (text !== '') await output.write(text);
      },
    };
  }

  /** Writes the end of the document, if there is a start of it. */
  async end(): Promise<void> {
    if (this.#isOpen) await this.#output.write(this.#format.tail());
  }

  #head(): string {
    if (this.#isOpen) return '';
    this.#isOpen = true;
    return this.#format.head();
  }
}

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

/** The command that resumes at the page of a token. */
function continueCommand({ invocation, limit }: ListingOptions, { token, entries }: Position): string {
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  return commandLine(invocation, [], { drop: ['--from', '--continuation', '--limit'], add });
}
