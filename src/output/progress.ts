import type { Context } from '../context.ts';
import type { ListingState } from './progress-text.ts';
import type { Stderr } from './stderr.ts';
import { decideTerminal, descriptorOf } from './terminal.ts';

/** Milliseconds before the line appears: quicker runs neither show nor load it. */
const delayMs = 150;
/** Columns of the spinner and of the spaces around it. */
const spinnerWidth = 4;

export type ProgressLine = ReturnType<typeof createProgress>;

/**
 * One line for all references of a run, on the terminal of stderr while it takes longer than a moment. Nothing is drawn if
 * stderr is not a terminal, or a dumb one, with `quiet`, and while stdout is a pipe, whose reader may draw on the same terminal.
 */
export function createProgress(
  context: Context,
  stderr: Stderr,
  { quiet, color = true }: { readonly quiet: boolean; readonly color?: boolean },
  { all, noun } = { all: 1, noun: 'channel' },
) {
  const { clock, env, stderr: stream } = context;
  const terminal = decideTerminal(stream, env, color);
  const isHidden = terminal !== null && descriptorOf(context.stdout)?.isPipe === true;
  const isDrawn = !quiet && terminal !== null && env.TERM !== 'dumb' && !isHidden;

  const stopped = new AbortController();
  let loading: Promise<void> | null = null;
  const listings = new Map<string | null, ListingState>();
  let done = 0;
  let started: { at: number; entries: number } | null = null;
  let waiting = { until: 0, why: '' };

  const appear = async (): Promise<void> => {
    await clock.sleep(delayMs, stopped.signal);
    const [{ default: ora }, texts] = await Promise.all([import('ora'), import('./progress-text.ts')]);
    if (stopped.signal.aborted) return;
    const text = (): string => {
      const now = clock.elapsed();
      const room = (stream.columns ?? 0) - spinnerWidth;
      if (waiting.until > now) return texts.waitText(waiting.until - now, waiting.why, room);
      const state = { listings: [...listings.values()], done, all, noun };
      return texts.progressText({ ...state, started: started ?? { at: now, entries: 0 } }, now, room);
    };
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
        suffixText: text,
      }),
    );
  };
  /** It may be stopped before it appears, and a run must not fail because of its progress line. */
  const load = (): void => {
    if (isDrawn) loading ??= appear().catch(() => {});
  };
  if (all > 1) load();

  return {
    isHidden,
    referenceDone: (): void => {
      done++;
      waiting = { until: 0, why: '' };
    },
    /** Before the first request of a listing, and after each page. */
    update: (listing: ListingState): void => {
      started ??= { at: clock.elapsed(), entries: listing.entries };
      listings.set(listing.reference, listing);
      waiting = { until: 0, why: '' };
      load();
    },
    /** Counts down a wait before a request is sent again. */
    countDown: (milliseconds: number, why: string): void => {
      waiting = { until: clock.elapsed() + milliseconds, why };
      load();
    },
    stop: async (): Promise<void> => {
      stopped.abort();
      await loading;
      stderr.attach(null);
    },
  };
}
