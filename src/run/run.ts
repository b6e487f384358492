import { type ExitCode, Failure, toFailure, type Warning } from '../errors.ts';
import { endingOf } from './ending.ts';
import type { RunParts } from './open-service.ts';
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
  assertPossible(): void | Promise<void>;
  /** The first request of each reference, for `--dry-run`. */
  firstRequests(): Promise<DryRun>;
  /** Does the work, and returns a result for each reference. */
  work(run: Run): Promise<readonly Result[]>;
}

/** A run ends after this many references in a row have failed with 7 or 8. */
const maxFailuresInRow = 5;

/** One invocation of the program that sends requests: what it works with, and what has happened. */
export interface Run extends RunParts, AsyncDisposable {
  /** The reader of stdout has closed the pipe: the end of the work, and not a failure. */
  pipeClosed: boolean;
  /** What has ended the run; null while it works. */
  readonly endedBy: Failure | null;
  /** Why no more work may start: a signal, or what has ended the run; null while it goes on. */
  readonly stopReason: Failure | null;
  /** Whether the pipe has lost its reader. A user who has left the pager is still at the terminal. */
  readonly isReaderGone: boolean;
  /** Ends the run. The first failure counts, unless this one `replaces` it. */
  fail(failure: Failure, options?: { readonly replaces: boolean }): void;
  warn(code: Warning['code'], label: string | null, message: string): void;
  /** Restarts the count of failures in a row: a page was bought, or a free request was answered. */
  resetFailureCount(): void;
  /** Does the work of a reference; skips a bad line, and everything once the run has ended. A failure may end the run. */
  attempt(reference: Reference, work: () => Promise<Result>): Promise<Result>;
  /** Sends a free request of a reference, unless the run has ended. Returns the response, or the failure. */
  request<T>(send: () => Promise<T>): Promise<T | Failure>;
}

/** Whether the service itself may be failing: 7 or 8, but not an answer about a channel's feed or a token. */
function isServiceFailure({ code, status, exit }: Failure): boolean {
  const isAnswered = code === 'unresumable' || (code === 'no_feed' && status !== null && status < 500);
  return (exit === 7 || exit === 8) && !isAnswered;
}

export function createRun(parts: RunParts): Run {
  const { context, client, progress, warnings, stdout } = parts;
  let failuresInRow = 0;

  const countFailure = (failure: Failure | null): void => {
    if (failure !== null && isServiceFailure(failure)) failuresInRow++;
    if (failure !== null && (failure.scope === 'run' || failuresInRow >= maxFailuresInRow))
      run.fail(failure.with({ scope: 'run' }));
  };

  const run: Run & { endedBy: Failure | null } = {
    ...parts,
    pipeClosed: false,
    endedBy: null,
    get stopReason() {
      return context.stop.aborted ? context.stop.reason : run.endedBy;
    },
    get isReaderGone() {
      return run.pipeClosed && !stdout.hasPager;
    },
    fail: (failure, { replaces } = { replaces: false }) => {
      if (run.endedBy === null || replaces) run.endedBy = failure;
      client.end(failure.with({ isInherited: true }));
    },
    warn: (code, label, message) => {
      warnings.push({ code, label, message });
    },
    resetFailureCount: () => {
      failuresInRow = 0;
    },
    attempt: async (reference, work) => {
      const { stopReason } = run;
      if (reference.failure !== null || stopReason !== null) return unreachedResult(reference, stopReason);
      const result = await work();
      countFailure(result.failure);
      progress.referenceDone(reference);
      return result;
    },
    request: async (send) => {
      const { stopReason } = run;
      if (stopReason !== null) return stopReason.with({ isInherited: true });
      const response = await send().catch(toFailure);
      const failure = response instanceof Failure ? response : null;
      // In a paid run, nothing but a page shows that the service works.
      const isProgress = failure === null || !isServiceFailure(failure);
      if (isProgress && parts.operation.credits === 0) run.resetFailureCount();
      countFailure(failure);
      return response;
    },
    [Symbol.asyncDispose]: async () => {
      await progress.stop();
      await client.close();
      await parts.close();
    },
  };
  return run;
}

/** Does a job and prints how it ended; returns the exit code. Throws what the job throws before its first request. */
export async function runJob(run: Run, job: Job, writeSummary: WriteSummary): Promise<ExitCode> {
  const { stdout, stderr, budget } = run;
  const unreached = (): Result[] =>
    run.references.map((reference) => unreachedResult(reference, run.endedBy));
  writeSummary(unreached(), null);
  const results = await job.work(run).catch((error: unknown) => {
    if (budget.total.requests === 0) throw error;
    run.fail(toFailure(error));
    return unreached();
  });
  await run.progress.stop();
  const pagerFailure = run.stopReason === null ? await stdout.close() : null;
  if (pagerFailure !== null) run.fail(pagerFailure);
  // If something failed after a signal, the signal is what ended the run.
  if (run.stopReason !== null && results.some(({ failure }) => failure !== null)) run.fail(run.stopReason);
  const { exit, warnings, tally, failures } = endingOf(run, results);
  for (const text of warnings) stderr.warn(text);
  if (tally !== null && !run.isReaderGone) stderr.note(tally);
  // The next step is the last line.
  for (const failure of failures) stderr.printFailure(failure);
  try {
    writeSummary(results, { exit, failure: run.endedBy, total: budget.total });
  } catch (error) {
    stderr.printFailure(toFailure(error));
    return exit === 0 ? 1 : exit;
  }
  return exit;
}
