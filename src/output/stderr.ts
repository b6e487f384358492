import type { Ora } from 'ora';
import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import { messageLine, type Step, stepText } from '../text/command.ts';
import { minSecretLength, sanitize, withoutSecret } from '../text/sanitize.ts';
import { wrap } from '../text/wrap.ts';
import { colors } from './colors.ts';
import type { Terminal } from './format.ts';
import { terminalOf } from './terminal.ts';
import { textWidth } from './width.ts';

/** Writes everything that goes to stderr. Each message is one line: `chanlist: ` and a text without control characters. */
export class Stderr {
  readonly terminal: Terminal;
  readonly #stream: Context['stderr'];
  /** -1 means only failures; otherwise this is the number of `-v` flags. */
  readonly #verbosity: number;
  readonly #isDebug: boolean;
  /** The progress line, which is removed from the terminal while anything else is written. */
  #spinner: Ora | null = null;
  #isHidden = false;
  /** True if the last line on the terminal is data without a line end. */
  #openLine = false;
  readonly #secrets: string[] = [];
  /** Lines that are held back until the pager has exited; null while there is no pager. */
  #waiting: string[] | null = null;

  constructor(
    { stderr, env }: Pick<Context, 'stderr' | 'env'>,
    { quiet = false, verbose = 0, color = true } = {},
  ) {
    this.#stream = stderr;
    this.#verbosity = quiet ? -1 : verbose;
    this.#isDebug = env.CHANLIST_DEBUG === '1';
    this.terminal = terminalOf(stderr, env, color);
    // Messages are printed before the account is known.
    this.addSecret(env.CHANLIST_API_KEY?.trim() ?? '');
    // A closed stderr must not stop the work.
    stderr.on('error', () => {});
  }

  get isQuiet(): boolean {
    return this.#verbosity < 0;
  }

  /** From now on prints `[key]` in place of this text. */
  addSecret(secret: string): void {
    if (secret.length >= minSecretLength) this.#secrets.push(secret);
  }

  /** Replaces each key in a text with `[key]`, for other outputs, too. */
  withoutKeys(text: string): string {
    return this.#secrets.reduce(withoutSecret, text);
  }

  attach(spinner: Ora | null): void {
    this.#stopLine();
    this.#spinner = spinner;
    this.#startLine();
  }

  /** Hides the progress line, before data is written to a terminal. */
  hide(): void {
    this.#isHidden = true;
    this.#stopLine();
  }

  /** Shows the progress line again, unless the data ended within a line (`openLine`). */
  show(openLine = false): void {
    this.#isHidden = false;
    this.#openLine = openLine;
    this.#startLine();
  }

  /** Holds lines back while a pager uses the terminal, until `ended` resolves. */
  holdUntil(ended: Promise<unknown>): void {
    this.#stopLine();
    this.#waiting = [];
    void ended.then(() => {
      const lines = this.#waiting ?? [];
      this.#waiting = null;
      for (const line of lines) this.#stream.write(line);
      this.#startLine();
    });
  }

  /** Prints a failure, even with `-q`. The next step has a line of its own at a terminal. */
  error(message: string, step: Step | null = null): void {
    const isSplit = step !== null && this.#stream.isTTY === true;
    this.#line(isSplit ? message : messageLine(message, step), 'error: ');
    if (isSplit) this.#line(step);
  }

  /** Prints a problem that is not a failure. */
  warn(message: string): void {
    if (this.#verbosity >= 0) this.#line(message, 'warning: ');
  }

  /** Prints information that the user asked for, whether or not stderr is a terminal. */
  print(message: string): void {
    if (this.#verbosity >= 0) this.#line(message);
  }

  /** Prints information, such as the final tally: at a terminal always (but not with -q), elsewhere only with -v. */
  note(message: Step): void {
    if (this.#verbosity > (this.#stream.isTTY === true ? -1 : 0)) this.#line(message);
  }

  /** Says at a terminal that the program reads from it, and how to end. */
  announceInput({ isTTY }: Context['stdin']): void {
    const end = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D';
    if (isTTY) this.note(`reading from the terminal; end with ${end}`);
  }

  /** Prints a message only with `-v`, even at a terminal. */
  verbose(message: string): void {
    if (this.#verbosity > 0) this.#line(message);
  }

  detail(message: () => string): void {
    if (this.#verbosity > 1) this.#line(message());
  }

  /** Prints a failure and, with CHANLIST_DEBUG=1, its stack and the stacks of its causes. */
  printFailure(failure: Failure): void {
    this.error(failure.message, failure.step);
    for (let cause: unknown = failure; this.#isDebug && cause instanceof Error; cause = cause.cause)
      for (const line of (cause.stack ?? cause.message).split('\n')) this.#line(line);
  }

  /** Prints a message. At a terminal it is wrapped between words; a command stays in one line, so that it can be copied. */
  #line(message: Step, word: '' | keyof typeof colorOf = ''): void {
    const whole = sanitize(this.withoutKeys(stepText(message)));
    const { isTTY, columns } = this.#stream;
    const isWrapped = isTTY === true && typeof message === 'string';
    const width = (columns || 80) - furtherLine.length;
    const lines = isWrapped ? wrap(whole, width, word.length - indent.length, textWidth) : [whole];
    const label = this.terminal?.color && word !== '' ? colors()[colorOf[word]](word) : word;
    const text = `${prefix}${label}${lines.join(`\n${furtherLine}`)}\n`;
    if (this.#waiting !== null) return void this.#waiting.push(text);
    this.#stopLine();
    this.#stream.write(this.#openLine ? `\n${text}` : text);
    this.#openLine = false;
    this.#startLine();
  }

  #stopLine(): void {
    // `stop` moves the cursor even if nothing is drawn, which must not happen within a line of data.
    if (this.#spinner?.isSpinning) this.#spinner.stop();
  }

  #startLine(): void {
    if (!this.#isHidden && !this.#openLine && this.#waiting === null) this.#spinner?.start();
  }
}

const colorOf = { 'error: ': 'red', 'warning: ': 'yellow' } as const;
const prefix = 'chanlist: ';
const indent = '  ';
/** What begins each further line of a message. */
const furtherLine = `${prefix}${indent}`;
