import { renameSync } from 'node:fs';
import { Failure, systemCode } from '../errors.ts';

/** Whether a rename failed because another program has one of the files open, which only Windows minds. */
export const isHeldOpen = (error: unknown, platform = process.platform): boolean =>
  platform === 'win32' && ['EACCES', 'EBUSY', 'EPERM'].includes(systemCode(error) ?? '');

/** Renames a file over another. Waits a second for a program that has one of them open, then throws `failed`. */
export function replaceFile(from: string, to: string, shown: string, attempts = 20): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isHeldOpen(error)) throw error;
    const message = `${shown} cannot be replaced: another program has it open, or it is read-only`;
    const next = 'close it there, then run the same command again';
    if (attempts === 1) throw new Failure('failed', message, { scope: 'reference', next });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    replaceFile(from, to, shown, attempts - 1);
  }
}
