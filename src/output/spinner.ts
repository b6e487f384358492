import { Writable } from 'node:stream';
import ora from 'ora';
import type { Context, OutputStream } from '../context.ts';
import type { LiveLine } from './stderr.ts';

/** A spinner followed by a text. */
export interface Spinner extends LiveLine {
  /** Removes the line permanently. */
  stop(): void;
}

const eraseBelow = '\u001b[J';
const wrapOff = '\u001b[?7l';
const wrapOn = '\u001b[?7h';
const glyphs = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const plainGlyphs = ['-', '\\', '|', '/'];

/**
 * A spinner on stderr; `text` is read each time it is drawn. Nothing is drawn while `isForeground` is false.
 *
 * It survives a resize of the window, which a terminal may report late: the line is never wrapped, the cursor
 * waits at its start, and everything from there on is erased before it is drawn again. The cursor stays visible:
 * nothing has to be restored after a kill or Ctrl-Z.
 */
export function createSpinner(
  context: Context,
  text: () => string,
  color: boolean,
  isForeground: () => boolean,
): Spinner {
  const frames = context.env.TERM === 'linux' ? plainGlyphs : glyphs;
  const line = new OneLine(context.stderr, isForeground);
  const spinner = ora({
    stream: line,
    isEnabled: true,
    discardStdin: false,
    hideCursor: false,
    color: color ? 'cyan' : false,
    spinner: { interval: 120, frames: frames.map((glyph) => `${eraseBelow}${wrapOff} ${glyph}`) },
    suffixText: () => `${text()}${wrapOn}\r`,
  });
  /** Stopping moves the cursor to the start of the line, even if nothing is drawn: not within a line of data. */
  const hide = (): void => {
    if (!spinner.isSpinning) return;
    spinner.stop();
    line.clearScreenDown();
  };
  return { hide, show: () => spinner.start(), stop: hide };
}

type TerminalStream = OutputStream & {
  cursorTo?(x: number): void;
  clearLine?(direction: -1 | 0 | 1): void;
  clearScreenDown?(): void;
};

/**
 * The terminal as ora sees it. To erase its line, ora moves up as many rows as it thinks that the line takes: onto
 * rows of data if the window is narrower than the spinner, and without end if its width is 0. The line is never
 * wrapped, so this terminal has any width.
 */
class OneLine extends Writable {
  readonly isTTY = true;
  readonly columns = Number.POSITIVE_INFINITY;
  readonly #terminal: TerminalStream;
  readonly #isForeground: () => boolean;

  constructor(terminal: TerminalStream, isForeground: () => boolean) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#isForeground = isForeground;
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    if (this.#isForeground()) this.#terminal.write(text);
    done();
  }

  cursorTo(x: number): void {
    if (this.#isForeground()) this.#terminal.cursorTo?.(x);
  }

  clearLine(direction: -1 | 0 | 1): void {
    if (this.#isForeground()) this.#terminal.clearLine?.(direction);
  }

  clearScreenDown(): void {
    if (this.#isForeground()) this.#terminal.clearScreenDown?.();
  }

  moveCursor(): void {}
}
