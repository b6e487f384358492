import { Failure } from '../../errors.ts';
import { type Result, resultOf } from '../../run/results.ts';
import { type LockedExport, saveRecord } from '../locked-export.ts';
import { leftToPay } from '../messages.ts';
import { afterRun } from '../record/after-run.ts';

/** The result of an export that failed, which its record notes. */
export function recordFailure(locked: LockedExport, cause: Failure, facts: Partial<Result> = {}): Result {
  const { record, session, item, flags } = locked;
  const failure = cause.code === 'not_found' && record.checked !== null ? gone(record.checked, cause) : cause;
  const next = afterRun(record, { kind: 'failed', failure }, flags.now);
  if (next !== record && (next.finished !== null || next.progress !== null)) saveRecord(locked, next);
  const isResumable =
    failure.scope !== 'reference' &&
    failure.code !== 'usage' &&
    !(failure.code === 'budget' && session.isNothingAllowed);
  return resultOf(item, {
    ...facts,
    failure,
    next: isResumable
      ? ['run the same command again to resume', leftToPay(locked)].filter(Boolean).join('; ')
      : null,
  });
}

/** A channel or playlist that was exported before, and is no longer found: no spelling mistake. */
const gone = (checked: string, { status }: Failure): Failure =>
  new Failure('gone', `gone: last seen on ${checked.slice(0, 10)}`, { status });
