import { dirname } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';

/**
 * When a file operation failed. `opening`: before anything was sent, where a wrong path is the user's mistake.
 * `exporting`: the rows so far are kept, and the same command continues. `writing`: any other file.
 */
export type FileStage = 'opening' | 'exporting' | 'writing';

/** System errors that a path causes, in words; with what to do. */
const pathErrors: Record<string, (path: string) => readonly [what: string, hint: string]> = {
  ENOENT: (path) => [`the folder ${dirname(path)} does not exist`, 'create it first'],
  ENOTDIR: (path) => [`${dirname(path)} is not a folder`, 'name a file in a folder that exists'],
  EACCES: () => ['no permission to write here', 'choose another place'],
  EPERM: () => ['no permission to write here', 'choose another place'],
  EROFS: () => ['the file system is read-only', 'choose another place'],
  EISDIR: () => ['it is a folder', 'name a file'],
  ENAMETOOLONG: () => ['the name is too long', 'choose a shorter one (a state file stands beside it)'],
  ELOOP: () => ['it is a symbolic link that leads nowhere or must not be followed', 'remove the link'],
  EEXIST: () => ['something else has just taken that name', 'try again'],
};

/** System errors of the disk, in words. */
const diskErrors: Record<string, string> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than allowed',
  EIO: 'the device reports an error',
};

const diskHints: Readonly<Record<string, string | undefined>> = {
  EFBIG: 'allow larger files (ulimit -f)',
  EIO: 'check the disk',
};

const onAgain: Record<FileStage, string> = {
  opening: 'then run the same command again',
  exporting: 'then run the same command again: it continues where it stopped',
  writing: 'then try again',
};

/**
 * A failed file operation as a failure that names the file and says what to do: usage (2) for a path that
 * cannot be written, found at the opening; `failed` (1) for everything later and for the disk. What is no error
 * of the system is returned as it is.
 */
export function fileFailure(error: unknown, path: string, stage: FileStage): unknown {
  const code = systemCode(error);
  if (error instanceof Failure || code === undefined) return error;
  const disk = diskErrors[code];
  if (disk !== undefined) {
    const room = diskHints[code] ?? 'make room';
    return new Failure('failed', `${path}: ${disk} (${code})`, {
      hint: `${room}, ${onAgain[stage]}`,
      cause: error,
    });
  }
  const known = pathErrors[code]?.(path);
  if (stage === 'opening' && known !== undefined) return usage(`${path}: ${known[0]} (${code})`, known[1]);
  const gone = code === 'ENOENT' ? 'it, or its folder, has been removed meanwhile' : undefined;
  const what = gone ?? known?.[0] ?? 'a file operation failed';
  return new Failure('failed', `${path}: ${what} (${code})`, {
    hint: `fix that, ${onAgain[stage]}`,
    cause: error,
  });
}

/** Runs file operations; what they throw becomes a failure that names `path`. */
export async function guarded<T>(path: string, stage: FileStage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(error, path, stage);
  }
}
