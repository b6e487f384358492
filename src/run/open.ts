import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Warning } from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Operation } from '../service/contract.ts';
import type { Reference } from './read-references.ts';
import { Report, reportWarnings } from './report.ts';
import { unreachedResult } from './results.ts';
import { openSession, type Session } from './session.ts';
import { summaryWriter } from './summary.ts';

/** A run: the service as it uses it, and its report. */
export interface Run extends Session {
  readonly report: Report;
}

/** Opens a run and writes the first `--summary`. `references`: the references, in input order. */
export async function openRun(
  operation: Operation,
  references: readonly Reference[],
  concurrency: number,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
): Promise<Run> {
  const warnings: Warning[] = [];
  const warn = (message: string): void => void warnings.push({ code: 'ledger', label: null, message });
  const connections = Math.min(concurrency, references.length);
  let session: Session | null = null;
  try {
    session = await openSession(operation, connections, options, context, stderr, warn);
    const writeSummary = summaryWriter(session, options.summary);
    await writeSummary(
      references.map((reference) => unreachedResult(reference, null)),
      null,
    );
    const report = new Report(session, references, warnings, writeSummary);
    return Object.assign(session, { report });
  } catch (error) {
    await session?.[Symbol.asyncDispose]();
    reportWarnings(stderr, warnings);
    throw error;
  }
}
