import { fsyncSync, openSync, renameSync } from 'node:fs';
import { Failure, systemCode } from '../errors.ts';
import { ignoreErrors, unsupported, withDescriptor } from './files.ts';

/** Makes the content, or the names, behind a descriptor durable on file systems that can do so. */
export function syncIfPossible(fd: number): void {
  ignoreErrors([...unsupported, 'EISDIR', 'EACCES', 'EBADF'], () => fsyncSync(fd));
}

/** Makes the names in a folder durable, on file systems that can do so, if this user may read it. */
export function syncFolder(folder: string): void {
  const fd = ignoreErrors(['EACCES', 'EPERM'], () => openSync(folder, 'r'));
  if (fd !== undefined) withDescriptor(fd, syncIfPossible);
}

/** Renames a file over another. On Windows, waits a second for a program that has one of them open, then throws `failed`. */
export function replaceFile(from: string, to: string, shown = to): void {
  for (let attempt = 1; attempt <= 20; attempt++)
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const isHeldOpen = ['EACCES', 'EBUSY', 'EPERM'].includes(systemCode(error) ?? '');
      if (process.platform !== 'win32' || !isHeldOpen) throw error;
      if (attempt < 20) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  const message = `${shown} cannot be replaced: another program has it open, or it is read-only`;
  const next = 'close it there, then run the same command again';
  throw new Failure('failed', message, { scope: 'reference', next });
}
