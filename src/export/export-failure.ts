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
  // The reference was exported before, so it is not misspelled.
  if (failure.code !== 'not_found' || checked === null) return failure;
  return new Failure('gone', `gone: last seen on ${checked.slice(0, 10)}`, { status: failure.status });
}

/** Adds to a failure how to continue: the next run resumes from stored pages, or continues what a bound stopped. */
function withNextRun(item: ExportItem, failure: Failure, token: string | null): Failure {
  const hasPages = existsSync(item.exportFolder.privateFolder.at(pagesName(item.name)));
  // If only this export failed, it must have a token to resume with.
  const isResumable = hasPages && (failure.scope !== 'reference' || token !== null);
  if (isResumable) return failure.resumableWith(`${sameCommandStep(item)} to resume`);
  // The next run continues what a bound of this run stopped.
  const isBudget = failure.code === 'budget' && failure.hasDefaultStep;
  return isBudget ? failure.with({ step: `${sameCommandStep(item)} to continue` }) : failure;
}

/** Records a failure. Returns the result of the export, with the step that resumes it. `facts`: what the export has done. */
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
