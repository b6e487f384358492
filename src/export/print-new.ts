import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { Stdout } from '../output/stdout.ts';
import { endOfLine } from './read.ts';
import type { Progress } from './record.ts';
import type { Rows } from './rows.ts';

/**
 * Prints the entries that updates add to stdout (`--print-new`), one reference after another, before FILE is replaced. A
 * csv header is printed once, and again before rows of a FILE with other columns.
 */
export class NewEntries {
  readonly #stdout: Stdout;
  #last: Promise<void> = Promise.resolve();
  #header: string | null = null;

  constructor(stdout: Stdout) {
    this.#stdout = stdout;
  }

  /** Throws `failed`, which ends the run, if stdout cannot be written: the same command prints them again. */
  async print(rows: Rows, { entries, columns }: Progress, stop: AbortSignal): Promise<void> {
    if (entries === 0) return;
    const next = this.#last.then(() => this.#print(rows, columns, stop));
    this.#last = next.catch(() => {});
    await next;
  }

  async #print(rows: Rows, columns: readonly string[] | null, stop: AbortSignal): Promise<void> {
    let isStart = columns !== null;
    try {
      for await (const chunk of rows.chunks(stop)) {
        const end = isStart ? endOfLine(chunk, 0, true) + 1 : 0;
        const header = chunk.toString('utf8', 0, end);
        const isKnown = isStart && header === this.#header;
        if (isStart) this.#header = header;
        isStart = false;
        await this.#stdout.write(isKnown ? chunk.subarray(end) : chunk);
      }
    } catch (error) {
      const failure =
        error instanceof ClosedPipe ? new Failure('failed', 'stdout was closed') : toFailure(error);
      throw failure.with({
        message: `${failure.message} before the new entries were printed; FILE was not replaced`,
        hint: 'printing them costs nothing more',
        scope: 'run',
      });
    }
  }
}
