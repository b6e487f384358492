import { commandLine, type RunOptions } from '../cli/options.ts';
import type { Failure } from '../errors.ts';
import { Stdout } from '../output/stdout.ts';
import type { PagedOperation } from '../service/contract.ts';
import { isNoList, isUnresumable, type Page } from '../service/pages.ts';
import { count, credits, thousands } from '../text/count.ts';
import { isUnsafe } from '../text/sanitize.ts';
import {
  firstEntries,
  type Listing,
  listPages,
  missingEntries,
  type Position,
  type Sink,
  startPosition,
} from './list-pages.ts';
import { outputFormat, printAll } from './output.ts';
import type { Reference } from './read-references.ts';
import { type Result, resultOf } from './results.ts';
import type { Run } from './run.ts';

/** Lists references to stdout; each page is written before the next one is requested. */
export async function printListings(
  run: Run,
  operation: PagedOperation,
  listings: readonly Reference[],
  several: boolean,
): Promise<readonly Result[]> {
  const { context, stderr, client, options } = run;
  const { format, isTerminalTable } = await outputFormat(operation, options, context, several);
  const output = new Stdout(context, stderr, isTerminalTable);
  client.readsMembers = format.readsMembers;
  const { limit, all, maxCredits, continuation } = options;
  // At a terminal, only these flags list more than the first page.
  const isFirstPageOnly = isTerminalTable && limit === null && !all && maxCredits.length === 0;

  const print = async (listing: Reference): Promise<Result> => {
    const result = await run.work(listing, () => printPages(listing));
    const opening = result.pages === 0 ? format.open(listing, null) : '';
    const hasMore = result.failure !== null || result.status === 'limited';
    if (!run.hasReaderLeft) await output.write(opening + format.close(listing, { ...result, hasMore }));
    return result;
  };

  const printPages = async (listing: Reference): Promise<Result> => {
    const isLast = listing === listings.at(-1);
    const first = firstEntries(operation, limit);
    const before = { ...startPosition, token: continuation };
    const select: Listing['select'] = (page, written) => {
      return { ...first(page, written), ...(isFirstPageOnly && { done: true }) };
    };
    let { id } = listing;
    const sink: Sink = {
      write: async ({ entries, done }, next, page) => {
        id ??= channelOf(page);
        if (next.pages === 1) await output.write(format.open(listing, page.info));
        const text = format.rows(listing, entries);
        const isMoreRequested = !isLast || (!done && next.hasMore);
        await (isMoreRequested ? output.writePage(text) : output.write(text));
      },
    };
    const requested = { operation, reference: listing.value, before, limit, select };
    const { position, pages, failure } = await listPages(run, requested, sink, listing.tally);
    const { entries, hasMore, token, total } = position;
    const isResumable = failure === null || canResume(failure, token);
    return resultOf(listing, {
      id,
      ...(failure === null && hasMore && { status: 'limited' }),
      entries,
      missing: missingEntries(total, pages, entries),
      pages,
      token: hasMore && isResumable ? token : null,
      failure,
      next:
        failure !== null && isResumable && listings.length === 1 ? resumeHint(run, position, failure) : null,
    });
  };

  const results = await printAll(run, listings, format, (text) => output.write(text), print);
  if (isFirstPageOnly && !run.hasReaderLeft)
    for (const result of results)
      if (result.status === 'limited') stderr.note(firstPageNote(result, listings.length > 1));
  return results;
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
function resumeHint({ options, budget }: Run, position: Position, failure: Failure): string | null {
  const { token } = position;
  if (token === null || token === options.continuation)
    return failure.code === 'budget' && budget.allowsNothing ? null : 'run the same command again';
  if (!isShowable(token)) return "the next page's token cannot be printed here; use --json to get it";
  return `resume with: ${continueCommand(options, position)}`;
}

/** Says of a listing that a terminal has cut how many entries there are, and what all of them cost. */
function firstPageNote({ label, entries, missing }: Result, isOneOfMany: boolean): string {
  // After a token, and if numVideos is too low, how many more there are is not known.
  const total = label === null || !missing ? null : entries + missing;
  const all =
    total === null
      ? 'there are more entries'
      : `${thousands(entries)} of ${count(total, 'entry', 'entries')}`;
  const cost =
    total === null || entries === 0 ? '1 credit per page' : `about ${credits(Math.ceil(total / entries))}`;
  return `${isOneOfMany ? `${label}: ` : ''}${all}; --all lists all for ${cost}`;
}

/** Maximum size of a token in a message (bytes). */
const maxShownBytes = 4096;

/** Whether a token can be shown in a message and pasted back into a shell. */
const isShowable = (token: string): boolean => !isUnsafe(token) && Buffer.byteLength(token) <= maxShownBytes;

/** The command that resumes at the page of a token. */
function continueCommand(
  options: RunOptions,
  { token, entries }: Pick<Position, 'token' | 'entries'>,
): string {
  const { invocation, limit } = options;
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  const drop = ['--from', '--continuation', '--limit'];
  return commandLine(invocation, [], { drop, add });
}
