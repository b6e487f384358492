import { constants, promises as fs, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { fileFailure, guarded } from './file-errors.ts';
import { resolveTarget, type Target } from './target.ts';

/** What is asked about a file. */
export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly dev: number;
  readonly ino: number;
}

/** An open file. */
export interface OpenFile {
  /** Writes all bytes at a position. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** The whole file as UTF-8. */
  text(): Promise<string>;
  truncate(length: number): Promise<void>;
  /** Makes content and length durable. */
  datasync(): Promise<void>;
  /** Makes content, length and mode durable. */
  sync(): Promise<void>;
  chmod(mode: number): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/**
 * The file operations of an export: all that it ever does to a disk. Tests put one in its place that stops
 * between any two operations. Paths are never followed through a symbolic link at their end.
 */
export interface FileOps {
  /** `create`: read and write, must not exist. `write`: read and write, must exist. `read`: must exist. */
  open(path: string, how: 'create' | 'write' | 'read', mode?: number): Promise<OpenFile>;
  /** Null where nothing has that name. */
  lstat(path: string): Promise<FileStat | null>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

/** Errors by which a file system says that it cannot make something durable at will. */
const notSyncable = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EACCES', 'EPERM', 'EBADF'];

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants;
const openFlags = {
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  write: O_RDWR | O_NOFOLLOW | O_NONBLOCK,
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
} as const;

/** The file operations of this machine. */
export const nodeFileOps: FileOps = {
  open: async (path, how, mode = 0o666) => openFile(await fs.open(path, openFlags[how], mode)),
  lstat: async (path) => {
    try {
      return fileStat(await fs.lstat(path));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  },
  rename: (from, to) => fs.rename(from, to),
  unlink: (path) => fs.unlink(path),
  syncFolder: (path) => syncable(() => syncFolder(path)),
};

function openFile(handle: fs.FileHandle): OpenFile {
  return {
    write: async (bytes, position) => {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    },
    text: () => handle.readFile('utf8'),
    truncate: (length) => handle.truncate(length),
    datasync: () => syncable(() => handle.datasync()),
    sync: () => syncable(() => handle.sync()),
    chmod: (mode) => handle.chmod(mode),
    stat: async () => fileStat(await handle.stat()),
    close: () => handle.close(),
  };
}

function fileStat(stats: Stats): FileStat {
  const { size, mtimeMs, dev, ino } = stats;
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other';
  return { kind, size, mode: stats.mode & 0o7777, mtimeMs, dev, ino };
}

async function syncFolder(path: string): Promise<void> {
  const handle = await fs.open(path, O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncable(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!notSyncable.includes(systemCode(error) ?? '')) throw error;
  }
}

/** Removes a file, if it is there. */
export async function removeIfThere(path: string, ops: FileOps): Promise<void> {
  try {
    await ops.unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** A name beside the target that nothing else has; short, because the target's own may be as long as allowed. */
function temporaryBeside(target: Target): string {
  const random = Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return join(dirname(target.real), `.chanlist-${process.pid}-${random}.tmp`);
}

/**
 * Checks, before anything is sent, that `writeWhole` will be able to write this path: throws a usage error for
 * a folder that is missing or cannot be written, and for what exists and is no regular file.
 */
export async function prepareWhole(path: string, ops: FileOps = nodeFileOps): Promise<void> {
  const target = await resolveTarget(path);
  const temporary = temporaryBeside(target);
  await guarded(path, 'opening', async () => {
    await (await ops.open(temporary, 'create', 0o600)).close();
    await ops.unlink(temporary);
  });
}

/**
 * Writes a file whole and atomically: whoever looks sees the old content or the new, also after a power cut. A
 * symbolic link's target is replaced, the mode of an existing file is kept. Throws `failed` naming the file: what
 * was to be written has been paid for, so that nothing here is a usage error any more.
 */
export async function writeWhole(path: string, text: string, ops: FileOps = nodeFileOps): Promise<void> {
  const target = await resolveTarget(path).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure('failed', error.message, { cause: error, ...(error.hint && { hint: error.hint }) });
  });
  const temporary = temporaryBeside(target);
  let created = false;
  try {
    const file = await ops.open(temporary, 'create', target.mode ?? 0o666);
    created = true;
    try {
      await file.write(Buffer.from(text), 0);
      if (target.mode !== null) await file.chmod(target.mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await ops.rename(temporary, target.real);
    await ops.syncFolder(dirname(target.real));
  } catch (error) {
    if (created) await ops.unlink(temporary).catch(() => {});
    throw fileFailure(error, path, 'writing');
  }
}
