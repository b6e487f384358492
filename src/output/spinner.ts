import { fstatSync } from 'node:fs';
import { Writable } from 'node:stream';
import ora from 'ora';
import type { Context, OutputStream } from '../context.ts';
import type { LiveLine } from './stderr.ts';

/** A spinner with a text behind it. */
export interface Spinner extends LiveLine {
  /** Takes the line away for good. */
  stop(): void;
}

const eraseBelow = '\u001b[J';
const wrapOff = '\u001b[?7l';
const wrapOn = '\u001b[?7h';
const glyphs = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const plainGlyphs = ['-', '\\', '|', '/'];

/** Milliseconds that a program behind a pipe has for printing what it was sent, before the line comes back. */
const settling = 80;

/**
 * A spinner on stderr, with a text that is asked for anew each time it is drawn.
 *
 * It keeps in order when the window is resized, which a terminal may tell late: the line is never wrapped, the
 * cursor waits at its start, and all from there on is erased before it is drawn again. So whatever the terminal
 * made of it is gone. The cursor stays visible: nothing has to be put right after a kill or Ctrl-Z.
 *
 * Where stdout is a pipe, what reads it may print on the same terminal (`| jq`): the line comes back only when
 * nothing has been written for a moment.
 */
export function createSpinner(context: Context, text: () => string, color: boolean): Spinner {
  const stream: TerminalStream = context.stderr;
  const frames = context.env.TERM === 'linux' ? plainGlyphs : glyphs;
  const spinner = ora({
    stream: new OneLine(stream),
    isEnabled: true,
    discardStdin: false,
    hideCursor: false,
    color: color ? 'cyan' : false,
    spinner: { interval: 120, frames: frames.map((glyph) => `${eraseBelow}${wrapOff} ${glyph}`) },
    suffixText: () => `${text()}${wrapOn}\r`,
  });
  let settled: AbortController | null = null;
  const piped = isPipe(context.stdout);
  const show = (): void => {
    if (!piped) {
      spinner.start();
      return;
    }
    settled?.abort();
    settled = new AbortController();
    context.clock.sleep(settling, settled.signal).then(
      () => spinner.start(),
      () => {},
    );
  };
  /** Stopping moves the cursor to the line's start, also where nothing is drawn: not within a line of data. */
  const hide = (): void => {
    settled?.abort();
    settled = null;
    if (!spinner.isSpinning) return;
    spinner.stop();
    stream.clearScreenDown?.();
  };
  return { hide, show, stop: hide };
}

type TerminalStream = OutputStream & {
  cursorTo?(x: number): void;
  clearLine?(direction: -1 | 0 | 1): void;
  clearScreenDown?(): void;
};

/**
 * The terminal as ora sees it. To erase its line, ora moves up as many rows as it thinks that the line takes: onto
 * rows of data where the window is narrower than the spinner, and without end where its width is 0. The line is
 * never wrapped, so the terminal is as wide as it likes.
 */
class OneLine extends Writable {
  readonly isTTY = true;
  readonly columns = Number.POSITIVE_INFINITY;
  readonly #terminal: TerminalStream;

  constructor(terminal: TerminalStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    this.#terminal.write(text);
    done();
  }

  cursorTo(x: number): void {
    this.#terminal.cursorTo?.(x);
  }

  clearLine(direction: -1 | 0 | 1): void {
    this.#terminal.clearLine?.(direction);
  }

  moveCursor(): void {}
}

/** Whether a stream leads to another program. */
function isPipe(stream: OutputStream & { readonly fd?: unknown }): boolean {
  if (stream.isTTY === true || typeof stream.fd !== 'number') return false;
  try {
    const stats = fstatSync(stream.fd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
