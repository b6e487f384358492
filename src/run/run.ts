import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type ExitCode, Failure, gravest, toFailure, type Warning } from '../errors.ts';
import type { ProgressLine } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Budget } from '../service/budget.ts';
import type { Client } from '../service/client.ts';
import type { Operation } from '../service/contract.ts';
import { stepText } from '../text/command.ts';
import type { Reference } from './read-references.ts';
import { failureLines, tallyText, warningLines } from './report-lines.ts';
import { type Result, startSummary, unreachedResult } from './results.ts';

/** Consecutive references that fail with 7 or 8. */
const maxFailuresInRow = 5;

/** One invocation of the program that sends requests: the service, and what has happened. */
export class Run implements AsyncDisposable {
  readonly operation: Operation;
  readonly references: readonly Reference[];
  readonly options: RunOptions;
  readonly context: Context;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the run file of an export. */
  readonly serviceName: string;
  /** That of all references together if there are several. */
  readonly progress: ProgressLine;
  /** The reader of stdout has closed it: the end of the work, and no failure. */
  hasReaderLeft = false;
  /** What has ended the run; null while it works. */
  ended: Failure | null = null;
  readonly #warnings: Warning[];
  readonly #close: () => Promise<void>;
  #failuresInRow = 0;

  constructor(
    parts: Pick<
      Run,
      | ('operation' | 'references' | 'options' | 'context' | 'stderr')
      | ('client' | 'budget' | 'serviceName' | 'progress')
    >,
    warnings: Warning[],
    close: () => Promise<void>,
  ) {
    this.operation = parts.operation;
    this.references = parts.references;
    this.options = parts.options;
    this.context = parts.context;
    this.stderr = parts.stderr;
    this.client = parts.client;
    this.budget = parts.budget;
    this.serviceName = parts.serviceName;
    this.progress = parts.progress;
    this.#warnings = warnings;
    this.#close = close;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.progress.stop();
    await this.client.close();
    await this.#close();
  }

  #unreached(failure: Failure | null): Result[] {
    return this.references.map((reference) => unreachedResult(reference, failure));
  }

  warn(code: Warning['code'], label: string | null, message: string): void {
    this.#warnings.push({ code, label, message });
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

  /** Does the work of a reference, unless the run has ended. A failure in its result may end the run. */
  async work(reference: Reference, work: () => Promise<Result>): Promise<Result> {
    const { stopped } = this;
    if (stopped !== null) return unreachedResult(reference, stopped);
    const result = await work();
    this.#add(result.failure);
    this.progress.referenceDone();
    return result;
  }

  /** The same for a request of a reference: returns the response, or the failure. */
  async request<T>(send: () => Promise<T>): Promise<T | Failure> {
    const { stopped } = this;
    if (stopped !== null) return stopped;
    const response = await send().catch(toFailure);
    this.#add(response instanceof Failure ? response : null);
    return response;
  }

  #add(failure: Failure | null): void {
    this.#failuresInRow = failure?.exit === 7 || failure?.exit === 8 ? this.#failuresInRow + 1 : 0;
    if (failure !== null && (failure.scope === 'run' || this.#failuresInRow >= maxFailuresInRow))
      this.end(failure.with({ scope: 'run' }));
  }

  /**
   * Does the work of the run between the first `--summary` and the last one. When it ends or throws, prints one line per
   * cause and the tally; returns the exit code. `destination`: null for stdout. Throws what the work throws before its first
   * request.
   */
  async perform(work: () => Promise<readonly Result[]>, destination: string | null): Promise<ExitCode> {
    const { stderr, progress, options, budget, operation, context } = this;
    const writeSummary = startSummary(operation.name, budget, context.clock, options.summary);
    await writeSummary(this.#unreached(null), null);
    let refusal: unknown = null;
    const results = await work().catch((error: unknown) => {
      this.end(toFailure(error));
      if (budget.total.requests === 0) refusal = error;
      return this.#unreached(this.ended);
    });
    await progress.stop();
    const tally = tallyText(results, budget.total.credits, operation.credits > 0, destination);
    if (this.hasReaderLeft) {
      // A pager that was left early.
      if (stderr.isPaged)
        for (const text of [tally, results[0]?.resume]) if (text) stderr.note(stepText(text));
      await writeSummary(results, { exit: 0, failure: null });
      return 0;
    }
    const isUndone = results.some(({ failure }) => failure !== null);
    const ended = this.ended ?? (isUndone ? this.stopped : null);
    for (const text of warningLines(this.#warnings)) stderr.warn(text);
    if (refusal === null) {
      for (const { text, next, failure } of failureLines(results, ended, options)) {
        stderr.error(text, next);
        stderr.printStack(failure);
      }
      if (tally !== null && (ended === null || results.length > 1)) stderr.note(tally);
    }
    const exit = gravest([...results.map(({ failure }) => failure?.exit ?? 0), ended?.exit ?? 0]);
    try {
      await writeSummary(results, { exit, failure: ended });
    } catch (error) {
      stderr.printFailure(toFailure(error));
      return exit === 0 ? 1 : exit;
    }
    if (refusal !== null) throw refusal;
    return exit;
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
