import { commandOf } from '../cli/options.ts';
import { toFailure } from '../errors.ts';
import { listingEnd, listingStart } from '../output/document.ts';
import { Stdout } from '../output/stdout.ts';
import type { Step } from '../text/command.ts';
import { count, credits, thousands } from '../text/count.ts';
import { isUnsafe } from '../text/sanitize.ts';
import {
  firstEntries,
  listPages,
  missingEntries,
  type Page,
  type Position,
  type Sink,
  startPosition,
  tokenOf,
} from './list-pages.ts';
import { outputFormat, printReferences } from './print-references.ts';
import { type Reference, valid } from './read-references.ts';
import { type Result, resultOf } from './results.ts';
import type { Run } from './run.ts';

/** Lists references to stdout. Each page is written before the next one is requested. */
export async function printListings(run: Run): Promise<readonly Result[]> {
  const { context, stderr, options, references } = run;
  const { format, isTerminalTable } = await outputFormat(run);
  const output = new Stdout(context, stderr, isTerminalTable);
  const { limit, all, maxCredits, continuation } = options;
  // At a terminal, only these flags list more than the first page.
  const isFirstPageOnly = isTerminalTable && limit === null && !all && maxCredits.length === 0;

  const print = async (reference: Reference): Promise<Result> => {
    const result = await run.work(reference, () => printPages(reference));
    const opening = result.pages === 0 ? format.open(reference, listingStart(null)) : '';
    const { failure, token } = result;
    const isCut = failure !== null && failure.code !== 'not_found';
    const hasMore = isCut || result.status === 'limited';
    const closing = opening + format.close(reference, listingEnd(hasMore, token, failure));
    if (!run.pipeClosed)
      await output.write(closing).catch((error) => {
        // The listing has failed with this error already.
        if (toFailure(error).message !== result.failure?.message) throw error;
      });
    return result;
  };

  const printPages = async (reference: Reference): Promise<Result> => {
    const isLast = reference === references.at(-1);
    const select = firstEntries(run);
    let { id } = reference;
    const sink: Sink = {
      select: (page, written) => ({ ...select(page, written), ...(isFirstPageOnly && { done: true }) }),
      write: async ({ entries, done }, next, page) => {
        id ??= channelOf(page);
        if (next.pages === 1) await output.write(format.open(reference, listingStart(page.info)));
        const text = format.rows(reference, entries);
        const isMoreRequested = !isLast || (!done && next.next !== 'end');
        await (isMoreRequested ? output.writePage(text) : output.write(text));
      },
    };
    const { value, tally } = reference;
    const before: Position =
      continuation === null ? startPosition : { ...startPosition, next: { token: continuation } };
    const { position, pages, failure } = await listPages(run, value, before, sink, tally);
    const { entries, next, total } = position;
    const isCut = failure !== null || run.pipeClosed;
    const resume = isCut && valid(references).length === 1 ? resumeStep(run, position) : null;
    return resultOf(reference, {
      id,
      ...(failure === null && next !== 'end' && { status: 'limited' }),
      entries,
      missing: missingEntries(total, pages, entries),
      pages,
      token: tokenOf(next),
      failure: resume === null ? failure : (failure?.resumableWith(resume) ?? null),
      resume,
    });
  };

  const results = await printReferences(run, format, (text) => output.write(text), print);
  if (isFirstPageOnly && !run.pipeClosed)
    for (const result of results)
      if (result.status === 'limited') stderr.result(firstPageNote(result, references.length > 1));
  return results;
}

/** The channel of a page; null if its first entry does not have it. */
function channelOf({ entries: [first] }: Page): string | null {
  const id = first?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

const maxShownBytes = 4096;

/** How to list the rest of a single reference; null if there is no page to resume with. */
function resumeStep(
  { options: { invocation, continuation, limit } }: Run,
  { next, entries }: Position,
): Step | null {
  const token = tokenOf(next);
  if (token === null || token === continuation) return null;
  if (isUnsafe(token) || Buffer.byteLength(token) > maxShownBytes)
    return "the next page's token cannot be printed here; use --json to get it";
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  const drop = ['--from', '--continuation', '--limit'];
  return commandOf(invocation, [], { purpose: 'resume with', drop, add });
}

/** How many entries a listing has that stopped after its first page, and what all of them cost. */
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
