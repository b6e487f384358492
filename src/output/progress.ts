import type { Context } from '../context.ts';
import type { ProgressState } from './progress-text.ts';
import type { Stderr } from './stderr.ts';
import { decideTerminal, descriptorOf } from './terminal.ts';

/** Milliseconds before the line appears: quicker runs neither show nor load it. */
const delayMs = 150;
/** Columns of the spinner and of the spaces around it. */
const spinnerWidth = 4;

export type ProgressLine = ReturnType<typeof createProgress>;

/**
 * One line on the terminal of stderr while a run takes longer than a moment. None is drawn if stderr is no terminal, or a
 * dumb one, with `quiet`, and while stdout is a pipe, whose reader may draw on the same terminal.
 */
export function createProgress(
  context: Context,
  stderr: Stderr,
  { quiet, color = true }: { readonly quiet: boolean; readonly color?: boolean },
) {
  const { clock, env, stderr: stream } = context;
  const terminal = decideTerminal(stream, env, color);
  const isHidden = terminal !== null && descriptorOf(context.stdout)?.isPipe === true;
  const isDrawn = !quiet && terminal !== null && env.TERM !== 'dumb' && !isHidden;

  const stopped = new AbortController();
  let loading: Promise<void> | null = null;
  let state: ProgressState | null = null;
  let started = { at: 0, entries: 0 };
  let waiting = { until: 0, why: '' };

  const appear = async (): Promise<void> => {
    await clock.sleep(delayMs, stopped.signal);
    const [{ default: ora }, texts] = await Promise.all([import('ora'), import('./progress-text.ts')]);
    if (stopped.signal.aborted) return;
    const text = (): string => {
      const now = clock.elapsed();
      const room = (stream.columns ?? 0) - spinnerWidth;
      if (waiting.until > now) return texts.waitText(waiting.until - now, waiting.why, room);
      return state === null ? '' : texts.progressText(state, started, now, room);
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

  return {
    isHidden,
    referenceDone: (): void => {},
    /** Before the first request of a listing, and after each page. */
    update: (next: ProgressState): void => {
      if (state === null || nameOf(next) !== nameOf(state))
        started = { at: clock.elapsed(), entries: next.entries };
      state = next;
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

const nameOf = (state: ProgressState): string | null => ('done' in state ? null : state.reference);

/** One progress line for `all` references: how many are done, their entries and credits together. */
export function sharedProgress(progress: ProgressLine, all: number, noun: string): ProgressLine {
  const latest = new Map<string | null, ProgressState>();
  const sum = { done: 0, all, noun, entries: 0, credits: 0 };
  progress.update({ ...sum });
  return {
    ...progress,
    update: (state) => {
      const before = latest.get(nameOf(state));
      latest.set(nameOf(state), state);
      for (const name of ['entries', 'credits'] as const) sum[name] += state[name] - (before?.[name] ?? 0);
      progress.update({ ...sum });
    },
    referenceDone: () => {
      sum.done++;
      progress.update({ ...sum });
    },
  };
}
