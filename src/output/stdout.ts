import { writeFileSync } from 'node:fs';
import type { Context } from '../context.ts';
import { ClosedPipe, type Failure, stoppedBy, systemCode, toFailure } from '../errors.ts';
import { fileError } from '../fs/files.ts';
import type { Chunk, Terminal } from './format.ts';
import { Pager, pagerCommand } from './pager.ts';
import type { Stderr } from './stderr.ts';
import { descriptorOf, terminalOf } from './terminal.ts';

/** How long to wait, after a stop signal, for a reader that does not read (ms). */
const writeTimeoutMs = 1000;
/** The pause within each of the first pages to a pipe (ms): readers that stop early usually stop here. */
const pauseMs = 10;
const pausedPages = 2;

/** The context of a command, and the streams that it writes to. */
export interface Streams {
  readonly context: Context;
  readonly stdout: Stdout;
  readonly stderr: Stderr;
}

/** Writes data to stdout: notices when its reader closes it, and never mixes with the progress line. */
export class Stdout {
  readonly terminal: Terminal;
  readonly #context: Context;
  readonly #stderr: Stderr;
  readonly #descriptor: ReturnType<typeof descriptorOf>;
  /** The command of the pager to open for the next text; null if none is wanted. */
  #pagerCommand: string | null = null;
  #pager: Pager | null = null;
  #stream: Context['stdout'];
  #pages = 0;
  #error: Error | null = null;
  /** The failure of a write: always the same object, so that it is reported once. */
  #failure: Failure | null = null;
  /** The last failure that a caller got. */
  #reported: Failure | null = null;

  constructor(context: Context, stderr: Stderr, color = true) {
    this.#context = context;
    this.#stderr = stderr;
    this.#stream = context.stdout;
    this.terminal = terminalOf(this.#stream, context.env, color);
    this.#descriptor = descriptorOf(this.#stream);
    this.#stream.on('error', this.#onError);
  }

  /** Whether a pager was opened; it may have exited. */
  get hasPager(): boolean {
    return this.#pager !== null;
  }

  /** Sends all further text through the pager, if this is a terminal. */
  usePager(): void {
    const isTerminal = this.#stream.isTTY === true && this.#stream === process.stdout;
    if (isTerminal) this.#pagerCommand = pagerCommand(this.#context.env);
  }

  /** Waits until the pager has ended, if there is one; returns its failure unless it was thrown or returned before. */
  async close(): Promise<Failure | null> {
    const failure = (await this.#pager?.close()) ?? null;
    if (failure === this.#reported) return null;
    this.#reported = failure;
    return failure;
  }

  /**
   * Writes text and waits until the system has accepted it. Throws `ClosedPipe` once the reader has closed the pipe, `failed`
   * for other errors (a full disk). After a stop signal, throws the abort reason if the reader does not read or has exited.
   */
  async write(text: Chunk): Promise<void> {
    if (text.length === 0) return;
    // This page was bought while the pager failed.
    if (this.#pager?.failure) return void this.#context.stdout.write(text);
    this.assertWritable();
    this.#openPager();
    this.#stderr.hide();
    const parts = this.#pager?.partsOf(text) ?? [text];
    try {
      for (const part of parts) if ((this.#error ?? this.#failure) === null) await this.#flush(part);
    } finally {
      this.#stderr.show(this.#stream.isTTY === true && !endsLine(text));
    }
    if (this.#error !== null) await this.#pager?.ended;
    // If the pager has failed, all text that it was given is on stdout.
    if (!this.#pager?.failure) this.assertWritable();
  }

  /**
   * Writes the text of a page, its last character a moment after the rest. Only the second write notices that a reader such as
   * `head` has closed the pipe after the first one; then no further page is bought.
   */
  async writePage(text: Chunk): Promise<void> {
    if (!this.#descriptor?.isPipe || text.length === 0) return await this.write(text);
    await this.write(slice(text, 0, -1));
    const isPaused = this.#pages++ < pausedPages;
    await new Promise((resolve) => (isPaused ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
    await this.write(slice(text, -1));
  }

  readonly #onError = (error: Error): void => {
    this.#error ??= error;
  };

  #openPager(): void {
    if (this.#pagerCommand === null || this.#pager !== null) return;
    this.#pager = new Pager(this.#pagerCommand, this.#context);
    this.#stream = this.#pager.input.on('error', this.#onError);
    this.#stderr.holdUntil(this.#pager.ended);
  }

  /** Resolves once the text is written or has failed; after a stop signal, at the latest after `writeTimeoutMs`. */
  #flush(text: Chunk): Promise<void> {
    const { clock, stop } = this.#context;
    const done = new AbortController();
    return new Promise((resolve) => {
      const giveUp = (): void => {
        // From now on nothing more is written.
        this.#failure ??= toFailure(stop.reason);
        resolve();
      };
      const limit = (): void => void clock.sleep(writeTimeoutMs, done.signal).then(giveUp, () => {});
      const settle = (error?: Error | null): void => {
        stop.removeEventListener('abort', limit);
        if (stop.aborted) done.abort();
        if (error) this.#onError(error);
        resolve();
      };
      if (stop.aborted) limit();
      else stop.addEventListener('abort', limit);
      try {
        // Node's stream writes part of the data to a full disk and reports no error.
        if (this.#descriptor?.isFile) {
          writeFileSync(this.#descriptor.fd, text);
          settle();
        } else this.#stream.write(text, settle);
      } catch (error) {
        settle(error as Error);
      }
    });
  }

  /** Throws what `write` throws, and the failure of the pager. To be called before more is bought. */
  assertWritable(): void {
    const failure = this.#failure ?? this.#pager?.failure;
    if (failure) {
      this.#reported = failure;
      throw failure;
    }
    if (this.#error === null) return;
    const code = systemCode(this.#error);
    if (code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED') {
      const { stop } = this.#context;
      // Ctrl-C ends the reader in a pipeline, too: the signal is what stopped the run.
      throw stop.aborted ? stop.reason : new ClosedPipe();
    }
    // The terminal is closed: its signal may come later than this error.
    if (code === 'EIO' && this.#stream.isTTY === true) throw stoppedBy('SIGHUP');
    this.#failure = toFailure(fileError(this.#error, 'stdout', 'failure'));
    throw this.#failure;
  }
}

const slice = (text: Chunk, start: number, end?: number): Chunk =>
  typeof text === 'string' ? text.slice(start, end) : text.subarray(start, end);

const endsLine = (text: Chunk): boolean => slice(text, -1).toString() === '\n';
