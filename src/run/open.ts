import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Warning } from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Operation } from '../service/contract.ts';
import { Report, reportWarnings } from './report.ts';
import type { Subject } from './results.ts';
import { openSession, type Session } from './session.ts';
import { summaryWriter } from './summary.ts';

export interface Run {
  readonly session: Session;
  readonly report: Report;
}

/**
 * Opens a run: the service, with `--sandbox` a new one, and the first `--summary`. `subjects`: the references, in input
 * order. Throws as `openSession` and `Report.start`; warnings are printed first.
 */
export async function openRun(
  operation: Operation,
  subjects: readonly Subject[],
  concurrency: number,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
): Promise<Run & AsyncDisposable> {
  const warnings: Warning[] = [];
  const warn = (message: string): void => void warnings.push({ code: 'ledger', label: null, message });
  const connections = Math.min(concurrency, subjects.length);
  let session: Session | null = null;
  try {
    session = await openSession(operation, connections, options, context, stderr, warn);
    // A ledger that a bound needs and that cannot be used stops a paid run before its first request.
    if (operation.credits > 0) await session.budget.prepare();
    const report = new Report(session, subjects, warnings, summaryWriter(session, options.summary));
    await report.start();
    return { session, report, [Symbol.asyncDispose]: session[Symbol.asyncDispose] };
  } catch (error) {
    await session?.[Symbol.asyncDispose]();
    reportWarnings(stderr, warnings);
    throw error;
  }
}
