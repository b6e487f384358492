import { pageSize } from '../api/contract.ts';
import { spent } from '../api/credits.ts';
import type { Position } from './position.ts';
import type { Receipt } from './receipts.ts';

/** What bounds a listing. */
export interface Bounds {
  /** Maximum number of entries; null: all. */
  readonly limit: number | null;
  /** Entries at the end of the list that need not be listed (0). */
  readonly known?: number;
}

/** Entries that the listing will have, as far as numVideos or a limit tells; null if neither does. */
export function expectedEntries({ total, entries }: Position, { limit, known = 0 }: Bounds): number | null {
  return total === null ? limit : Math.min(Math.max(total - known, entries), limit ?? total);
}

/** Credits that the rest of a listing costs; null if it is not known. */
function creditsLeft(position: Position, bounds: Bounds): number | null {
  const all = expectedEntries(position, bounds);
  if (all === null) return null;
  const size = position.pages > 0 && position.entries > 0 ? position.entries / position.pages : pageSize;
  return Math.max(0, Math.ceil((all - position.entries) / size - 1e-9));
}

/** Credits that this run will have spent at its end. */
export function estimatedCredits(position: Position, bounds: Bounds, { tally }: Receipt): number | null {
  const left = creditsLeft(position, bounds);
  return left === null ? null : spent(tally.credits) + (position.hasMore ? left : 0);
}

/** The same after a budget has stopped it: at least one. */
export function creditsNeeded(position: Position, bounds: Bounds): number | null {
  const left = creditsLeft(position, bounds);
  return left === null ? null : Math.max(1, left);
}
