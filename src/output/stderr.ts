import type { Context, OutputStream } from '../context.ts';
import { sanitize } from '../text/sanitize.ts';
import { withoutSecret } from '../text/secret.ts';

/** How much is said on stderr. */
export interface StderrOptions {
  readonly quiet: boolean;
  /** Number of `-v`. */
  readonly verbose: number;
}

/** Characters of a text that is concealed at the least. */
const shortestSecret = 8;

/** A line on the terminal that comes and goes (progress); messages are written above it. */
export interface LiveLine {
  hide(): void;
  show(): void;
}

/** All that goes to stderr. Each message is one line, `chanlist: ` first, free of control characters. */
export class Stderr {
  readonly #stream: OutputStream;
  readonly #options: StderrOptions;
  #live: LiveLine | null = null;
  /** How many writers have asked the live line away. */
  #hidden = 0;
  /** The last line on the terminal is data that is not complete. */
  #openLine = false;
  /** What must not be shown, whoever says it. */
  #secret: string | null = null;

  constructor(stream: OutputStream, options: StderrOptions) {
    this.#stream = stream;
    this.#options = options;
    // A reader of stderr that has gone must not stop the work.
    stream.on('error', () => {});
  }

  get #terminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** From now on shows `[key]` in place of this text. A very short one is no secret, and a part of many words. */
  redact(secret: string): void {
    if (secret.length >= shortestSecret) this.#secret = secret;
  }

  /** Shows the progress line, which messages step around from now on; null when there is none any more. */
  attach(live: LiveLine | null): void {
    this.#live = live;
    this.#reappear();
  }

  /** Before data is written to a terminal: takes the live line away. */
  hide(): void {
    if (this.#hidden++ === 0 && !this.#openLine) this.#live?.hide();
  }

  /** After it: the live line comes back, unless the data ended within a line (`openLine`). */
  show(openLine = false): void {
    this.#hidden--;
    this.#openLine = openLine;
    this.#reappear();
  }

  /** Something that ends the call or a reference: always printed. */
  error(message: string): void {
    this.#line(message);
  }

  /** Something wrong that the work goes on after. */
  warn(message: string): void {
    if (!this.#options.quiet) this.#line(message);
  }

  /** Good to know: at a terminal, and with -v elsewhere. */
  note(message: string): void {
    if (!this.#options.quiet && (this.#terminal || this.#options.verbose > 0)) this.#line(message);
  }

  /** With -v, at a terminal too. */
  verbose(message: string): void {
    if (!this.#options.quiet && this.#options.verbose > 0) this.#line(message);
  }

  /** With -vv. */
  detail(message: string): void {
    if (!this.#options.quiet && this.#options.verbose > 1) this.#line(message);
  }

  /** The closing line, bare: at a terminal, and with -v elsewhere. */
  summary(message: string): void {
    if (!this.#options.quiet && (this.#terminal || this.#options.verbose > 0)) this.#raw(message);
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
    if (this.#hidden === 0 && !this.#openLine) this.#live?.show();
  }
}
