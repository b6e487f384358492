import { dirname } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';

/** What was done when a file operation failed. Before anything is sent (`read`, `open`) a wrong path is a usage error. */
export type FileWork = 'read' | 'open' | 'write';

/** Errors of a path: the problem and the next step. */
const pathErrors: Record<string, (path: string) => readonly [what: string, hint: string]> = {
  ENOENT: (path) => [`the folder ${dirname(path)} does not exist`, 'create it first'],
  ENOTDIR: () => ['a part of this path is not a folder', 'choose another place'],
  EACCES: () => ['permission denied', 'choose another place, or run it as the owner'],
  EPERM: () => ['permission denied', 'choose another place, or run it as the owner'],
  EROFS: () => ['the file system is read-only', 'make it writable, or choose another place'],
  EEXIST: () => ['it is not a folder', 'name a folder'],
  EISDIR: () => ['it is a folder', 'name a file'],
  ENAMETOOLONG: () => ['the name is too long', 'choose a shorter one'],
  ELOOP: () => ['its symbolic links form a loop', 'name a file'],
};

/** Errors of the disk: the problem and the next step. */
const diskErrors: Record<string, readonly [what: string, hint: string]> = {
  ENOSPC: ['no space left on the device', 'free some space'],
  EDQUOT: ['the disk quota is used up', 'free some space'],
  EFBIG: ['the file is larger than allowed', 'allow larger files (ulimit -f)'],
  EIO: ['the device reports an error', 'check the disk'],
};

/**
 * A system error as a failure that names the file and the next step: usage (2) for a path that is wrong, found when it
 * is read or opened; `failed` (1) for later errors and those of the disk. Anything else is returned unchanged.
 */
export function fileError(error: unknown, path: string, doing: FileWork): unknown {
  const code = systemCode(error);
  if (error instanceof Failure || code === undefined) return error;
  const ofPath = pathErrors[code]?.(path);
  if (doing === 'read')
    return usage(`cannot read ${path}: ${readProblem(error)}`, 'name a file that you can read');
  if (doing === 'open' && ofPath !== undefined) return usage(`${path}: ${ofPath[0]} (${code})`, ofPath[1]);
  const removed = ['it, or its folder, has been removed', undefined] as const;
  const [what, hint] = (code === 'ENOENT' ? removed : (ofPath ?? diskErrors[code])) ?? [
    'a file operation failed',
  ];
  return new Failure('failed', `${path}: ${what} (${code})`, { cause: error, hint });
}

export function readProblem(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return 'it is not a file name';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  return pathErrors[code]?.('')[0] ?? code;
}

/** Does file operations; system errors become failures as `fileError` describes. */
export function guardFile<T>(path: string, doing: FileWork, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(error, path, doing);
  }
}
