import { ClosedPipe, type Failure, toFailure } from '../errors.ts';
import { limitHeapGrowth } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';
import type { ProgressState } from '../output/progress-text.ts';
import { spent, type Tally } from '../service/budget.ts';
import type { PagedOperation } from '../service/contract.ts';
import { fetchPages, type Page } from '../service/pages.ts';
import type { Run } from './run.ts';

/** The position of a listing: what is needed to resume it. */
export interface Position {
  /** Token of the first page that is not fully written; null: the first page. */
  readonly token: string | null;
  readonly hasMore: boolean;
  /** Entries and pages written, in all runs. */
  readonly entries: number;
  readonly pages: number;
  readonly total: number | null;
}

export const startPosition: Position = { token: null, hasMore: true, entries: 0, pages: 0, total: null };

export interface Selection {
  readonly entries: readonly JsonText[];
  /** No further page is wanted. */
  readonly done: boolean;
  /** False if the limit cut the page: a resumed listing starts with this page again. */
  readonly isWhole: boolean;
}

export interface Listing {
  readonly operation: PagedOperation;
  /** What is sent for the first page; null: the listing starts at the token of `before`. */
  readonly reference: string | null;
  readonly before: Position;
  readonly limit: number | null;
  /** `written`: entries written so far. */
  select(page: Page, written: number): Selection;
}

export interface Sink {
  /** Runs before each page is fetched; throws to stop it. */
  beforePage?(): void;
  /** Writes the selected part of a page; `next` resumes the listing after it. */
  write(selection: Selection, next: Position, page: Page): Promise<void>;
}

/**
 * Lists one reference into a sink: a page is fetched only after the one before has been written. Returns the pages of this
 * run, and the failure that ended the listing early; a reader that has left is none (`Run.hasReaderLeft`).
 */
export async function listPages(
  run: Run,
  listing: Listing,
  sink: Sink,
  tally: Tally,
): Promise<{ readonly position: Position; readonly pages: number; readonly failure: Failure | null }> {
  const { operation, reference, before } = listing;
  let position = before;
  let count = 0;
  try {
    run.progress.update(progressOf(position, listing.limit, tally));
    if (!needsPage(before, listing.limit)) return { position, pages: 0, failure: null };
    sink.beforePage?.();
    for await (const page of fetchPages(run.client, operation, { reference, token: before.token }, tally)) {
      count++;
      const selection = listing.select(page, position.entries);
      const next = positionAfter(position, page, selection);
      await sink.write(selection, next, page);
      position = next;
      run.progress.update(progressOf(position, listing.limit, tally));
      if (selection.done || !next.hasMore) break;
      if (count === 1) await limitHeapGrowth();
      if (page.broken === null) sink.beforePage?.();
    }
    return { position, pages: count, failure: null };
  } catch (error) {
    run.hasReaderLeft ||= error instanceof ClosedPipe;
    return { position, pages: count, failure: error instanceof ClosedPipe ? null : toFailure(error) };
  }
}

function positionAfter(before: Position, page: Page, { entries, isWhole }: Selection): Position {
  const isPassed = isWhole && page.broken === null;
  return {
    token: isPassed ? page.next : page.token,
    hasMore: page.hasMore || !isWhole,
    entries: before.entries + entries.length,
    pages: before.pages + 1,
    total: page.total ?? before.total,
  };
}

function progressOf(position: Position, limit: number | null, { reference, credits }: Tally): ProgressState {
  const { entries, pages, total } = position;
  const expected = Math.min(Math.max(total ?? 0, entries), limit ?? Number.POSITIVE_INFINITY);
  return {
    ...{ reference, page: pages, entries, credits: spent(credits) },
    total: total === null ? limit : expected,
  };
}

export const needsPage = ({ hasMore, entries }: Position, limit: number | null): boolean =>
  hasMore && (limit === null || entries < limit);

/** numVideos less entries; null if no page was fetched, or it is unknown. */
export const missingEntries = (total: number | null, pages: number, entries: number): number | null =>
  total === null || pages === 0 ? null : Math.max(0, total - entries);

const idStart = Buffer.from('{"videoId":"');

/** The `videoId` of an entry; null if it has none. */
export function videoIdOf(entry: JsonText): string | null {
  return entry.textAfter(idStart) || entry.get('videoId')?.string() || null;
}

/**
 * Selects the first `limit` entries; of uploads none that stood on the page before (the list has moved). `before`: the IDs
 * on the one before the first.
 */
export function firstEntries(
  { distinct }: PagedOperation,
  limit: number | null,
  before: ReadonlySet<string> = new Set(),
): Listing['select'] {
  let previous = before;
  return ({ entries }, count) => {
    const rest = limit === null ? Number.POSITIVE_INFINITY : limit - count;
    const onPage = new Set<string>();
    const selected: JsonText[] = [];
    let isWhole = true;
    for (const entry of entries) {
      const id = distinct ? videoIdOf(entry) : null;
      if (id !== null) onPage.add(id);
      if (id !== null && previous.has(id)) continue;
      if (selected.length === rest) isWhole = false;
      else selected.push(entry);
    }
    if (entries.length > 0) previous = onPage;
    return { entries: selected, done: selected.length === rest, isWhole };
  };
}
