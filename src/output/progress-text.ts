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
  const total = 'done' in state ? null : state.total;
  const parts = [
    'done' in state
      ? `${thousands(state.done)}/${count(state.all, state.noun, `${state.noun}s`)}`
      : `page ${thousands(state.page)}`,
    (total === null ? '' : `${thousands(entries)}/`) + count(total ?? entries, 'entry', 'entries'),
    credits(state.credits),
  ];
  if (!('done' in state) && entries > started.entries && now > started.at) {
    const rate = ((entries - started.entries) * 1000) / (now - started.at);
    parts.push(`${rate < 10 ? rate.toFixed(1) : thousands(Math.round(rate))}/s`);
    if (total !== null && total > entries) parts.push(`${span(((total - entries) / rate) * 1000)} left`);
  }
  return cut(parts.join(', '), room);
}

/** One line for a wait with `left` milliseconds remaining. */
export function waitText(left: number, why: string, room: number): string {
  return cut(`trying again in ${span(left)}: ${sanitize(why)}`, room);
}
