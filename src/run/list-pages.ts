import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { limitHeapGrowth } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';
import { type Tally, totalCredits } from '../service/budget.ts';
import { parametersFor } from '../service/contract.ts';
import {
  type Next,
  type Page,
  type Position,
  readPage,
  stuckContinuation,
  tokenOf,
  videoIdOf,
} from '../service/page.ts';
import type { Run } from './run.ts';

/** The part of a page that is written. */
interface Selected {
  readonly entries: readonly JsonText[];
  /** Whether the listing ends with this page. */
  readonly done: boolean;
  /** False if the limit cut off entries of the page: a resumed listing requests this page again. */
  readonly takesWholePage: boolean;
}

export interface Sink {
  /** Selects the entries of a page to write. `written`: number of entries of earlier pages that were written. */
  select(page: Page, written: number): Selected;
  /** Runs before each page is fetched; throws to stop it. */
  beforePage?(): void;
  /** Writes the selected entries; `after`: where the listing continues once they are written. */
  write(selected: Selected, after: Position, page: Page): Promise<void>;
}

/**
 * Lists one reference into a sink. Requests a page only after the previous page has been written. Returns the number of
 * pages bought, and the failure that ended the listing early; null without a failure, and after a closed pipe.
 */
export async function listPages(
  run: Run,
  value: string,
  before: Position,
  sink: Sink,
  tally: Tally,
): Promise<{ readonly position: Position; readonly pages: number; readonly failure: Failure | null }> {
  const { limit, update } = run.options;
  const requestPage = pageReader(run, value, before.next, tally);
  let position = before;
  let pagesBought = 0;
  const showProgress = (): void => {
    const { entries, pages: page } = position;
    const { reference, credits } = tally;
    // Pages of an update repeat entries that FILE has.
    const total = update ? null : expectedEntries(position, limit);
    run.progress.update({ reference, page, entries, credits: totalCredits(credits), total });
  };
  try {
    showProgress();
    while (needsPage(position, limit)) {
      sink.beforePage?.();
      const page = await requestPage(position.next);
      pagesBought++;
      const selected = sink.select(page, position.entries);
      const after = {
        next: selected.takesWholePage ? page.next : position.next,
        entries: position.entries + selected.entries.length,
        pages: position.pages + 1,
        total: page.total ?? position.total,
      };
      await sink.write(selected, after, page);
      run.resetFailureCount();
      position = after;
      showProgress();
      if (selected.done) break;
      if (page.broken !== null) throw page.broken;
      if (pagesBought === 1) await limitHeapGrowth();
    }
    return { position, pages: pagesBought, failure: null };
  } catch (error) {
    if (error instanceof ClosedPipe) run.pipeClosed = true;
    const failure = error instanceof ClosedPipe ? null : toFailure(error);
    if (failure?.code === 'unresumable') position = { ...position, next: 'stuck' };
    return { position, pages: pagesBought, failure };
  }
}

/** Estimates how many entries a listing will have; null if that is unknown. */
function expectedEntries({ entries, total }: Position, limit: number | null): number | null {
  return total === null ? limit : Math.min(Math.max(total, entries), limit ?? Number.POSITIVE_INFINITY);
}

export const needsPage = ({ next, entries }: Position, limit: number | null): boolean =>
  next !== 'end' && (limit === null || entries < limit);

/** Returns numVideos less the entries, at least 0; null if no page was fetched, or if numVideos is unknown. */
export const missingCount = (total: number | null, pages: number, entries: number): number | null =>
  total === null || pages === 0 ? null : Math.max(0, total - entries);

/** Selects up to `limit` entries. Skips uploads in `exported`, or on the previous page: a new upload shifts the list. */
export function firstEntriesSelector(
  { operation, options }: Run,
  exported: ReadonlySet<string> = new Set(),
): Sink['select'] {
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  let previous: ReadonlySet<string> = new Set();
  return ({ entries }, written) => {
    const room = limit - written;
    const onPage = new Set<string>();
    const selected: JsonText[] = [];
    let takesWholePage = true;
    for (const entry of entries) {
      const id = operation.name === 'uploads' ? videoIdOf(entry) : null;
      if (id !== null) onPage.add(id);
      if (id !== null && (previous.has(id) || exported.has(id))) continue;
      if (selected.length === room) takesWholePage = false;
      else selected.push(entry);
    }
    if (entries.length > 0) previous = onPage;
    return { entries: selected, done: selected.length === room, takesWholePage };
  };
}

const maxEmptyPages = 10;
const refusedStatuses: ReadonlySet<number | null> = new Set([400, 404, 410, 422]);

/** Returns a function that requests the next page of a list, which begins at `start`. It throws the client's failures. */
function pageReader({ client, operation }: Run, value: string, start: Next, tally: Tally) {
  const seenTokens = new Set([tokenOf(start)]);
  let previous: Buffer | undefined;
  let emptyPages = 0;
  return async (at: Next): Promise<Page> => {
    const usedToken = tokenOf(at);
    const parameters = parametersFor(operation, value, usedToken);
    const response = await client.call(operation, parameters, tally).catch((error: unknown) => {
      throw usedToken === null ? error : failureWithToken(error);
    });
    const page = readPage(response);
    const isEmpty = page.entries.length === 0;
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    const token = tokenOf(page.next);
    const isRepeated = token !== null && seenTokens.has(token);
    seenTokens.add(token);
    const list = response.get('results')?.utf8;
    const isSame = !isEmpty && list !== undefined && previous?.equals(list);
    if (!isEmpty) previous = list;
    const loop = (what: string): Page => ({ ...page, ...stuckContinuation('loop', what) });
    if (isRepeated) return loop('the service repeated a continuation token');
    if (token !== null && emptyPages >= maxEmptyPages)
      return loop(`the service sent ${maxEmptyPages} empty pages in a row`);
    return isSame ? loop('the service sent the same page twice') : page;
  };
}

/** Rewords the failure of a request with a token: 404, for example, does not mean that the reference is gone. */
function failureWithToken(error: unknown): unknown {
  if (!(error instanceof Failure) || !refusedStatuses.has(error.status)) return error;
  const message = `the service does not accept the continuation token: ${error.message}`;
  const step = 'start the listing again from its first page';
  return new Failure('unresumable', message, { status: error.status, step });
}
