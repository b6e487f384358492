import { span } from '../service/retry.ts';
import { count, credits, thousands } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { cut } from './width.ts';

/** The progress of a listing, or of a run of several. */
export type ProgressState = { readonly entries: number; readonly credits: number } & (
  | { readonly reference: string | null; readonly page: number; readonly total: number | null }
  /** `noun`: `channel` or `playlist`. */
  | { readonly done: number; readonly all: number; readonly noun: string }
);

/** One line of at most `room` columns. `started`: the time, and the entries that a resumed listing had. */
export function progressText(
  state: ProgressState,
  started: { readonly at: number; readonly entries: number },
  now: number,
  room: number,
): string {
  const { entries } = state;
  const entriesText = count(entries, 'entry', 'entries');
  const parts: string[] = [];
  if ('done' in state) {
    const { done, all, noun } = state;
    parts.push(`${thousands(done)}/${count(all, noun, `${noun}s`)}`, entriesText, credits(state.credits));
  } else {
    const { page, total } = state;
    const ofTotal =
      total === null ? entriesText : `${thousands(entries)}/${count(total, 'entry', 'entries')}`;
    parts.push(`page ${thousands(page)}`, ofTotal, credits(state.credits));
    const rate = now > started.at ? ((entries - started.entries) * 1000) / (now - started.at) : 0;
    if (rate > 0) parts.push(`${rate < 10 ? rate.toFixed(1) : thousands(Math.round(rate))}/s`);
    if (rate > 0 && total !== null && total > entries)
      parts.push(`${span(((total - entries) / rate) * 1000)} left`);
  }
  return cut(parts.join(', '), room);
}

/** One line for a wait with `left` milliseconds remaining. */
export function waitText(left: number, why: string, room: number): string {
  return cut(`${sanitize(why)}: trying again in ${span(left)}`, room);
}
