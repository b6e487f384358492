import { ClosedPipe, type ExitCode, type Failure, toFailure } from '../errors.ts';
import type { Tally } from '../service/budget.ts';
import { openOutput } from './output.ts';
import { type Result, statuses } from './results.ts';
import type { Session } from './session.ts';

/**
 * Writes the report of `--summary`, at the start of the work (`end`: null) and at its end; without the flag, nothing.
 * Throws `failed` if it cannot be created or written. At the end a reader that has left, or does not read after a signal,
 * is no failure.
 */
export type WriteSummary = (
  results: readonly Result[],
  end: { readonly exit: ExitCode; readonly failure: Failure | null } | null,
) => Promise<void>;

export function summaryWriter(session: Session, summary: string | null): WriteSummary {
  const { operation, context, stderr } = session;
  const { clock, stop } = context;
  const { total } = session.budget;
  const started = new Date(clock.now()).toISOString();
  const startedAt = clock.elapsed();
  return async (results, end) => {
    if (summary === null) return;
    const seconds = Math.round(clock.elapsed() - startedAt) / 1000;
    const report = { command: operation.name, started, seconds, ...document(results, end, end && total) };
    const text = `${JSON.stringify(report, null, 2)}\n`;
    try {
      const { resolveTarget } = await import('../fs/output-target.ts');
      const target = resolveTarget(summary);
      if (target.kind === 'file') {
        const { writeFileAtomic } = await import('../fs/atomic.ts');
        writeFileAtomic(target, text);
      } else if (end !== null) {
        // A device or a pipe gets the final report alone.
        await (await openOutput(target, context, stderr)).write(text);
      }
    } catch (error) {
      if (end !== null && (error instanceof ClosedPipe || error === stop.reason)) return;
      const failure = toFailure(error);
      throw failure.with({ message: `--summary: ${failure.message}`, exit: 1 });
    }
  };
}

/** `total`: null until the run ends, so that the summary of a killed run does not claim that nothing was spent. */
const document = (results: readonly Result[], end: Parameters<WriteSummary>[1], total: Tally | null) => ({
  exit: end?.exit ?? null,
  error: end?.failure ?? null,
  credits: total?.credits ?? null,
  requests: total?.requests ?? null,
  retries: total?.retries ?? null,
  counts: Object.fromEntries(
    statuses.map((status) => [status, results.filter((one) => one.status === status).length]),
  ),
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
    why: result.why,
    continuation_token: result.token,
    error: result.failure,
    exit: result.failure?.exit ?? null,
  })),
});
