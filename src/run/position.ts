import { spent } from '../service/budget.ts';
import { pageSize } from '../service/contract.ts';
import type { Receipt } from './receipts.ts';

/** The position of a listing: the data needed to resume it. */
export interface Position {
  /** Token of the first page that is not fully written; null: the first page. */
  readonly token: string | null;
  readonly hasMore: boolean;
  /** Entries and pages written. */
  readonly entries: number;
  readonly pages: number;
  /** No more pages are wanted. */
  readonly done: boolean;
  /** numVideos, once known. */
  readonly total: number | null;
}

/** Before the first page. */
export const startPosition: Position = {
  token: null,
  hasMore: true,
  entries: 0,
  pages: 0,
  done: false,
  total: null,
};

/** The bounds of a listing. */
export interface Bounds {
  /** Maximum number of entries; null: all. */
  readonly limit: number | null;
  /** Entries at the end of the list that FILE has and that need no listing (0). */
  readonly known?: number;
}

/** The number of entries that the listing will have, from numVideos or a limit; null if unknown. */
export function expectedEntries({ total, entries }: Position, { limit, known = 0 }: Bounds): number | null {
  return total === null ? limit : Math.min(Math.max(total - known, entries), limit ?? total);
}

/** The credits that the rest of a listing costs; null if unknown. */
function creditsLeft(position: Position, bounds: Bounds): number | null {
  const all = expectedEntries(position, bounds);
  if (all === null) return null;
  const size = position.pages > 0 && position.entries > 0 ? position.entries / position.pages : pageSize;
  return Math.max(0, Math.ceil((all - position.entries) / size - 1e-9));
}

/** The credits that this run will have spent at its end; null if unknown. */
export function estimatedCredits(position: Position, bounds: Bounds, { tally }: Receipt): number | null {
  const left = creditsLeft(position, bounds);
  return left === null ? null : spent(tally.credits) + (position.hasMore ? left : 0);
}

/** The credits that a listing stopped by a budget needs, at least 1; null if unknown. */
export function creditsNeeded(position: Position, bounds: Bounds): number | null {
  const left = creditsLeft(position, bounds);
  return left === null ? null : Math.max(1, left);
}
