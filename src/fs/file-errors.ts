import { dirname } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';

/**
 * When a file operation failed. `opening`: before anything was sent, where a wrong path is the user's mistake.
 * `exporting`: the rows so far are kept, and the same command resumes. `writing`: any other file.
 */
export type FileStage = 'opening' | 'exporting' | 'writing';

/** Errors of a path: the problem and its fix. */
const pathErrors: Record<string, (path: string) => readonly [what: string, hint: string]> = {
  ENOENT: (path) => [`the folder ${dirname(path)} does not exist`, 'create it first'],
  ENOTDIR: (path) => [`${dirname(path)} is not a folder`, 'name a file in a folder that exists'],
  EACCES: () => ['no permission to write here', 'choose another place'],
  EPERM: () => ['no permission to write here', 'choose another place'],
  EROFS: () => ['the file system is read-only', 'choose another place'],
  EISDIR: () => ['it is a folder', 'name a file'],
  ENAMETOOLONG: () => ['the name is too long', 'choose a shorter one (a state file is kept beside it)'],
  ELOOP: () => ['it is a symbolic link that leads nowhere or must not be followed', 'remove the link'],
  EEXIST: () => ['another file has just taken that name', 'try again'],
};

/** Errors of the disk: the problem and its fix. */
const diskErrors: Record<string, readonly [what: string, hint: string]> = {
  ENOSPC: ['no space left on the device', 'make room'],
  EDQUOT: ['the disk quota is used up', 'make room'],
  EFBIG: ['the file is larger than allowed', 'allow larger files (ulimit -f)'],
  EIO: ['the device reports an error', 'check the disk'],
};

/**
 * Turns a system error into a failure that names the file and the next step: usage (2) for a path that cannot be
 * written, found when it is opened; `failed` (1) for later errors and those of the disk. While exporting its remedy
 * is `same-command`. Other errors are returned unchanged.
 */
export function fileFailure(error: unknown, path: string, stage: FileStage): unknown {
  const code = systemCode(error);
  if (error instanceof Failure || code === undefined) return error;
  const ofPath = pathErrors[code]?.(path);
  const ofDisk = diskErrors[code];
  if (stage === 'opening' && ofPath !== undefined) return usage(`${path}: ${ofPath[0]} (${code})`, ofPath[1]);
  const removed = code === 'ENOENT' ? 'it, or its folder, has been removed' : undefined;
  const what = removed ?? ofDisk?.[0] ?? ofPath?.[0] ?? 'a file operation failed';
  const hint = ofDisk?.[1] ?? 'correct that';
  return new Failure('failed', `${path}: ${what} (${code})`, {
    cause: error,
    ...(stage === 'exporting' ? { hint, remedy: 'same-command' } : { hint: `${hint}, then try again` }),
  });
}

/** Runs file operations; the errors that they throw become failures that name `path`. */
export async function guarded<T>(path: string, stage: FileStage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(error, path, stage);
  }
}
