import { commandOf } from '../cli/options.ts';
import type { Failure } from '../errors.ts';
import { listingEnd, listingStart } from '../output/document.ts';
import { type Next, type Page, type Position, startPosition, tokenOf } from '../service/page.ts';
import type { Step } from '../text/command.ts';
import { count, countCredits, thousands } from '../text/count.ts';
import { isUnsafe } from '../text/sanitize.ts';
import { collectResults, startOutput } from './collect-results.ts';
import { firstEntriesSelector, listPages, missingCount, type Sink } from './list-pages.ts';
import { type Reference, validReferences } from './read-references.ts';
import { type Result, resultOf } from './results.ts';
import type { Run } from './run.ts';

/** Lists references to stdout. Each page is written before the next one is requested. */
export async function printListings(run: Run): Promise<readonly Result[]> {
  const { operation, stdout, stderr, options, references } = run;
  const { format, isTerminalTable } = await startOutput(run);
  const { limit, all, maxCredits, continuation } = options;
  // At a terminal, only these flags list more than the first page.
  const isFirstPageOnly = isTerminalTable && limit === null && !all && maxCredits.length === 0;

  const printPages = async (reference: Reference): Promise<Result> => {
    const isLast = reference === references.at(-1);
    const select = firstEntriesSelector(run);
    let { id } = reference;
    const sink: Sink = {
      select: (page, written) => {
        const selected = select(page, written);
        return { ...selected, done: selected.done || (isFirstPageOnly && page.broken === null) };
      },
      beforePage: () => stdout.assertWritable(),
      write: async ({ entries, done }, after, page) => {
        if (operation.reference === 'channel') id ??= channelOf(page);
        if (after.pages === 1) await stdout.write(format.open(reference, listingStart(page.info)));
        const isMoreRequested = !isLast || (!done && after.next !== 'end');
        const text = format.rows(reference, entries, isMoreRequested);
        await (isMoreRequested ? stdout.writePage(text) : stdout.write(text));
      },
    };
    const { value, tally } = reference;
    const start: Next = continuation === null ? 'start' : { token: continuation };
    const listing = await listPages(run, value, { ...startPosition, next: start }, sink, tally);
    const { position, pages, failure } = listing;
    const { entries, next, total } = position;
    const isOnly = validReferences(references).length === 1;
    const isLimited = failure === null && next !== 'end';
    return resultOf(reference, {
      id,
      ...(isLimited && { status: 'limited' }),
      entries,
      missing: missingCount(total, pages, entries),
      pages,
      token: tokenOf(next),
      failure:
        failure &&
        (isOnly ? withResume(failure, resumeCommand(run, position)) : withoutResume(failure, pages)),
    });
  };

  const closingOf = (reference: Reference, { failure, token, status, pages }: Result): string => {
    if (reference.failure !== null) return stderr.withoutKeys(format.failed(reference, reference.failure));
    const hasMore = status === 'limited' || (failure !== null && failure.code !== 'not_found');
    const opening = pages === 0 ? format.open(reference, listingStart(null)) : '';
    return opening + format.close(reference, listingEnd(hasMore, token, failure));
  };

  async function* printed(): AsyncGenerator<Result> {
    for (const reference of references) {
      const result = await run.attempt(reference, () => printPages(reference));
      // Yield first: the result counts even if the text after it cannot be written.
      yield result;
      await stdout.write(closingOf(reference, result));
    }
  }

  const results = await collectResults(run, format, (text) => stdout.write(text), printed());
  if (isFirstPageOnly && !run.isReaderGone)
    for (const result of results)
      if (result.status === 'limited') stderr.print(firstPageNote(result, references.length > 1));
  return results;
}

/** Returns the ID of the channel of a page; null if its first entry has no such ID. */
function channelOf({ entries: [first] }: Page): string | null {
  const id = first?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

const maxShownBytes = 4096;

/** Says how to list the rest of a single reference; null if there is no page to resume with. */
function resumeCommand(
  { options: { invocation, continuation, limit } }: Run,
  { next, entries }: Position,
): Step | null {
  const token = tokenOf(next);
  if (token === null || token === continuation) return null;
  if (isUnsafe(token) || Buffer.byteLength(token) > maxShownBytes)
    return "the next page's token cannot be printed here; use --json to get it";
  const added = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) added.push({ name: '--limit', value: String(limit - entries) });
  const dropped = ['--from', '--continuation', '--limit'];
  return commandOf(invocation, 'resume with', [], dropped, added);
}

const withResume = (failure: Failure, resume: Step | null): Failure =>
  resume === null ? failure : failure.resumableWith(resume);

/** Advises on one of several listings that were stopped: no command resumes its page and then lists the next references. */
function withoutResume(failure: Failure, pages: number): Failure {
  const isStopped = failure.scope !== 'reference' && failure.hasDefaultStep;
  const step = 'the same command starts over; with --output-dir DIR it would resume';
  return isStopped && pages > 0 ? failure.with({ step }) : failure;
}

/** Says how many entries were listed on the first page, and what it costs to list all of them. */
function firstPageNote({ label, entries, missing }: Result, isOneOfMany: boolean): string {
  const name = isOneOfMany ? `${label}: ` : '';
  const perPage = '1 credit per page';
  // With --continuation, or if numVideos is too low, the number of further entries is unknown.
  if (label === null || !missing) return `${name}there are more entries; --all lists them all for ${perPage}`;
  const total = entries + missing;
  const cost = entries === 0 ? perPage : `about ${countCredits(Math.ceil(total / entries))}`;
  return `${name}${thousands(entries)} of ${count(total, 'entry', 'entries')}; --all lists them all for ${cost}`;
}
