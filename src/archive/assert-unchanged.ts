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
  const isRemoved = expected !== null && stats === null;
  const change = `was ${isRemoved ? 'removed' : 'changed'} during this run`;
  const what = expected === null ? 'appeared since this export began' : change;
  throw new Failure('failed', `${target.path} ${what}; it was not replaced`, {
    scope: 'reference',
    step: isRemoved ? `put it back, then ${step}` : step,
  });
}
