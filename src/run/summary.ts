import type { Clock } from '../context.ts';
import { type ExitCode, Failure, toFailure } from '../errors.ts';
import { writeFileAtomic } from '../fs/atomic.ts';
import { resolveTarget } from '../fs/output-target.ts';
import type { Tally } from '../service/budget.ts';
import { escapeUnsafe } from '../text/sanitize.ts';
import { type Result, statuses } from './results.ts';

/** Writes the summary of a run (`end`: null while it works). Throws `failed` (1) if the file cannot be written. */
export type WriteSummary = (
  results: readonly Result[],
  end: { readonly exit: ExitCode; readonly failure: Failure | null; readonly total: Tally } | null,
) => void;

/**
 * Starts the clock of a run; returns a function that writes its `--summary`. `path` is null without the flag. `redact` removes keys.
 */
export function createSummaryWriter(
  command: string,
  path: string | null,
  clock: Clock,
  redact: (text: string) => string,
): WriteSummary {
  const started = new Date(clock.now()).toISOString();
  const startedAt = clock.elapsed();
  return (results, end) => {
    if (path === null) return;
    const countOf = (status: Result['status']): number =>
      results.filter((result) => result.status === status).length;
    const report = {
      command,
      started,
      seconds: Math.round(clock.elapsed() - startedAt) / 1000,
      exit: end?.exit ?? null,
      error: errorOf(end?.failure ?? null),
      // Null until the run ends: the summary of a killed run does not claim that nothing was spent.
      credits: end?.total.credits ?? null,
      requests: end?.total.requests ?? null,
      retries: end?.total.retries ?? null,
      counts: Object.fromEntries(statuses.map((status) => [status, countOf(status)])),
      references: results.map((result) => ({
        reference: result.given,
        id: result.id,
        file: result.file,
        status: result.status,
        entries: result.entries,
        new: result.added,
        missing: result.missing,
        unlisted: result.unlisted,
        pages: result.pages,
        credits: end && result.tally.credits,
        resumed: result.resumed,
        continuation_token: result.token,
        error: errorOf(result.failure),
        exit: result.failure?.exit ?? null,
      })),
    };
    try {
      const text = redact(escapeUnsafe(JSON.stringify(report, null, 2)));
      writeFileAtomic(resolveTarget(path), `${text}\n`);
    } catch (error) {
      const { message, step } = toFailure(error);
      throw new Failure('failed', `--summary: ${message}`, { step, cause: error });
    }
  };
}

const errorOf = (failure: Failure | null): object | null =>
  failure && { code: failure.code, status: failure.status, message: failure.message };
