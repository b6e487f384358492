import { constants, promises as fs, fstatSync, lstatSync, type Stats, statfsSync, writeSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import { effectiveUser, lstatOwned, type OpenMode, openOwned } from './owned.ts';

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

export interface OpenFile {
  /** Writes all bytes at a position. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Reads up to `length` bytes from a position; fewer at the end of the file. */
  read(length: number, position: number): Promise<Buffer>;
  /** The whole file as UTF-8. */
  text(): Promise<string>;
  truncate(length: number): Promise<void>;
  /** Makes content and length durable. */
  datasync(): Promise<void>;
  /** Makes content, length and mode durable. */
  sync(): Promise<void>;
  /** Sets the permission bits; without effect on a file system that has none. */
  chmod(mode: number): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/**
 * The file operations of an export. Tests replace them to simulate a crash between any two.
 * A path is never followed through a symbolic link at its end.
 */
export interface FileOps {
  /** Opens a name of the program's own; throws a usage error for what is in the way. New files have mode 0600. */
  open(path: string, how: OpenMode, finishedMode?: number): Promise<OpenFile>;
  /** The stats of a path; null if it does not exist. */
  lstat(path: string): Promise<FileStat | null>;
  /**
   * The same for a name of the program's own: throws a usage error for what is in the way. `finishedMode`: the
   * permission bits of FILE, which a finished part file may have already.
   */
  lstatOwned(path: string, finishedMode?: number): Promise<FileStat | null>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a name of the program's own; throws as `lstatOwned`. */
  unlink(path: string, finishedMode?: number): Promise<void>;
  /** The content of a file of the user's, in chunks; each is valid until the next one is read. */
  readFile(path: string): AsyncIterable<Buffer>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** Bytes that this user may still write in a folder; null if unknown. */
  availableBytes(folder: string): Promise<number | null>;
}

/** Errors of file systems that cannot sync a file or a folder. */
const notSyncable = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EACCES', 'EPERM', 'EBADF'];
/** Errors of file systems without permission bits. */
const withoutModes = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS'];

/**
 * The file operations of this machine. Those of each page that only reach the system's memory (write, lstat, statfs)
 * are synchronous: a trip through the thread pool takes ten times their processor time.
 */
export const nodeFileOps: FileOps = {
  open: async (path, how, finishedMode) => openFile(await openOwned(path, how, finishedMode)),
  lstat: async (path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : fileStat(stats);
  },
  lstatOwned: async (path, finishedMode) => {
    const stats = await lstatOwned(path, finishedMode);
    return stats === null ? null : fileStat(stats);
  },
  readFile: readChunks,
  rename: (from, to) => fs.rename(from, to),
  unlink: async (path, finishedMode) => {
    await lstatOwned(path, finishedMode);
    await fs.unlink(path);
  },
  syncFolder: (path) => ignoring(notSyncable, () => syncFolder(path)),
  availableBytes: async (folder) => {
    try {
      const { blocks, bavail, bfree, bsize } = statfsSync(folder);
      // Virtual file systems may report 0 blocks. Only root may use reserved blocks.
      return blocks === 0 ? null : (effectiveUser(1) === 0 ? bfree : bavail) * bsize;
    } catch {
      return null;
    }
  },
};

function openFile(handle: fs.FileHandle): OpenFile {
  return {
    write: async (bytes, position) => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(handle.fd, bytes, done, bytes.length - done, position + done);
      }
    },
    read: async (length, position) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    text: () => handle.readFile('utf8'),
    truncate: (length) => handle.truncate(length),
    datasync: () => ignoring(notSyncable, () => handle.datasync()),
    sync: () => ignoring(notSyncable, () => handle.sync()),
    chmod: (mode) => ignoring(withoutModes, () => handle.chmod(mode)),
    stat: async () => fileStat(fstatSync(handle.fd)),
    close: () => handle.close(),
  };
}

function fileStat(stats: Stats): FileStat {
  const { size, mtimeMs, ino } = stats;
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other';
  return { kind, size, mode: stats.mode & 0o7777, mtimeMs, ino };
}

/** The bytes of a file, in one reused buffer: memory use is constant. */
async function* readChunks(path: string): AsyncGenerator<Buffer, void> {
  const handle = await fs.open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(256 * 1024);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Runs an operation that a file system may not support; ignores these errors. */
async function ignoring(codes: readonly string[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!codes.includes(systemCode(error) ?? '')) throw error;
  }
}

/** Removes a file of the program's own, if it exists; throws as `FileOps.unlink`. */
export async function removeIfThere(path: string, ops: FileOps, finishedMode?: number): Promise<void> {
  try {
    await ops.unlink(path, finishedMode);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** The permission bits of a FILE that did not exist before: those of any new file of this user's. */
export function newFileMode(): number {
  return 0o666 & ~process.umask();
}
