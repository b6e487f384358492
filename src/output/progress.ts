import type { Context, OutputStream } from '../context.ts';
import type { Terminal } from './format.ts';
import type { ProgressStart, ProgressState } from './progress-text.ts';
import type { Spinner } from './spinner.ts';
import type { Stderr } from './stderr.ts';
import { decideTerminal, isForeground, isPipe, streamColumns } from './terminal.ts';

/** One line on the terminal of stderr while a call takes longer than a moment. */
export interface Progress {
  /** Before the first request of a listing, and after each page. */
  update(state: ProgressState): void;
  /** Counts down a wait before a request is sent again: how long, and why in a few words. */
  wait(milliseconds: number, why: string): void;
  /** Removes the line permanently. */
  stop(): Promise<void>;
}

export interface ProgressOptions {
  readonly quiet: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
}

/** Milliseconds before the line appears: quicker calls neither show nor load it. */
const progressDelayMs = 150;
/** Milliseconds between two checks of `isForeground`. */
const foregroundCheckMs = 500;

/**
 * The progress of a call. It does nothing if stderr is not a terminal or a dumb one, with `quiet`, and while stdout
 * is a pipe, whose reader may draw on the same terminal; it is not drawn while the process is in the background.
 */
export function createProgress(
  context: Context,
  stderr: Stderr,
  options: ProgressOptions,
  isInForeground: () => boolean = isForeground,
): Progress {
  const terminal = decideTerminal(context.stderr, context.env, !options.color);
  if (terminal?.cursor !== true || options.quiet || isPipe(context.stdout)) {
    return { update: () => {}, wait: () => {}, stop: async () => {} };
  }
  return new ProgressLine(context, stderr, terminal, isInForeground);
}

class ProgressLine implements Progress {
  readonly #context: Context;
  readonly #stderr: Stderr;
  readonly #terminal: Terminal;
  readonly #stopped = new AbortController();
  #loading: Promise<void> | null = null;
  #spinner: Spinner | null = null;
  #state: ProgressState | null = null;
  /** Start of the current reference's listing, for its rate. */
  #started: ProgressStart = { at: 0, entries: 0 };
  #waiting: { until: number; why: string } | null = null;

  readonly #isInForeground: () => boolean;
  #foreground: { is: boolean; checked: number } | null = null;

  constructor(context: Context, stderr: Stderr, terminal: Terminal, isInForeground: () => boolean) {
    this.#context = context;
    this.#stderr = stderr;
    this.#terminal = terminal;
    this.#isInForeground = isInForeground;
  }

  update(state: ProgressState): void {
    if (this.#state === null || state.reference !== this.#state.reference) {
      this.#started = { at: this.#context.clock.elapsed(), entries: state.entries };
    }
    this.#state = state;
    this.#waiting = null;
    this.#load();
  }

  wait(milliseconds: number, why: string): void {
    this.#waiting = { until: this.#context.clock.elapsed() + milliseconds, why };
    this.#load();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loading;
    this.#stderr.attach(null);
    this.#spinner?.stop();
    this.#spinner = null;
  }

  #load(): void {
    this.#loading ??= this.#context.clock
      .sleep(progressDelayMs, this.#stopped.signal)
      .then(() => this.#appear())
      // It may be stopped before it appears, and a call must not fail because of its progress line.
      .catch(() => {});
  }

  async #appear(): Promise<void> {
    const { createSpinner } = await import('./spinner.ts');
    const texts = await import('./progress-text.ts');
    if (this.#stopped.signal.aborted) return;
    this.#spinner = createSpinner(
      this.#context,
      () => this.#text(texts),
      this.#terminal.color,
      () => this.#mayDraw(),
    );
    this.#stderr.attach(this.#spinner);
  }

  #mayDraw(): boolean {
    const now = this.#context.clock.elapsed();
    if (this.#foreground === null || now - this.#foreground.checked >= foregroundCheckMs)
      this.#foreground = { is: this.#isInForeground(), checked: now };
    return this.#foreground.is;
  }

  #text({ progressText, waitText }: typeof import('./progress-text.ts')): string {
    const now = this.#context.clock.elapsed();
    const room = lineWidth(this.#context.stderr, this.#context.env.COLUMNS);
    const left = (this.#waiting?.until ?? 0) - now;
    if (this.#waiting !== null && left > 0) return waitText(left, this.#waiting.why, room);
    return this.#state === null ? '' : progressText(this.#state, this.#started, now, room);
  }
}

/** Columns before the text: the cursor, the spinner and two spaces. */
const spinnerWidth = 4;

/** Columns that the text after the spinner may take, so that the line is never wrapped. */
function lineWidth(stream: OutputStream, variable: string | undefined): number {
  return Math.max(0, streamColumns(stream, variable) - spinnerWidth - 1);
}

/** One progress line for concurrent listings: their pages, entries and credits together. */
export function sharedProgress(progress: Progress): Progress {
  const latest = new Map<string, ProgressState>();
  let page = 0;
  let entries = 0;
  let credits = 0;
  return {
    update: (state) => {
      const reference = state.reference ?? '';
      const before = latest.get(reference);
      latest.set(reference, state);
      page += state.page - (before?.page ?? 0);
      entries += state.entries - (before?.entries ?? 0);
      credits += state.credits - (before?.credits ?? 0);
      progress.update({ page, entries, credits, total: null, estimated: null });
    },
    wait: (milliseconds, why) => progress.wait(milliseconds, why),
    stop: () => progress.stop(),
  };
}
