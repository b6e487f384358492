import { type ExitCode, Failure, toFailure, type Warning } from '../errors.ts';
import { endingOf } from './ending.ts';
import type { RunParts } from './open-service.ts';
import type { DryRun } from './print-dry-run.ts';
import type { Reference } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';
import type { WriteSummary } from './summary.ts';

export interface Job {
  /** All references in input order, including the bad lines of a list. */
  readonly references: readonly Reference[];
  /** FILE or folder of the output; null for stdout. */
  readonly destination: string | null;
  /** Throws if the run would refuse the job; called before anything is sent. */
  assertPossible(): void | Promise<void>;
  /** The first request of each reference, for `--dry-run`. */
  firstRequests(): Promise<DryRun>;
  /** Does the work, and returns a result for each reference. */
  work(run: Run): Promise<readonly Result[]>;
}

/** A run ends after this many references in a row have failed with 7 or 8. */
const maxFailuresInRow = 5;

/** The tools and the state of one invocation of the program that sends requests. */
export interface Run extends RunParts, AsyncDisposable {
  /** Whether the reader of stdout has closed the pipe, which ends the work but is not a failure. */
  pipeClosed: boolean;
  /** What has ended the run; null while it works. */
  readonly endedBy: Failure | null;
  /** Why no more work may start: a signal, or what has ended the run; null while the run continues. */
  readonly stopReason: Failure | null;
  /** Whether the pipe has lost its reader. False for a pager: a user who has quit it is still at the terminal. */
  readonly isReaderGone: boolean;
  /** Ends the run. `endedBy` stays the first failure, unless this one `replaces` it. */
  fail(failure: Failure, options?: { readonly replaces: boolean }): void;
  warn(code: Warning['code'], label: string | null, message: string): void;
  /** Resets the count of failures in a row, after a page was bought or a free request was answered. */
  resetFailureCount(): void;
  /** Does the work of a reference. Skips bad lines and, after the end of the run, everything. A failure may end the run. */
  attempt(reference: Reference, work: () => Promise<Result>): Promise<Result>;
  /** Sends a free request of a reference, unless the run has ended. Returns the response, or the failure. */
  request<T>(send: () => Promise<T>): Promise<T | Failure>;
}

/** Whether the service itself may be failing: exit code 7 or 8, but not an answer about a channel's feed or a token. */
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
      // In a paid run, only a page shows that the service works.
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
