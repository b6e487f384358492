import type { Context } from '../context.ts';
import { ClosedPipe, Failure, interrupted, systemCode } from '../errors.ts';
import type { Text } from './format.ts';
import type { Stderr } from './stderr.ts';

/** Milliseconds that a reader who does not read keeps a stopped program waiting. */
const patience = 1000;
/** Characters that a pipe holds at least, on its way to a reader. */
const pipeSize = 64 * 1024;
/** Milliseconds that a reader who has enough of a small page gets to go away: at the most, and in all at first. */
const grace = 25;
const firstGraces = 50;
/** Of the time that a listing takes, so much more of it. */
const graceShare = 0.03;

/** stdout as a place for data: knows when its reader has gone, and never mixes with the progress line. */
export class Stdout {
  readonly #context: Context;
  readonly #stderr: Stderr;
  #error: Error | null = null;
  /** The same each time, so that it is told once. */
  #failure: Failure | null = null;
  /** The program was told to stop, and the reader does not read. */
  #givenUp = false;
  /** Moment (of `clock.elapsed`) of the first page, and milliseconds that readers have been given since. */
  #firstPage: number | null = null;
  #given = 0;

  constructor(context: Context, stderr: Stderr) {
    this.#context = context;
    this.#stderr = stderr;
    context.stdout.on('error', (error: Error) => {
      this.#error ??= error;
    });
  }

  /**
   * Writes text and waits until the system has taken it. Throws `ClosedPipe` once the reader has gone, the reason
   * to stop where there is one and the reader does not read, a `failed` failure for anything else (a full disk).
   */
  async write(text: Text): Promise<void> {
    if (text.length === 0) return;
    this.#check();
    if (this.#givenUp) throw this.#context.stop.reason;
    this.#stderr.hide();
    try {
      await this.#written(text);
    } finally {
      this.#stderr.show(this.#context.stdout.isTTY === true && !endsLine(text));
    }
    this.#check();
  }

  /**
   * Writes the text of a page so that a reader who goes away while reading it is noticed: such a reader shows
   * only at the next write, so the last character follows a moment after the rest.
   */
  async writePage(text: Text): Promise<void> {
    if (text.length === 0) return;
    await this.write(part(text, 0, -1));
    await this.#letRead(text.length);
    await this.write(part(text, -1));
    await new Promise((resolve) => setImmediate(resolve));
    this.#check();
  }

  /**
   * Gives the reader of a pipe the time to go. A text that a pipe holds whole is written before anybody has read
   * it, so that takes a moment longer; a larger one has had its beginning read by now. Most readers that go do so
   * early, so the first pages get the most of it, and a long listing stays as quick as its pages come.
   */
  async #letRead(length: number): Promise<void> {
    const { stdout, clock } = this.#context;
    const now = clock.elapsed();
    this.#firstPage ??= now;
    const left = firstGraces + (now - this.#firstPage) * graceShare - this.#given;
    const wait = Math.min(grace, left / 2);
    const piped = '_type' in stdout && stdout._type === 'pipe';
    if (!piped || length >= pipeSize || wait < 1) {
      await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    this.#given += clock.elapsed() - now;
  }

  #written(text: Text): Promise<void> {
    const { stdout, clock, stop } = this.#context;
    return new Promise((resolve, reject) => {
      let over: AbortController | undefined;
      const giveUp = (): void => {
        over = new AbortController();
        clock.sleep(patience, over.signal).then(
          () => {
            this.#givenUp = true;
            reject(stop.reason);
          },
          () => {},
        );
      };
      const done = (error?: Error | null): void => {
        stop.removeEventListener('abort', giveUp);
        over?.abort();
        if (error) this.#error ??= error;
        resolve();
      };
      if (stop.aborted) giveUp();
      else stop.addEventListener('abort', giveUp, { once: true });
      try {
        stdout.write(text, done);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #check(): void {
    if (this.#error === null) return;
    const code = systemCode(this.#error);
    if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED') throw new ClosedPipe();
    // The terminal is closed: its signal may come later than this error.
    if (code === 'EIO' && this.#context.stdout.isTTY === true) throw interrupted('SIGHUP');
    this.#failure ??= new Failure('failed', `stdout cannot be written: ${this.#error.message}`, {
      cause: this.#error,
    });
    throw this.#failure;
  }
}

const part = (text: Text, start: number, end?: number): Text =>
  typeof text === 'string' ? text.slice(start, end) : text.subarray(start, end);

const endsLine = (text: Text): boolean => part(text, -1).toString() === '\n';
