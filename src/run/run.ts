import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type ExitCode, Failure, toFailure, type Warning } from '../errors.ts';
import type { ProgressLine } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Budget } from '../service/budget.ts';
import type { Client } from '../service/client.ts';
import type { Operation } from '../service/contract.ts';
import { endingOf } from './ending.ts';
import type { DryRun } from './print-dry-run.ts';
import type { Reference } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';
import type { WriteSummary } from './summary.ts';

export interface Job {
  /** In input order, with the bad lines of a list. */
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

/** After so many references in a row that fail with 7 or 8 a run ends. */
const maxFailuresInRow = 5;

interface RunParts extends Pick<Job, 'references'> {
  readonly operation: Operation;
  readonly options: RunOptions;
  readonly context: Context;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the pages of an export. */
  readonly serviceName: string;
  /** Shared by all references. */
  readonly progress: ProgressLine;
  readonly warnings: Warning[];
  close(): Promise<void>;
}

/** One invocation of the program that sends requests: the service, and what has happened. */
export type Run = ReturnType<typeof createRun>;

export function createRun(parts: RunParts) {
  const { context, client, progress, warnings } = parts;
  let failuresInRow = 0;

  /** `hasProgress`: a page was bought or, of a free request, the service has answered. */
  const note = (failure: Failure | null, hasProgress: boolean): void => {
    if (hasProgress) failuresInRow = 0;
    if (failure?.exit === 7 || failure?.exit === 8) failuresInRow++;
    if (failure !== null && (failure.scope === 'run' || failuresInRow >= maxFailuresInRow))
      run.end(failure.with({ scope: 'run' }));
  };

  const run = {
    ...parts,
    /** The reader of stdout has closed the pipe: the end of the work, and not a failure. */
    pipeClosed: false,
    /** What has ended the run; null while it works. */
    ended: null as Failure | null,

    /** Why no more work may start: a signal, or the failure that has ended the run; null if it may. */
    get stopped(): Failure | null {
      const { aborted, reason } = context.stop;
      return aborted ? (reason as Failure) : run.ended;
    },
    end: (failure: Failure): void => {
      run.ended ??= failure;
      client.end(failure);
    },
    warn: (code: Warning['code'], label: string | null, message: string): void => {
      warnings.push({ code, label, message });
    },
    /** Does the paid work of a reference, unless the run has ended. A failure in its result may end the run. */
    work: async (reference: Reference, work: () => Promise<Result>): Promise<Result> => {
      const { stopped } = run;
      if (stopped !== null) return unreachedResult(reference, stopped);
      const result = await work();
      note(result.failure, result.pages > 0);
      progress.referenceDone();
      return result;
    },
    /** Sends a free request of a reference, unless the run has ended: returns the response, or the failure. */
    request: async <T>(send: () => Promise<T>): Promise<T | Failure> => {
      const { stopped } = run;
      if (stopped !== null) return stopped;
      const response = await send().catch(toFailure);
      const failure = response instanceof Failure ? response : null;
      note(failure, failure?.exit !== 7 && failure?.exit !== 8);
      return response;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await progress.stop();
      await client.close();
      await parts.close();
    },
  };
  return run;
}

/** Does a job and prints how it ended; returns the exit code. Throws what the job throws before its first request. */
export async function perform(run: Run, job: Job, writeSummary: WriteSummary): Promise<ExitCode> {
  const { stderr, budget } = run;
  const unreached = (): Result[] => job.references.map((each) => unreachedResult(each, run.ended));
  await writeSummary(unreached(), null);
  const results = await job.work(run).catch((error: unknown) => {
    if (budget.total.requests === 0) throw error;
    run.end(toFailure(error));
    return unreached();
  });
  await run.progress.stop();
  const pagerFailure = run.stopped === null ? await stderr.pager?.close() : null;
  if (pagerFailure) run.end(pagerFailure);
  const isUndone = results.some(({ failure }) => failure !== null);
  const ended = run.ended ?? (isUndone ? run.stopped : null);
  const ending = endingOf({
    results,
    ended,
    warnings: run.warnings,
    pipeClosed: run.pipeClosed,
    credits: budget.total.credits,
    isPaid: run.operation.credits > 0,
    destination: job.destination,
    options: run.options,
  });
  const { exit } = ending;
  for (const text of ending.warnings) stderr.warn(text);
  for (const failure of ending.failures) stderr.printFailure(failure);
  // A user who has left the pager is still at the terminal.
  if (!run.pipeClosed || stderr.pager !== null) for (const note of ending.notes) stderr.note(note);
  try {
    await writeSummary(results, { exit, failure: ended, total: budget.total });
  } catch (error) {
    stderr.printFailure(toFailure(error));
    return exit === 0 ? 1 : exit;
  }
  return exit;
}

/**
 * Does `work` for each item, at most `concurrency` at once, and yields the results in input order. At most `lookahead`
 * items are in progress or not yet yielded. `work` must not reject.
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
