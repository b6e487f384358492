import { lstatSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { isEmpty, type Target } from '../fs/output-target.ts';
import { type FileStamp, hasStamp } from './record.ts';

/**
 * Throws `failed` for the reference unless the target is still the `expected` file (null: there is none, or an empty one).
 * `step`: the next step of the failure.
 */
export function assertUnchanged(target: Target, expected: FileStamp | null, step: string): void {
  const stats = lstatSync(target.real, { throwIfNoEntry: false }) ?? null;
  if (expected === null ? stats === null || isEmpty({ ...target, stats }) : hasStamp(stats, expected)) return;
  const what = expected === null ? 'appeared' : 'was changed or removed';
  throw new Failure('failed', `${target.path} ${what} during this run; it was not replaced`, {
    scope: 'reference',
    step,
  });
}
