import { count, countCredits, thousands } from '../text/count.ts';
import { formatDuration } from '../text/duration.ts';
import { sanitize } from '../text/sanitize.ts';
import type { Streams } from './stdout.ts';
import { descriptorOf } from './terminal.ts';
import { truncateToWidth } from './width.ts';

/** Delay in milliseconds before the line appears: shorter runs neither show nor load it. */
const delayMs = 150;
/** Columns of the spinner, of the spaces around it, and of the `^C` that a terminal echoes. */
const reservedColumns = 6;

/** What the progress line shows about the listing of a reference. */
interface ListingState {
  readonly reference: string | null;
  readonly page: number;
  readonly entries: number;
  /** Entries expected in all; null if that is not known. */
  readonly total: number | null;
  readonly credits: number;
}

export interface ProgressLine {
  /** True if another program may draw on the same terminal: waits are then reported in lines of their own. */
  readonly isHidden: boolean;
  referenceDone(reference: object): void;
  /** To be called before the first request of a listing, and after each page. */
  update(state: ListingState): void;
  /** Counts down a wait before a request is sent again. */
  countDown(milliseconds: number, why: string): void;
  stop(): Promise<void>;
}

/**
 * Creates the one line for all references of a run, on the terminal of stderr; it appears after a moment. Nothing is drawn with
 * `-q`, if stderr is a dumb terminal or none, and while stdout is a pipe, whose reader may draw on the same terminal.
 */
export function createProgress(
  { context, stderr }: Pick<Streams, 'context' | 'stderr'>,
  { references, noun } = { references: 1, noun: 'channel' },
): ProgressLine {
  const { clock, env, stderr: stream } = context;
  const { terminal, isQuiet } = stderr;
  const isHidden = terminal !== null && descriptorOf(context.stdout)?.isPipe === true;
  const isDrawn = !isQuiet && terminal !== null && env.TERM !== 'dumb' && !isHidden;

  const stopped = new AbortController();
  const listings = new Map<string | null, ListingState>();
  /** A set, because a reference may finish twice (resumed, then updated). */
  const done = new Set<object>();
  let started = { at: 0, entries: 0 };
  let waiting = { until: 0, why: '' };

  const text = (): string => {
    const now = clock.elapsed();
    if (waiting.until > now) return waitText(waiting.until - now, waiting.why);
    const states = [...listings.values()];
    const [only] = states;
    if (references === 1)
      return only === undefined ? 'waiting for the service' : listingText(only, started, now);
    return runText(states, `${thousands(done.size)}/${count(references, noun, `${noun}s`)}`);
  };
  const appear = async (): Promise<void> => {
    await clock.sleep(delayMs, stopped.signal);
    const { default: ora } = await import('ora');
    if (stopped.signal.aborted) return;
    // Where the width is not known, ora would divide by 0.
    stream.columns ||= terminal?.columns ?? 0;
    stderr.attach(
      ora({
        stream,
        isEnabled: true,
        discardStdin: false,
        // The cursor stays visible: nothing has to be restored after a kill or Ctrl-Z.
        hideCursor: false,
        color: terminal?.color ? 'cyan' : false,
        suffixText: () => truncateToWidth(text(), (stream.columns ?? 0) - reservedColumns),
      }),
    );
  };
  // Errors are ignored: it may be stopped before it appears, and a run must not fail because of its progress line.
  const appeared = isDrawn ? appear().catch(() => {}) : null;

  return {
    isHidden,
    referenceDone: (reference) => {
      done.add(reference);
      waiting = { until: 0, why: '' };
    },
    update: (state) => {
      if (listings.size === 0) started = { at: clock.elapsed(), entries: state.entries };
      listings.set(state.reference, state);
      waiting = { until: 0, why: '' };
    },
    countDown: (milliseconds, why) => {
      waiting = { until: clock.elapsed() + milliseconds, why };
    },
    stop: async () => {
      stopped.abort();
      await appeared;
      stderr.attach(null);
    },
  };
}

/** Describes the progress of a single listing. `started`: the time (ms) of the first page, and the entries that a resumed listing had. */
export function listingText(
  { page, entries, total, credits }: ListingState,
  started: { readonly at: number; readonly entries: number },
  now: number,
): string {
  const listed =
    (total === null ? '' : `${thousands(entries)}/`) + count(total ?? entries, 'entry', 'entries');
  const parts = [`page ${thousands(page)}`, listed, countCredits(credits)];
  if (entries > started.entries && now > started.at) {
    const rate = ((entries - started.entries) * 1000) / (now - started.at);
    parts.push(`${rate < 10 ? rate.toFixed(1) : thousands(Math.round(rate))}/s`);
    if (total !== null && total > entries)
      parts.push(`${formatDuration(((total - entries) / rate) * 1000)} left`);
  }
  return parts.join(', ');
}

/** Describes the progress of several references: their number (`7/31 channels`), but no remaining time. */
export function runText(states: readonly ListingState[], references: string): string {
  const entries = states.reduce((sum, state) => sum + state.entries, 0);
  const credits = states.reduce((sum, state) => sum + state.credits, 0);
  const parts = [
    references,
    entries > 0 && count(entries, 'entry', 'entries'),
    credits > 0 && countCredits(credits),
  ];
  return parts.filter(Boolean).join(', ');
}

/** Describes a wait with `left` milliseconds remaining. */
export const waitText = (left: number, why: string): string =>
  `trying again in ${formatDuration(left)}: ${sanitize(why)}`;
