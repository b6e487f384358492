import { span } from '../service/retry.ts';
import { count, thousands } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { cut } from './width.ts';

/** The progress of a listing, or of a run of several. */
export type ProgressState = { readonly entries: number; readonly credits: number } & (
  | {
      /** The listed reference, if it is shown. */
      readonly reference?: string | null;
      readonly page: number;
      readonly total: number | null;
      /** Estimated credits at the end; null if unknown. */
      readonly estimated: number | null;
    }
  /** `noun`: `channel` or `playlist`. */
  | { readonly done: number; readonly all: number; readonly noun: string }
);

const minName = 6;
const maxName = 32;

/**
 * One line for a running listing, or for several, in at most `room` columns. `started`: the time, of the clock of `now`,
 * and the entries that a resumed listing had then.
 */
export function progressText(
  state: ProgressState,
  started: { readonly at: number; readonly entries: number },
  now: number,
  room: number,
): string {
  const elapsed = now - started.at;
  return 'done' in state ? runText(state, elapsed, room) : listingText(state, started.entries, elapsed, room);
}

const timeLeft = (milliseconds: number): string => `${span(milliseconds)} left`;

function runText(
  { done, all, noun, entries, credits }: Extract<ProgressState, { done: number }>,
  elapsed: number,
  room: number,
): string {
  const parts = [
    `${thousands(done)}/${count(all, noun, `${noun}s`)}`,
    count(entries, 'entry', 'entries'),
    count(credits, 'credit', 'credits'),
  ];
  if (done > 0 && done < all) parts.push(timeLeft((elapsed / done) * (all - done)));
  return cut(parts.join(', '), room);
}

function listingText(
  { reference, page, entries, total, credits, estimated }: Exclude<ProgressState, { done: number }>,
  startEntries: number,
  elapsed: number,
  room: number,
): string {
  const rate = elapsed > 0 ? ((entries - startEntries) * 1000) / elapsed : 0;
  const ofTotal = (part: number, all: number | null, one: string, many: string): string =>
    all === null ? count(part, one, many) : `${thousands(part)}/${count(all, one, many)}`;
  const estimate = estimated === null || estimated < credits ? null : estimated;
  const parts = [
    `page ${thousands(page)}`,
    ofTotal(entries, total, 'entry', 'entries'),
    ofTotal(credits, estimate, 'credit', 'credits'),
  ];
  if (rate > 0) {
    parts.push(`${rate < 10 ? rate.toFixed(1) : thousands(Math.round(rate))}/s`);
    if (total !== null && total > entries) parts.push(timeLeft(((total - entries) / rate) * 1000));
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
