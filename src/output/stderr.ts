import type { Context, OutputStream } from '../context.ts';
import { sanitize } from '../text/sanitize.ts';
import { minSecretLength, withoutSecret } from '../text/secret.ts';

/** Verbosity of stderr. */
export interface StderrOptions {
  readonly quiet: boolean;
  /** Number of `-v`. */
  readonly verbose: number;
}

/** A line on the terminal that can be hidden (progress); messages are written above it. */
export interface LiveLine {
  hide(): void;
  show(): void;
}

/** All output on stderr. Each message is one line, `chanlist: ` first, free of control characters. */
export class Stderr {
  readonly #stream: OutputStream;
  readonly #options: StderrOptions;
  #live: LiveLine | null = null;
  /** Nesting depth of `hide()`. */
  #hideDepth = 0;
  /** The last line on the terminal is incomplete data. */
  #openLine = false;
  /** Never shown in any message. */
  #secret: string | null = null;

  constructor(stream: OutputStream, options: StderrOptions) {
    this.#stream = stream;
    this.#options = options;
    // A closed stderr must not stop the work.
    stream.on('error', () => {});
  }

  /** Whether notes are printed: at a terminal, or with -v. */
  get isChatty(): boolean {
    return !this.#options.quiet && (this.#stream.isTTY === true || this.#options.verbose > 0);
  }

  /** From now on prints `[key]` in place of this text. */
  redact(secret: string): void {
    if (secret.length >= minSecretLength) this.#secret = secret;
  }

  /** Sets the progress line, which is hidden while a message is written; null removes it. */
  attach(live: LiveLine | null): void {
    this.#live = live;
    this.#reappear();
  }

  /** Hides the live line, before data is written to a terminal. */
  hide(): void {
    if (this.#hideDepth++ === 0 && !this.#openLine) this.#live?.hide();
  }

  /** Shows it again, unless the data ended within a line (`openLine`). */
  show(openLine = false): void {
    this.#hideDepth--;
    this.#openLine = openLine;
    this.#reappear();
  }

  /** A failure of the call or of a reference: always printed. */
  error(message: string): void {
    this.#line(message);
  }

  /** A problem that does not stop the work. */
  warn(message: string): void {
    if (!this.#options.quiet) this.#line(message);
  }

  /** Information: at a terminal, and with -v elsewhere. */
  note(message: string): void {
    if (this.isChatty) this.#line(message);
  }

  /** With -v, at a terminal too. */
  verbose(message: string): void {
    if (!this.#options.quiet && this.#options.verbose > 0) this.#line(message);
  }

  /** With -vv. */
  detail(message: string): void {
    if (!this.#options.quiet && this.#options.verbose > 1) this.#line(message);
  }

  /** The final tally, without `chanlist: `: at a terminal, and with -v elsewhere. */
  summary(message: string): void {
    if (this.isChatty) this.#raw(message);
  }

  /** With CHANLIST_DEBUG=1, the stack of an error and of its causes; otherwise nothing. */
  stack(error: Error, { env }: Pick<Context, 'env'>): void {
    if (env.CHANLIST_DEBUG !== '1') return;
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      for (const line of (cause.stack ?? cause.message).split('\n')) this.#raw(line);
    }
  }

  #line(message: string): void {
    this.#raw(`chanlist: ${message}`);
  }

  #raw(line: string): void {
    const shown = this.#secret === null ? line : withoutSecret(line, this.#secret);
    this.hide();
    this.#stream.write(`${this.#openLine ? '\n' : ''}${sanitize(shown)}\n`);
    this.show();
  }

  #reappear(): void {
    if (this.#hideDepth === 0 && !this.#openLine) this.#live?.show();
  }
}
