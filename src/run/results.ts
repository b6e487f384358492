import type { Clock } from '../context.ts';
import { type ExitCode, Failure, toFailure } from '../errors.ts';
import type { Budget } from '../service/budget.ts';
import type { Step } from '../text/command.ts';
import { escapeUnsafe } from '../text/sanitize.ts';
import type { Reference } from './read-references.ts';

export const statuses = [
  'complete',
  'limited',
  'unchanged',
  'unchecked',
  'kept',
  'interrupted',
  'failed',
] as const;

/** How a run ended for one reference: an element of `references` in `--summary`. */
export interface Result extends Pick<Reference, 'reference' | 'label' | 'tally'> {
  readonly id: string | null;
  readonly file: string | null;
  readonly status: (typeof statuses)[number];
  readonly entries: number;
  /** Entries that an update added, in all its runs; null without one. */
  readonly added: number | null;
  /** numVideos less entries, if positive; null if no page was fetched. */
  readonly missing: number | null;
  /** Entries in FILE that the list no longer has; null unless this run fetched every page of an update. */
  readonly unlisted: { readonly count: number; readonly ids: readonly string[] } | null;
  readonly pages: number;
  /** Entries that an earlier, interrupted run had. */
  readonly resumed: number;
  /** Token of the first page that is not fully printed. */
  readonly token: string | null;
  readonly failure: Failure | null;
  /** How to resume, if the reader closed the pipe. */
  readonly resume: Step | null;
  readonly isReached: boolean;
}

/** These facts; defaults for the rest. */
export function resultOf({ reference, label, tally }: Reference, facts: Partial<Result>): Result {
  const { failure = null } = facts;
  return {
    reference,
    label,
    tally,
    id: null,
    file: null,
    status: failure === null ? 'complete' : failure.scope === 'reference' ? 'failed' : 'interrupted',
    entries: 0,
    added: null,
    missing: null,
    unlisted: null,
    pages: 0,
    resumed: 0,
    token: null,
    failure,
    resume: null,
    isReached: true,
    ...facts,
  };
}

/** The result of a reference that a run did not reach; `failure`: why, null if the reader of stdout has left. */
export const unreachedResult = (reference: Reference, failure: Failure | null): Result =>
  resultOf(reference, { status: 'interrupted', failure, isReached: false });

/** The result of a request that failed; one that the end of the run kept from being sent was not reached. */
export const failedRequest = (reference: Reference, failure: Failure): Result =>
  failure.scope === 'run' && reference.tally.requests === 0
    ? unreachedResult(reference, failure)
    : resultOf(reference, { failure });

/** Starts the time of a run; returns what writes its `--summary`: at the start of the work (`end`: null) and at its end. */
export function startSummary(command: string, budget: Budget, clock: Clock, summary: string | null) {
  const started = new Date(clock.now()).toISOString();
  const startedAt = clock.elapsed();
  return async (
    results: readonly Result[],
    end: { readonly exit: ExitCode; readonly failure: Failure | null } | null,
  ): Promise<void> => {
    if (summary === null) return;
    const seconds = Math.round(clock.elapsed() - startedAt) / 1000;
    // Unknown until the run ends: the summary of a killed run does not claim that nothing was spent.
    const total = end && budget.total;
    const counts = statuses.map((status) => [status, results.filter((one) => one.status === status).length]);
    const report = {
      ...{ command, started, seconds, exit: end?.exit ?? null, error: shortError(end?.failure ?? null) },
      credits: total?.credits ?? null,
      requests: total?.requests ?? null,
      retries: total?.retries ?? null,
      counts: Object.fromEntries(counts),
      references: results.map((result) => ({
        reference: result.reference,
        id: result.id,
        file: result.file,
        status: result.status,
        entries: result.entries,
        new: result.added,
        missing: result.missing,
        unlisted: result.unlisted,
        pages: result.pages,
        credits: total && result.tally.credits,
        resumed: result.resumed,
        continuation_token: result.token,
        error: shortError(result.failure),
        exit: result.failure?.exit ?? null,
      })),
    };
    const text = `${escapeUnsafe(JSON.stringify(report, null, 2))}\n`;
    try {
      const { resolveTarget } = await import('../fs/output-target.ts');
      const target = resolveTarget(summary);
      const { writeFileAtomic } = await import('../fs/atomic.ts');
      writeFileAtomic(target, text);
    } catch (error) {
      const { message, next } = toFailure(error);
      throw new Failure('failed', `--summary: ${message}`, { next, cause: error });
    }
  };
}

/** A failure in the summary. */
const shortError = (failure: Failure | null): object | null =>
  failure && { code: failure.code, status: failure.status, message: failure.message };
