import { budgetSpent, spent } from '../api/credits.ts';
import { type Page, type PagedOperation, type PagesStart, pages } from '../api/pages.ts';
import { ClosedPipe, type Failure, toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { type Format, type Item, joined, type ListingEnd, type Text } from '../output/format.ts';
import { type Bounds, creditsNeeded, estimatedCredits, wanted } from './estimate.ts';
import { keepMemoryFlat } from './flat-heap.ts';
import type { Position } from './position.ts';
import { failed, type Receipt } from './receipts.ts';
import type { Call } from './session.ts';

/** Where the text of a listing goes. */
export interface PageSink {
  /**
   * Takes the text of a page. When it resolves, the text is where it belongs and the next page may be bought.
   * `page` is null where the listing cannot be continued behind it.
   */
  page(text: Text, position: Position, page: Page | null): Promise<void>;
  /** Takes the closing text of a listing, whole or cut short. */
  close(text: string, end: ListingEnd): Promise<void>;
}

/** Which entries of a page are wanted, and whether that is the end of the listing. */
export interface Selection {
  readonly entries: readonly JsonText[];
  readonly done: boolean;
  /** Nothing behind these is left of the page (default: where they are as many as the page has). */
  readonly whole?: boolean;
}

export interface ListingPlan extends Bounds {
  readonly operation: PagedOperation;
  readonly item: Item;
  readonly start: PagesStart;
  /** Where an earlier run has come to. */
  readonly before: Position;
  /** `entries`: how many were written before this page. */
  select(page: Page, entries: number): Promise<Selection> | Selection;
  /** What a failure means here. */
  explain?(failure: Failure): Failure;
}

/** A selection of the first `limit` entries of a listing; null: of all. */
export function firstEntries(limit: number | null): ListingPlan['select'] {
  return (page, entries) => {
    const room = limit === null ? Number.POSITIVE_INFINITY : limit - entries;
    const wanted = page.entries.length <= room ? page.entries : page.entries.slice(0, room);
    return { entries: wanted, done: wanted.length === room };
  };
}

/**
 * Lists one reference into a sink, page after page. How it ended is in the receipt; a failure that is not of
 * this reference alone is thrown as well, after the sink has been closed.
 */
export async function list(
  call: Call,
  plan: ListingPlan,
  format: Format,
  sink: PageSink,
  receipt: Receipt,
): Promise<void> {
  const { item, before } = plan;
  const pagesBefore = receipt.pages - before.pages;
  let position: Position = { ...before, token: plan.start.token };
  let opened = before.pages > 0;
  let failure: Failure | null = null;
  const account = (): void => {
    receipt.entries = position.entries;
    receipt.pages = pagesBefore + position.pages;
    receipt.total = position.total;
    receipt.token = position.hasMore ? position.token : null;
  };
  const progress = (): void => {
    call.progress.update({
      reference: item.reference ?? '',
      page: position.pages,
      entries: position.entries,
      total: wanted(position, plan),
      credits: spent(receipt.tally.credits),
      estimated: estimatedCredits(position, plan, receipt),
    });
  };
  try {
    call.checkHalted();
    progress();
    const source = before.done ? [] : pages(call.client, plan.operation, plan.start, receipt.tally);
    for await (const page of source) {
      receipt.id ??= channelOf(page);
      const selection = await plan.select(page, position.entries);
      const { entries, done, whole = entries.length === page.entries.length } = selection;
      const goesOn = whole && page.broken === null;
      const opening = opened ? '' : format.open(item, page.info);
      const separator = position.entries > 0 && entries.length > 0 ? format.separator : '';
      const text = joined(opening + separator, format.rows(item, entries));
      const next: Position = {
        token: goesOn ? page.next : page.token,
        hasMore: page.hasMore || !whole,
        entries: position.entries + entries.length,
        pages: position.pages + 1,
        done: done || (goesOn && !page.hasMore),
        total: page.total ?? position.total,
      };
      await sink.page(text, next, goesOn ? page : null);
      for (const warning of format.warnings()) call.stderr.warn(warning);
      opened = true;
      position = next;
      account();
      progress();
      if (next.done) break;
      if (receipt.pages === 1) await keepMemoryFlat();
      call.checkHalted();
    }
    receipt.status = position.hasMore ? 'limited' : 'complete';
  } catch (error) {
    if (error instanceof ClosedPipe) throw error;
    const thrown = toFailure(error);
    receipt.needed = thrown.code === 'budget' ? creditsNeeded(position, plan) : null;
    const told = receipt.needed === null ? thrown : budgetSpent(call.budget, { credits: receipt.needed });
    failure = plan.explain?.(told) ?? told;
    failed(receipt, failure);
  }
  account();
  const end = {
    hasMore: failure !== null || position.hasMore,
    token: failure === null ? receipt.token : position.token,
    failure,
  };
  try {
    await sink.close((opened ? '' : format.open(item, null)) + format.close(item, end), end);
  } catch (error) {
    if (!(error instanceof ClosedPipe) && receipt.failure === null) failed(receipt, toFailure(error));
    throw error;
  }
  if (failure?.scope === 'call') throw failure;
}

function channelOf(page: Page): string | null {
  const id = page.entries[0]?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}
