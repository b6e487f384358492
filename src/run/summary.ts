import { lstatSync } from 'node:fs';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, type ExitCode, type Failure, toFailure } from '../errors.ts';
import { newTally, type Tally } from '../service/budget.ts';
import { checkPaths, type NamedPaths, openOutput } from './output.ts';
import { type Result, statuses } from './results.ts';

/** The data of a report of `--summary`. */
export interface Report {
  /** Null while the run works. */
  readonly exit: ExitCode | null;
  /** What ended the run. */
  readonly failure: Failure | null;
  /** Null while the run works: a killed run does not say that nothing was spent. */
  readonly total: Tally | null;
  readonly results: readonly Result[];
}

/**
 * Writes the report of `--summary`, at the start of the work and at its end; without the flag, nothing. Throws `failed`
 * if it cannot be created or written; at the start a usage error for a link that others planted. At the end a reader
 * that has left, or does not read after a signal, is no failure.
 */
export type WriteSummary = (report: Report) => Promise<void>;

/** What writes the reports of a run that starts now. */
export function summaryWriter(
  command: string,
  { summary, quiet, verbose }: Pick<CommonOptions, 'summary' | 'quiet' | 'verbose'>,
  context: Context,
): WriteSummary {
  const { clock, stop } = context;
  const started = new Date(clock.now()).toISOString();
  const startedAt = clock.elapsed();
  return async (report) => {
    if (summary === null) return;
    const seconds = Math.round(clock.elapsed() - startedAt) / 1000;
    const text = `${JSON.stringify(document(command, started, seconds, report), null, 2)}\n`;
    try {
      const { resolveTarget } = await import('../fs/output-target.ts');
      const target = resolveTarget(summary);
      if (target.kind === 'file') {
        const { writeFileAtomic } = await import('../fs/atomic.ts');
        writeFileAtomic(target, text);
      } else if (report.exit !== null) {
        // A device or a pipe gets the final report alone.
        await (await openOutput(target, context, { quiet, verbose })).write(text);
      }
    } catch (error) {
      if (report.exit !== null && (error instanceof ClosedPipe || error === stop.reason)) return;
      const failure = toFailure(error);
      const exit = report.exit === null && isLink(summary) ? failure.exit : 1;
      throw failure.with({ message: `--summary: ${failure.message}`, exit });
    }
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

const document = (
  command: string,
  started: string,
  seconds: number,
  { exit, failure, total, results }: Report,
) => ({
  command,
  started,
  seconds,
  exit,
  error: failure,
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
    pages: result.pages,
    credits: total && result.tally.credits,
    resumed: result.resumed,
    why: result.why,
    continuation_token: result.token,
    error: result.failure,
    exit: result.failure?.exit ?? null,
  })),
});

/** Writes the report of a run that failed before it was opened; its failure is what counts. */
export async function writeSummaryOf(
  failure: Failure,
  asked: NamedPaths & { readonly command: string; readonly summary: string | null },
  context: Context,
): Promise<void> {
  try {
    await checkPaths(asked, context);
    const write = summaryWriter(asked.command, { ...asked, quiet: false, verbose: 0 }, context);
    await write({ exit: failure.exit, failure, results: [], total: newTally() });
  } catch {
    // Reported is what went wrong first.
  }
}
