import { span } from '../service/retry.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { cut } from './width.ts';

export interface ProgressState {
  /** The listed reference, if it is shown. */
  readonly reference?: string | null;
  /** Pages read so far. */
  readonly page: number;
  readonly entries: number;
  /** Total number of entries; null if unknown. */
  readonly total: number | null;
  /** Credits spent so far. */
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
  const parts = [
    `page ${page}`,
    total === null ? count(entries, 'entry', 'entries') : `${entries} of ${count(total, 'entry', 'entries')}`,
    estimated === null || estimated < credits
      ? count(credits, 'credit', 'credits')
      : `${credits} of ${count(estimated, 'credit', 'credits')}`,
  ];
  if (rate > 0) {
    parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
    if (total !== null && total > entries) parts.push(`${span(((total - entries) / rate) * 1000)} left`);
  }
  const name = reference == null ? '' : `${cut(sanitize(reference), 32)}: `;
  return cut(name + parts.join(', '), room);
}

/** One line for a wait with `left` milliseconds remaining. */
export function waitText(left: number, why: string, room: number): string {
  return cut(`${sanitize(why)}: trying again in ${span(left)}`, room);
}
