import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Warning } from '../errors.ts';
import { Stderr } from '../output/stderr.ts';
import type { Operation } from '../service/contract.ts';
import { Report, reportWarnings } from './report.ts';
import type { Subject } from './results.ts';
import { Session } from './session.ts';
import { summaryWriter } from './summary.ts';

/** What a run does. */
interface Work {
  /** That of the command. */
  readonly operation: Operation;
  /** The references, in input order. */
  readonly subjects: readonly Subject[];
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
}

/** A run of a command that uses the service. */
export interface Run {
  readonly session: Session;
  readonly report: Report;
}

/**
 * Opens a run: the service, with `--sandbox` a new one, and the first `--summary`. Throws as `Session.open` and
 * `Report.start`; warnings are printed first.
 */
export async function openRun(
  { operation, subjects, concurrency }: Work,
  options: CommonOptions,
  context: Context,
): Promise<Run & AsyncDisposable> {
  const warnings: Warning[] = [];
  const warn = (message: string): void => void warnings.push({ code: 'ledger', label: null, message });
  const connections = Math.min(concurrency, subjects.length);
  const stderr = new Stderr(context, options);
  let session: Session | null = null;
  try {
    session = await Session.open({ operation, connections, warn }, options, context, stderr);
    // A ledger that a bound needs and that cannot be used stops a paid run before its first request.
    if (operation.credits > 0) await session.budget.prepare();
    const writeSummary = summaryWriter(operation.name, options.summary, session.budget.total, context);
    const report = new Report(session, subjects, warnings, writeSummary);
    await report.start();
    const close = session[Symbol.asyncDispose].bind(session);
    return { session, report, [Symbol.asyncDispose]: close };
  } catch (error) {
    await session?.[Symbol.asyncDispose]();
    reportWarnings(stderr, warnings);
    throw error;
  }
}
