import type { Context, OutputStream } from '../context.ts';
import { ClosedPipe, Failure, interrupted, systemCode, toFailure } from '../errors.ts';
import type { OutputStream as OutputTarget } from '../fs/output-stream.ts';
import type { Text } from './format.ts';
import type { Stderr } from './stderr.ts';

/** After a stop signal, the longest wait for a reader that does not read (ms). */
const writeTimeoutMs = 1000;
/** Smallest capacity of a pipe. */
const pipeSize = 64 * 1024;
/** Longest pause per page, and initial budget, for noticing a closed pipe (ms). */
const maxPauseMs = 25;
const initialPauseBudgetMs = 50;
/** The pause budget grows by this share of the elapsed time. */
const pauseShare = 0.03;

/** stdout for data: notices when its reader closes it, and never mixes with the progress line. */
export class Stdout {
  readonly #context: Context;
  readonly #stderr: Stderr;
  readonly #target: OutputTarget | null;
  readonly #stream: OutputStream;
  #error: Error | null = null;
  /** Always the same object, so that it is reported once. */
  #failure: Failure | null = null;
  /** After a stop signal, the reader did not read in time. */
  #timedOut = false;
  /** When the first page was written (`clock.elapsed`), and the pauses since then (ms). */
  #firstPage: number | null = null;
  #pausedMs = 0;

  /** `target`: another stream to write to instead. */
  constructor(context: Context, stderr: Stderr, target: OutputTarget | null = null) {
    this.#context = context;
    this.#stderr = stderr;
    this.#target = target;
    this.#stream = target?.stream ?? context.stdout;
    this.#stream.on('error', (error: Error) => {
      this.#error ??= error;
    });
  }

  /**
   * Writes text and waits until the system has taken it. Throws `ClosedPipe` once the reader has closed the pipe,
   * the reason to stop if there is one and the reader does not read or has gone, and `failed` for anything else (a full
   * disk).
   */
  async write(text: Text): Promise<void> {
    if (text.length === 0) return;
    this.#check();
    if (this.#timedOut) throw this.#context.stop.reason;
    this.#stderr.hide();
    try {
      await this.#written(text);
    } finally {
      this.#stderr.show(this.#stream.isTTY === true && !endsLine(text));
    }
    this.#check();
  }

  /**
   * Writes the text of a page so that a reader that closes the pipe while reading it is noticed: that shows only at
   * the next write, so the last character follows a moment after the rest.
   */
  async writePage(text: Text): Promise<void> {
    if (text.length === 0) return;
    await this.write(slice(text, 0, -1));
    await this.#pauseForReader(text.length);
    await this.write(slice(text, -1));
    await new Promise((resolve) => setImmediate(resolve));
    this.#check();
  }

  /**
   * Gives the reader of a pipe time to close it. A text that fits into the pipe is written before it is read; the start
   * of a larger one has been read by now. Most readers that close a pipe do so early, so the first pages get most of
   * the budget, and a long listing is not slowed down.
   */
  async #pauseForReader(length: number): Promise<void> {
    const { clock } = this.#context;
    const now = clock.elapsed();
    this.#firstPage ??= now;
    const left = initialPauseBudgetMs + (now - this.#firstPage) * pauseShare - this.#pausedMs;
    const wait = Math.min(maxPauseMs, left / 2);
    const stream = this.#stream;
    const piped = this.#target?.isPipe ?? ('_type' in stream && stream._type === 'pipe');
    if (!piped || length >= pipeSize || wait < 1) {
      await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    this.#pausedMs += clock.elapsed() - now;
  }

  #written(text: Text): Promise<void> {
    const { clock, stop } = this.#context;
    return new Promise((resolve, reject) => {
      let timeout: AbortController | undefined;
      const startTimeout = (): void => {
        timeout = new AbortController();
        clock.sleep(writeTimeoutMs, timeout.signal).then(
          () => {
            this.#timedOut = true;
            reject(stop.reason);
          },
          () => {},
        );
      };
      const done = (error?: Error | null): void => {
        stop.removeEventListener('abort', startTimeout);
        timeout?.abort();
        if (error) this.#error ??= error;
        resolve();
      };
      if (stop.aborted) startTimeout();
      else stop.addEventListener('abort', startTimeout, { once: true });
      try {
        this.#stream.write(text, done);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #check(): void {
    if (this.#error === null) return;
    const code = systemCode(this.#error);
    if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED') {
      const { stop } = this.#context;
      // Ctrl-C ends the reader in a pipeline, too: the signal is what stopped the call.
      throw stop.aborted ? stop.reason : new ClosedPipe();
    }
    // The terminal is closed: its signal may come later than this error.
    if (code === 'EIO' && this.#stream.isTTY === true) throw interrupted('SIGHUP');
    this.#failure ??=
      this.#target === null
        ? new Failure('failed', `stdout cannot be written: ${this.#error.message}`, { cause: this.#error })
        : toFailure(this.#target.failureOf(this.#error));
    throw this.#failure;
  }
}

const slice = (text: Text, start: number, end?: number): Text =>
  typeof text === 'string' ? text.slice(start, end) : text.subarray(start, end);

const endsLine = (text: Text): boolean => slice(text, -1).toString() === '\n';
