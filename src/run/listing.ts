import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { ListingEnd } from '../output/format.ts';
import { spent } from '../service/budget.ts';
import type { PagedOperation } from '../service/contract.ts';
import { type Page, type PagesStart, pages } from '../service/pages.ts';
import { keepHeapFlat } from './flat-heap.ts';
import { type Bounds, creditsNeeded, estimatedCredits, expectedEntries, type Position } from './position.ts';
import type { Receipt } from './receipts.ts';
import type { Session } from './session.ts';

/** The selected entries of a page. */
export interface Selection {
  readonly entries: readonly JsonText[];
  /** Updates: entries that go below the old ones, once FILE's last entry has been listed. */
  readonly below?: readonly JsonText[];
  /** The listing ends here. */
  readonly done: boolean;
  /** The whole page was consumed: the next page follows it. */
  readonly fullyConsumed: boolean;
}

/** Where the pages of a listing go. */
export interface PageSink {
  /**
   * Takes the selected entries of a page. When it resolves they are written, and the next page may be bought.
   * `resumable`: the listing can be resumed at `position`.
   */
  page(selection: Selection, position: Position, page: Page, resumable: boolean): Promise<void>;
  /** Ends the listing, complete or cut short. */
  close?(end: ListingEnd): Promise<void>;
}

export interface ListingPlan extends Bounds {
  readonly operation: PagedOperation;
  readonly reference: string | null;
  readonly start: PagesStart;
  /** The position that an earlier run reached. */
  readonly before: Position;
  /** Selects entries of a page; `written`: the number of entries before it. */
  select(page: Page, written: number): Selection | Promise<Selection>;
  /** Runs before each page is bought; throws to stop the purchase. */
  beforePage?(): Promise<void>;
}

/**
 * Lists one reference into a sink, page by page: the one loop over pages. The receipt follows it. Throws the failure
 * that ended the listing early, after the sink has been closed with it.
 */
export async function listPages(
  session: Session,
  plan: ListingPlan,
  sink: PageSink,
  receipt: Receipt,
): Promise<void> {
  const { before } = plan;
  let position: Position = { ...before, token: plan.start.token };
  let failure: Failure | null = null;
  const update = (): void => {
    receipt.entries = position.entries;
    receipt.total = position.total;
    receipt.token = position.hasMore ? position.token : null;
    session.progress.update({
      reference: plan.reference ?? '',
      page: position.pages,
      entries: position.entries,
      total: expectedEntries(position, plan),
      credits: spent(receipt.tally.credits),
      estimated: estimatedCredits(position, plan, receipt),
    });
  };
  try {
    session.throwIfEnded();
    update();
    if (!before.done) {
      await plan.beforePage?.();
      for await (const page of pages(session.client, plan.operation, plan.start, receipt.tally)) {
        session.succeed();
        receipt.pages++;
        receipt.id ??= channelOf(page);
        const selection = await plan.select(page, position.entries);
        const resumable = selection.fullyConsumed && page.broken === null;
        const next = positionAfter(position, page, selection, resumable);
        await sink.page(selection, next, page, resumable);
        position = next;
        update();
        if (next.done) break;
        if (receipt.pages === 1) await keepHeapFlat();
        if (page.broken === null) await plan.beforePage?.();
      }
    }
    receipt.status = position.hasMore ? 'limited' : 'complete';
  } catch (error) {
    if (error instanceof ClosedPipe) throw error;
    failure = toFailure(error);
    if (position.token !== null && failure.code === 'not_found') failure = tokenNotFound(failure);
    if (failure.code === 'budget') receipt.needed = creditsNeeded(position, plan);
  }
  update();
  compareWithTotal(receipt, position, plan);
  await sink.close?.({
    hasMore: failure !== null || position.hasMore,
    token: failure === null ? receipt.token : position.token,
    failure,
  });
  if (failure !== null) throw failure;
}

function positionAfter(before: Position, page: Page, selection: Selection, resumable: boolean): Position {
  return {
    token: resumable ? page.next : page.token,
    hasMore: page.hasMore || !selection.fullyConsumed,
    entries: before.entries + selection.entries.length + (selection.below?.length ?? 0),
    pages: before.pages + 1,
    done: selection.done || (resumable && !page.hasMore),
    total: page.total ?? before.total,
  };
}

/** Whether a failed request for a page means that the service no longer accepts its token. */
export const isTokenRefused = ({ status }: Failure): boolean =>
  status !== null && [400, 404, 410, 422].includes(status);

/** A 404 to a token does not mean that the reference is gone. */
function tokenNotFound({ message, status }: Failure): Failure {
  return new Failure('refused', `the continuation token was ${message}`, {
    status,
    hint: 'list the reference again from its first page, or resume',
  });
}

/** Compares the entries with numVideos, if this run bought a page: for information, never an error. */
function compareWithTotal(receipt: Receipt, { total, entries }: Position, { known = 0 }: Bounds): void {
  if (receipt.pages === 0 || total === null) return;
  receipt.missing = Math.max(0, total - known - entries);
  receipt.disappeared = Math.max(0, known + entries - total);
}

/** Whether a reference does not exist: its first page was refused. */
export const isMissing = ({ code }: Failure, { pages }: Pick<Position, 'pages'>): boolean =>
  pages === 0 && (code === 'not_found' || code === 'usage' || code === 'refused');

function channelOf(page: Page): string | null {
  const id = page.entries[0]?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

const idStart = Buffer.from('{"videoId":"');

/** The `videoId` of an entry; null if it has none. */
export function videoIdOf(entry: JsonText): string | null {
  return entry.textAfter(idStart) || entry.get('videoId')?.string() || null;
}

/**
 * Drops entries that were on the previous page: the uploads list moves if a video is added while it is read. `ids`: the
 * video IDs of the last page of an earlier run; `written`: those of all its pages. If a list may hold a video twice,
 * nothing is dropped.
 */
export function repeatFilter(
  operation: PagedOperation,
  ids: readonly string[],
  written: { has(id: string): boolean } = new Set(),
): { take(page: Page): readonly JsonText[]; ids(): readonly string[] } {
  if (!operation.distinct) return { take: ({ entries }) => entries, ids: () => [] };
  let before = new Set(ids);
  return {
    take: ({ entries }) => {
      const current = entries.map(videoIdOf);
      const isRepeated = (id: string | null | undefined): boolean =>
        id != null && (before.has(id) || written.has(id));
      const kept = current.some(isRepeated) ? entries.filter((_, i) => !isRepeated(current[i])) : entries;
      if (entries.length > 0) before = new Set(current.filter((id) => id !== null));
      return kept;
    },
    ids: () => [...before],
  };
}

/** Selects the first `limit` entries of a listing; null: all. `take`: the entries of a page. */
export function firstEntries(
  limit: number | null,
  take: (page: Page) => readonly JsonText[],
): ListingPlan['select'] {
  return (page, written) => {
    const entries = take(page);
    const room = limit === null ? Number.POSITIVE_INFINITY : limit - written;
    const fullyConsumed = entries.length <= room;
    const wanted = fullyConsumed ? entries : entries.slice(0, room);
    return { entries: wanted, done: wanted.length === room, fullyConsumed };
  };
}
