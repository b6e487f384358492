import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type ExitCode, Failure, toFailure, type Warning } from '../errors.ts';
import type { ProgressLine } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Budget } from '../service/budget.ts';
import type { Client } from '../service/client.ts';
import type { Operation } from '../service/contract.ts';
import { stepText } from '../text/command.ts';
import { type Ending, endingOf } from './ending.ts';
import type { DryRun } from './print-dry-run.ts';
import type { Reference } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';
import type { Summary } from './summary.ts';

/** What a run does: an export, a listing, or responses. */
export interface Job {
  readonly references: readonly Reference[];
  /** FILE or folder of the output; null: stdout. */
  readonly destination: string | null;
  /** Throws what the run would refuse, before anything is sent. */
  refuse(): Promise<void>;
  /** The first request of each reference, for `--dry-run`. */
  firstRequests(): Promise<DryRun>;
  /** Does the work, and returns a result for each reference. */
  work(run: Run): Promise<readonly Result[]>;
}

/** References in a row that may fail with 7 or 8. */
const maxFailuresInRow = 5;

interface RunParts {
  readonly operation: Operation;
  readonly references: readonly Reference[];
  readonly options: RunOptions;
  readonly context: Context;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the pages of an export. */
  readonly serviceName: string;
  /** Of all references together if there are several. */
  readonly progress: ProgressLine;
  readonly summary: Summary;
  readonly warnings: Warning[];
  close(): Promise<void>;
}

/** One invocation of the program that sends requests: the service, and what has happened. */
export class Run implements AsyncDisposable {
  readonly operation: Operation;
  readonly references: readonly Reference[];
  readonly options: RunOptions;
  readonly context: Context;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  readonly serviceName: string;
  readonly progress: ProgressLine;
  /** The reader of stdout has closed the pipe: the end of the work, and not a failure. */
  pipeClosed = false;
  /** What has ended the run; null while it works. */
  ended: Failure | null = null;
  readonly #parts: RunParts;
  #failuresInRow = 0;

  constructor(parts: RunParts) {
    this.operation = parts.operation;
    this.references = parts.references;
    this.options = parts.options;
    this.context = parts.context;
    this.stderr = parts.stderr;
    this.client = parts.client;
    this.budget = parts.budget;
    this.serviceName = parts.serviceName;
    this.progress = parts.progress;
    this.#parts = parts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.progress.stop();
    await this.client.close();
    await this.#parts.close();
  }

  warn(code: Warning['code'], label: string | null, message: string): void {
    this.#parts.warnings.push({ code, label, message });
  }

  /** Why no more work may start: a signal, or the failure that has ended the run; null if it may. */
  get stopped(): Failure | null {
    const { aborted, reason } = this.context.stop;
    return aborted ? (reason as Failure) : this.ended;
  }

  end(failure: Failure): void {
    this.ended ??= failure;
    this.client.end(failure);
  }

  /** Does the paid work of a reference, unless the run has ended. A failure in its result may end the run. */
  async work(reference: Reference, work: () => Promise<Result>): Promise<Result> {
    const { stopped } = this;
    if (stopped !== null) return unreachedResult(reference, stopped);
    const result = await work();
    this.#note(result.failure, result.pages > 0);
    this.progress.referenceDone();
    return result;
  }

  /** Sends a free request of a reference, unless the run has ended: returns the response, or the failure. */
  async request<T>(send: () => Promise<T>): Promise<T | Failure> {
    const { stopped } = this;
    if (stopped !== null) return stopped;
    const response = await send().catch(toFailure);
    const failure = response instanceof Failure ? response : null;
    this.#note(failure, failure?.exit !== 7 && failure?.exit !== 8);
    return response;
  }

  /** `hasProgress`: a page was bought or, of a free request, the service has answered. */
  #note(failure: Failure | null, hasProgress: boolean): void {
    if (hasProgress) this.#failuresInRow = 0;
    if (failure?.exit === 7 || failure?.exit === 8) this.#failuresInRow++;
    if (failure !== null && (failure.scope === 'run' || this.#failuresInRow >= maxFailuresInRow))
      this.end(failure.with({ scope: 'run' }));
  }

  /**
   * Does a job between the first `--summary` and the last one; when it ends, prints one line per cause and the tally. Returns
   * the exit code. Throws what the job throws before its first request.
   */
  async perform(job: Job): Promise<ExitCode> {
    const { stderr, budget, operation, options } = this;
    const { summary, warnings } = this.#parts;
    await summary.write(this.#unreached(null), null);
    const results = await job.work(this).catch((error: unknown) => {
      if (budget.total.requests === 0) throw error;
      this.end(toFailure(error));
      return this.#unreached(this.ended);
    });
    await this.progress.stop();
    const isUndone = results.some(({ failure }) => failure !== null);
    const ended = this.ended ?? (isUndone ? this.stopped : null);
    const { pipeClosed } = this;
    const ending = endingOf({
      results,
      warnings,
      ended,
      pipeClosed,
      isPaid: operation.credits > 0,
      credits: budget.total.credits,
      destination: job.destination,
      options,
    });
    this.#print(ending, results);
    try {
      await summary.write(results, { exit: ending.exit, failure: ended, total: budget.total });
    } catch (error) {
      stderr.printFailure(toFailure(error));
      return ending.exit === 0 ? 1 : ending.exit;
    }
    return ending.exit;
  }

  #print({ warnings, errors, tally }: Ending, [first]: readonly Result[]): void {
    const { stderr } = this;
    for (const text of warnings) stderr.warn(text);
    for (const { message, next, failure } of errors) {
      stderr.error(message, next);
      stderr.printStack(failure);
    }
    // Of a closed pipe nothing is said, but a user who has left the pager is at a terminal.
    if (this.pipeClosed && !stderr.isPaged) return;
    if (tally !== null) stderr.note(tally);
    if (this.pipeClosed && first?.resume) stderr.note(stepText(first.resume));
  }

  #unreached(failure: Failure | null): Result[] {
    return this.references.map((reference) => unreachedResult(reference, failure));
  }
}

/**
 * Does `work` for each item, at most `concurrency` at once, and yields each with its result, in input order. At most
 * `lookahead` items are in progress or finished and not yet yielded. `work` must not reject.
 */
export async function* mapConcurrently<T, R>(
  items: readonly T[],
  { concurrency, lookahead = items.length }: { readonly concurrency: number; readonly lookahead?: number },
  work: (item: T) => Promise<R>,
): AsyncGenerator<[T, R], void> {
  const results: Promise<R>[] = [];
  let running = 0;
  let yielded = 0;
  const start = (): void => {
    while (results.length < items.length && running < concurrency && results.length - yielded < lookahead) {
      const item = items[results.length] as T;
      running++;
      results.push(
        work(item).finally(() => {
          running--;
          start();
        }),
      );
    }
  };
  for (; yielded < items.length; yielded++) {
    start();
    yield [items[yielded] as T, (await results[yielded]) as R];
    delete results[yielded];
  }
}
