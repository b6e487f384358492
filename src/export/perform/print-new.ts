import { ClosedPipe, Failure, toFailure } from '../../errors.ts';
import type { Stdout } from '../../output/stdout.ts';
import type { Rows } from './rows.ts';

/** Prints the entries that updates add to stdout (`--print-new`), one reference after another. */
export class NewEntriesPrinter {
  readonly #stdout: Stdout;
  #last: Promise<void> = Promise.resolve();

  constructor(stdout: Stdout) {
    this.#stdout = stdout;
  }

  /**
   * Prints the first bytes of a new FILE, before it replaces the old one. Throws `failed`, which ends the run, if stdout
   * cannot be written: the same command prints them again.
   */
  async print(rows: Rows, bytes: number, stop: AbortSignal): Promise<void> {
    const next = this.#last.then(() => this.#print(rows, bytes, stop));
    this.#last = next.catch(() => {});
    await next;
  }

  async #print(rows: Rows, bytes: number, stop: AbortSignal): Promise<void> {
    try {
      for await (const chunk of rows.chunks(stop, { end: bytes })) await this.#stdout.write(chunk);
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
