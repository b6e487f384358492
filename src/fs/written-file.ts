import { existsSync, lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../errors.ts';

/** Compares only inodes: both files are in one folder, and Windows may report another device after a rename. */
export const isSameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino;

/** Throws `failed` for the reference if another program or run has removed, replaced or written a file of this run. */
export function assertWritten(path: string, written: Stats, size: number): void {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now === undefined || !isSameFile(now, written) || now.size !== size) throw foreignFailure(path);
}

/** Returns the failure for a file of this run that another program or run has removed or written. */
export function foreignFailure(path: string): Failure {
  const scope = 'reference';
  const removed = [dirname(path), path].find((place) => !existsSync(place));
  if (removed !== undefined)
    return new Failure('failed', `${removed} was removed during this run`, { scope });
  const what = `${path}: another run or program is writing it`;
  return new Failure('failed', what, { scope, step: 'stop it' });
}
