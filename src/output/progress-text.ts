import { span } from '../service/retry.ts';
import { count, thousands } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { cut } from './width.ts';

export interface ProgressState {
  /** The listed reference, if it is shown. */
  readonly reference?: string | null;
  readonly page: number;
  readonly entries: number;
  /** Total number of entries; null if unknown. */
  readonly total: number | null;
  readonly credits: number;
  /** Estimated credits at the end; null if unknown. */
  readonly estimated: number | null;
}

/** The start of a listing: its time, and the entries of a resumed one. */
export interface ProgressStart {
  /** In milliseconds of the clock of `now`. */
  readonly at: number;
  readonly entries: number;
}

/** Columns of the name of a listing. */
const minName = 6;
const maxName = 32;

/** One line for a running listing, in at most `room` columns. */
export function progressText(
  state: ProgressState,
  started: ProgressStart,
  now: number,
  room: number,
): string {
  const { reference, page, entries, total, credits, estimated } = state;
  const elapsed = now - started.at;
  const rate = elapsed > 0 ? ((entries - started.entries) * 1000) / elapsed : 0;
  const of = (part: number, all: number | null, one: string, many: string): string =>
    all === null ? count(part, one, many) : `${thousands(part)}/${count(all, one, many)}`;
  const estimate = estimated === null || estimated < credits ? null : estimated;
  const parts = [
    `page ${thousands(page)}`,
    of(entries, total, 'entry', 'entries'),
    of(credits, estimate, 'credit', 'credits'),
  ];
  if (rate > 0) {
    parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
    if (total !== null && total > entries) parts.push(`${span(((total - entries) / rate) * 1000)} left`);
  }
  const text = parts.join(', ');
  // The name is cut before the time left is.
  const nameWidth = Math.max(minName, Math.min(maxName, room - text.length - 2));
  const name = reference == null ? '' : `${cut(sanitize(reference), nameWidth)}: `;
  return cut(name + text, room);
}

/** One line for a wait with `left` milliseconds remaining. */
export function waitText(left: number, why: string, room: number): string {
  return cut(`${sanitize(why)}: trying again in ${span(left)}`, room);
}
