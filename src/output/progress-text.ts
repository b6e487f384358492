import { span } from '../api/retry.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { cut, maxWidth } from './width.ts';

/** How far a listing is. */
export interface ProgressState {
  /** What is listed, where it should be named. */
  readonly reference?: string | null;
  /** Pages read so far. */
  readonly page: number;
  readonly entries: number;
  /** Entries in all, where that is known. */
  readonly total: number | null;
  /** Credits spent so far. */
  readonly credits: number;
  /** Credits that it will have cost at the end, where that is known. */
  readonly estimated: number | null;
}

/** When and with how many entries a listing began: a continued one has some already. */
export interface Started {
  /** Milliseconds of the clock that `now` is of. */
  readonly at: number;
  readonly entries: number;
}

/** Milliseconds before a rate means anything. */
const settling = 500;

/** One line for a listing under way, in at most `room` columns: what comes last goes first. */
export function progressText(state: ProgressState, started: Started, now: number, room: number): string {
  const { reference, page, entries, total, credits, estimated } = state;
  const elapsed = now - started.at;
  const rate = elapsed >= settling ? ((entries - started.entries) * 1000) / elapsed : 0;
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
  return fitting(reference ?? null, parts, room);
}

/** One line for a wait that has `left` milliseconds to go. */
export function waitText(left: number, why: string, room: number): string {
  return cut(`${sanitize(why)}: trying again in ${span(left)}`, room);
}

function fitting(reference: string | null, parts: readonly string[], room: number): string {
  const name = reference === null ? '' : `${cut(sanitize(reference), 32)}: `;
  for (let kept = parts.length; kept > 0; kept--) {
    const text = parts.slice(0, kept).join(', ');
    if (maxWidth(name + text, room) <= room) return name + text;
    if (kept <= 3 && maxWidth(text, room) <= room) return text;
  }
  return cut(parts[0] ?? '', room);
}
