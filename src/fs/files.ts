import * as fs from 'node:fs';
import * as path from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';

/** Errors of operations that a file system, or a kind of file, does not support. */
export const unsupported: readonly string[] = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM'];

/** Runs a file operation; returns undefined if it fails with one of these system errors. */
export function ignoreErrors<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Closes a file that is durable or was only read, and ignores errors, which no longer matter. */
export function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {}
}

export function withDescriptor<T>(fd: number, work: (fd: number) => T): T {
  try {
    return work(fd);
  } finally {
    closeQuietly(fd);
  }
}

/** Creates a folder and its parents. Node's `recursive` hangs where nothing can be created (ENOENT: /proc, an automount). */
export function makeFolders(folder: string, mode?: number): void {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) makeFolders(path.dirname(folder), mode);
  ignoreErrors(['EEXIST'], () => fs.mkdirSync(folder, mode));
  // If it is not a folder, `readdir` throws the error that says so.
  if (!isFolder(folder)) fs.readdirSync(folder);
}

/** Whether a path leads to a folder. Existence of `FILE/.` proves nothing: on Windows it exists if FILE does. */
export const isFolder = (path: string): boolean => fs.existsSync(path) && fs.statSync(path).isDirectory();

/** Returns 20 hexadecimal digits. Loads the module on first use, because that takes 2.7 ms and most runs do not need it. */
export const randomHex = (): string =>
  process.getBuiltinModule('node:crypto').randomBytes(10).toString('hex');

const systemErrors: Record<string, readonly [what: string, step?: string]> = {
  ENOENT: ['it, or its folder, has been removed'],
  ENOTDIR: ['a part of this path is not a folder', 'choose another location'],
  EACCES: ['permission denied', 'let this user read and write it, or choose another location'],
  EPERM: ['permission denied', 'let this user read and write it, or choose another location'],
  EROFS: ['the file system is read-only', 'make it writable, or choose another location'],
  EEXIST: ['it is not a folder', 'give a folder'],
  EISDIR: ['it is a folder', 'give a file'],
  ENAMETOOLONG: ['the name is too long', 'choose a shorter one'],
  ELOOP: ['it is a symbolic link that is not followed', 'put the file itself in its place'],
  ENOSPC: ['no space left on the device', 'free some space'],
  EDQUOT: ['the disk quota is used up', 'free some space'],
  EFBIG: ['the file is larger than allowed', 'allow larger files (ulimit -f)'],
  EIO: ['the device reports an error', 'check the disk'],
};

/** Errors that are not caused by the path. */
const diskErrors = ['EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'];

/**
 * How a system error is reported. `input`: a file that the user named cannot be read (2). `usage`: the path is wrong, and nothing
 * has been sent yet (2; 1 for errors of the disk). `failure`: anything later (1).
 */
type ErrorKind = 'input' | 'usage' | 'failure';

/** Converts a system error into a failure; returns any other error unchanged. */
export function fileError(error: unknown, file: string, kind: ErrorKind): unknown {
  const code = systemCode(error);
  if (error instanceof Failure || code === undefined) return error;
  if (kind === 'input')
    return usage(`cannot read ${file}: ${readProblem(error)}`, 'give a file that you can read');
  if (kind === 'usage' && code === 'ENOENT') {
    const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    const missing = isLink ? 'the folder that it is a link to' : `the folder ${path.dirname(file)}`;
    return usage(`${file}: ${missing} does not exist (ENOENT)`, 'create it first');
  }
  const [what, step] = systemErrors[code] ?? ['a file operation failed'];
  if (kind === 'usage' && code in systemErrors && !diskErrors.includes(code))
    return usage(`${file}: ${what} (${code})`, step);
  return new Failure('failed', `${file}: ${what} (${code})`, { cause: error, step });
}

export function readProblem(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return 'it is not a file name';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  return systemErrors[code]?.[0] ?? code;
}

/** Runs `work`; rethrows its system errors as failures (`fileError`). */
export function withFileErrors<T>(path: string, kind: ErrorKind, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(error, path, kind);
  }
}

/** Free disk space that one page requires, in bytes. */
const minFreeSpace = 4 * 1024 * 1024;

/** Throws `failed` (1), which ends the run, unless a page and `bytes` more can be written to a folder. */
export function assertFreeSpace(folder: string, bytes: number): void {
  const required = minFreeSpace + bytes;
  const { blocks, bavail, bfree, bsize } = withFileErrors(folder, 'failure', () => {
    fs.accessSync(folder, fs.constants.W_OK);
    if (required > fileSizeLimit()) throw Object.assign(new Error(), { code: 'EFBIG' });
    return fs.statfsSync(folder);
  });
  // Only root may use reserved blocks.
  const free = (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
  // Virtual file systems may report 0 blocks.
  if (blocks === 0 || free >= required) return;
  const amounts = `${mebibytes(free)} free, ${mebibytes(required)} required`;
  throw new Failure('failed', `not enough disk space in ${folder}: ${amounts}`, { step: 'free some space' });
}

let maxFileSize: number | null = null;

/** Returns the largest size of a file that this process may write (`ulimit -f`), in bytes, if the system tells it. Read once. */
function fileSizeLimit(): number {
  if (maxFileSize !== null) return maxFileSize;
  const path = '/proc/self/limits';
  const limits = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  maxFileSize = Number(/^Max file size +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return maxFileSize;
}

const mebibytes = (bytes: number): string => `${(Math.floor(bytes / 1024 / 102.4) / 10).toFixed(1)} MiB`;

/** Syncs a file or a folder, unless the file system does not support it. */
export function syncIfPossible(fd: number): void {
  ignoreErrors([...unsupported, 'EISDIR', 'EACCES', 'EBADF'], () => fs.fsyncSync(fd));
}

/** Syncs the directory entries of a folder, if this user may read it. */
export function syncFolder(folder: string): void {
  const fd = ignoreErrors(['EACCES', 'EPERM'], () => fs.openSync(folder, 'r'));
  if (fd !== undefined) withDescriptor(fd, syncIfPossible);
}

/** Renames a file over another. On Windows, waits a second for a program that has one of them open, then throws `failed`. */
export function replaceFile(from: string, to: string, displayName = to): void {
  for (let attempt = 1; attempt <= 20; attempt++)
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      const isHeldOpen = ['EACCES', 'EBUSY', 'EPERM'].includes(systemCode(error) ?? '');
      if (process.platform !== 'win32' || !isHeldOpen) throw error;
      if (attempt < 20) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  const message = `${displayName} cannot be replaced: another program has it open, or it is read-only`;
  const step = 'close it there, then run the same command again';
  throw new Failure('failed', message, { scope: 'reference', step });
}
