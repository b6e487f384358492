import { span } from '../service/retry.ts';
import { count, credits, thousands } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { cut } from './width.ts';

/** How far the listing of a reference is. */
export interface ListingState {
  readonly reference: string | null;
  readonly page: number;
  readonly entries: number;
  /** Entries expected in all; null if that is not known. */
  readonly total: number | null;
  readonly credits: number;
}

/** What a progress line shows: the references of a run, of which `done` have ended. */
export interface Progress {
  readonly listings: readonly ListingState[];
  readonly done: number;
  readonly all: number;
  /** `channel` or `playlist`. */
  readonly noun: string;
  /** The time (ms) of the first page, and the entries that a resumed listing had. */
  readonly started: { readonly at: number; readonly entries: number };
}

/** One line of at most `room` columns; several references are counted, and have no time left. */
export function progressText(progress: Progress, now: number, room: number): string {
  const { listings, done, all, noun } = progress;
  if (all === 1)
    return cut(listings.flatMap((listing) => listingParts(listing, progress, now)).join(', '), room);
  const entries = listings.reduce((sum, listing) => sum + listing.entries, 0);
  const spent = listings.reduce((sum, listing) => sum + listing.credits, 0);
  const references = `${thousands(done)}/${count(all, noun, `${noun}s`)}`;
  return cut([references, count(entries, 'entry', 'entries'), credits(spent)].join(', '), room);
}

function listingParts(
  { page, entries, total, credits: spent }: ListingState,
  { started }: Progress,
  now: number,
): string[] {
  const listed =
    (total === null ? '' : `${thousands(entries)}/`) + count(total ?? entries, 'entry', 'entries');
  const parts = [`page ${thousands(page)}`, listed, credits(spent)];
  if (entries <= started.entries || now <= started.at) return parts;
  const rate = ((entries - started.entries) * 1000) / (now - started.at);
  parts.push(`${rate < 10 ? rate.toFixed(1) : thousands(Math.round(rate))}/s`);
  if (total !== null && total > entries) parts.push(`${span(((total - entries) / rate) * 1000)} left`);
  return parts;
}

/** One line for a wait with `left` milliseconds remaining. */
export function waitText(left: number, why: string, room: number): string {
  return cut(`trying again in ${span(left)}: ${sanitize(why)}`, room);
}
