import { type ExitCode, type Failure, toFailure } from '../errors.ts';
import { type Result, statuses } from './results.ts';
import type { Session } from './session.ts';

/** Writes the report of `--summary`, if there is one, at the start of the work (`end`: null) and at its end. */
export type WriteSummary = (
  results: readonly Result[],
  end: { readonly exit: ExitCode; readonly failure: Failure | null } | null,
) => Promise<void>;

export function summaryWriter(session: Session, summary: string | null): WriteSummary {
  const { operation, context } = session;
  const { clock } = context;
  const started = new Date(clock.now()).toISOString();
  const startedAt = clock.elapsed();
  return async (results, end) => {
    if (summary === null) return;
    const seconds = Math.round(clock.elapsed() - startedAt) / 1000;
    // Unknown until the run ends: the summary of a killed run does not claim that nothing was spent.
    const total = end && session.budget.total;
    const counts = statuses.map((status) => [status, results.filter((one) => one.status === status).length]);
    const report = {
      ...{ command: operation.name, started, seconds },
      ...{ exit: end?.exit ?? null, error: end?.failure ?? null },
      ...{
        credits: total?.credits ?? null,
        requests: total?.requests ?? null,
        retries: total?.retries ?? null,
      },
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
        error: result.failure,
        exit: result.failure?.exit ?? null,
      })),
    };
    const text = `${JSON.stringify(report, null, 2)}\n`;
    try {
      const { resolveTarget } = await import('../fs/output-target.ts');
      const target = resolveTarget(summary);
      const { writeFileAtomic } = await import('../fs/atomic.ts');
      writeFileAtomic(target, text);
    } catch (error) {
      const failure = toFailure(error);
      throw failure.with({ message: `--summary: ${failure.message}`, exit: 1 });
    }
  };
}
