import { existsSync } from 'node:fs';
import { changeRecord, checksAfterFailure } from '../archive/record.ts';
import { Failure, toFailure } from '../errors.ts';
import { pagesName } from '../fs/archive-names.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Tally } from '../service/budget.ts';
import type { ExportItem } from './export-item.ts';
import { sameCommandStep } from './messages.ts';

/** Turns what was thrown into the failure to report. `checked`: time of the last successful check, or null. Pure. */
export function failureOf(thrown: unknown, { paidRequests }: Tally, checked: string | null): Failure {
  const failure = toFailure(thrown);
  if (failure.code === 'usage') {
    const ofThisExport = failure.with({ scope: 'reference' });
    return paidRequests > 0 ? ofThisExport.afterWork() : ofThisExport;
  }
  // It was exported before: no spelling mistake.
  if (failure.code !== 'not_found' || checked === null) return failure;
  return new Failure('gone', `gone: last seen on ${checked.slice(0, 10)}`, { status: failure.status });
}

/** Says what the next run does about a failure: it resumes with pages, or continues after a bound of this run. */
function withNextRun(item: ExportItem, failure: Failure, token: string | null): Failure {
  const hasPages = existsSync(item.exportFolder.privateFolder.at(pagesName(item.name)));
  // After a failure of this export alone, there must be a page to resume with.
  const isResumable = hasPages && (failure.scope !== 'reference' || token !== null);
  if (isResumable) return failure.resumableWith(`${sameCommandStep(item)} to resume`);
  // The next run continues what a bound of this run stopped.
  const isBudget = failure.code === 'budget' && failure.hasDefaultStep;
  return isBudget ? failure.with({ step: `${sameCommandStep(item)} to continue` }) : failure;
}

/** Records a failure, and returns the result of the export, with how to resume it. `facts`: what it has done. */
export function failedExport(item: ExportItem, thrown: unknown, facts: Partial<Result> = {}): Result {
  const { exportFolder, name, record, id, reference } = item;
  const failure = failureOf(thrown, reference.tally, record?.checks.checked ?? null);
  if (failure.code === 'usage') return resultOf(reference, { ...facts, failure });
  const { privateFolder, context } = exportFolder;
  changeRecord(privateFolder, name, id, ({ checks }) => ({
    checks: checksAfterFailure(checks, failure, context.clock.now()),
  }));
  return resultOf(reference, { ...facts, failure: withNextRun(item, failure, facts.token ?? null) });
}
