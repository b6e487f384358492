import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { Stderr } from '../output/stderr.ts';
import type { Budget } from '../service/budget.ts';
import { openOutput } from './outputs.ts';
import { type Receipt, summaryText } from './receipts.ts';

/** The report of `--summary`: a JSON file, written at the start (`"exit": null`) and replaced at the end. */
export class Summary {
  readonly #command: string;
  readonly #shared: SharedOptions;
  readonly #context: Context;
  readonly #started: number;
  readonly #startedAt: number;
  #receipts: readonly Receipt[] = [];
  budget: Budget | null = null;

  constructor(command: string, shared: SharedOptions, context: Context) {
    this.#command = command;
    this.#shared = shared;
    this.#context = context;
    this.#started = context.clock.now();
    this.#startedAt = context.clock.elapsed();
  }

  /** Throws `failed` (1) if it cannot be created, a usage error for a planted link. */
  async check(): Promise<void> {
    const { ForeignLink } = await import('../fs/target.ts');
    const { prepareWhole } = await import('../fs/write-whole.ts');
    try {
      await prepareWhole(this.#shared.summary ?? '');
    } catch (error) {
      if (error instanceof ForeignLink) throw error;
      const { message, hint } = toFailure(error);
      throw new Failure('failed', `--summary: ${message}`, { hint });
    }
  }

  /** Writes it at the start; throws if it cannot be created. */
  async open(receipts: readonly Receipt[]): Promise<void> {
    this.#receipts = receipts;
    if (this.#shared.summary !== null) await this.#write(null);
  }

  /** Writes it at the end of a call that ends with `exit`; returns the exit code of the call. */
  async close(exit: number): Promise<number> {
    if (this.#shared.summary === null) return exit;
    try {
      await this.#write(exit);
      return exit;
    } catch (error) {
      // The reader has gone, or does not read: nobody waits for it.
      if (error instanceof ClosedPipe || error === this.#context.stop.reason) return exit;
      new Stderr(this.#context.stderr, this.#shared).warn(toFailure(error).line());
      return exit === 0 ? 1 : exit;
    }
  }

  /** Writes the receipt of a call that failed before its work; a failure here is not worth reporting. */
  async writeUnstarted({ exit }: Failure): Promise<void> {
    if (this.#shared.summary !== null) await this.#write(exit).catch(() => {});
  }

  /** Writes it to a file whole; into a stream only at the end. */
  async #write(exit: number | null): Promise<void> {
    const path = this.#shared.summary ?? '';
    const { resolveTarget } = await import('../fs/target.ts');
    const isStream = (await resolveTarget(path)).kind === 'stream';
    if (isStream && exit === null) return;
    const { newTally } = await import('../service/budget.ts');
    const text = summaryText({
      command: this.#command,
      started: this.#started,
      seconds: (this.#context.clock.elapsed() - this.#startedAt) / 1000,
      exit,
      total: this.budget?.total ?? newTally(),
      receipts: this.#receipts,
    });
    if (isStream) {
      const stderr = new Stderr(this.#context.stderr, this.#shared);
      await (await openOutput(path, this.#context, { stderr })).write(text);
      return;
    }
    const { writeWhole } = await import('../fs/write-whole.ts');
    await writeWhole(path, text);
  }
}
