import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import { guarded } from './file-errors.ts';

/** Bytes that a socket's path may have everywhere. */
const longestSocketPath = 100;
/** Bytes of a file that may have been a lock; anything larger is somebody's data. */
const largestStaleLock = 1024;
/** Names that are a lock's: `n-` not ready, `c-` a contender's socket, `h-` the mark of the holder. */
const ours = /^[nch]-[0-9a-f]{20}$/;

/** The folder that a lock is made of. */
export class LockFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The names in it that are a lock's; none where it has been removed. */
  async names(): Promise<string[]> {
    const names = await unlessGone(fs.readdir(this.path));
    return (names ?? []).filter((name) => ours.test(name));
  }

  /** Lets every user connect to a socket who may enter the folder. */
  async open(name: string): Promise<void> {
    await fs.chmod(join(this.path, name), 0o777);
  }

  async rename(from: string, to: string): Promise<void> {
    await fs.rename(join(this.path, from), join(this.path, to));
  }

  /** Makes an empty file; false where the folder has been removed. */
  async mark(name: string): Promise<boolean> {
    const handle = await unlessGone(fs.open(join(this.path, name), 'wx'));
    await handle?.close();
    return handle !== undefined;
  }

  async remove(name: string): Promise<void> {
    await fs.unlink(join(this.path, name)).catch(() => {});
  }

  /** Removes the folder unless others are in it. */
  async removeIfEmpty(): Promise<void> {
    await fs.rmdir(this.path).catch(() => {});
  }

  /** Does something with a socket in the folder under a path that is short enough for the system. */
  async at<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
    const direct = join(this.path, name);
    if (Buffer.byteLength(direct) <= longestSocketPath) return await work(direct);
    if (process.platform === 'linux') {
      const handle = await fs.open(this.path, 'r');
      try {
        return await work(`/proc/self/fd/${handle.fd}/${name}`);
      } finally {
        await handle.close();
      }
    }
    const link = join(tmpdir(), `chanlist-${Math.random().toString(36).slice(2)}`);
    await fs.symlink(this.path, link);
    try {
      return await work(join(link, name));
    } finally {
      await fs.unlink(link);
    }
  }
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes `FILE.lock`, for whoever may write the folder it stands in, unless it is there. A file of that name is a
 * stale lock and removed. Throws usage errors where the folder cannot be written.
 */
export async function lockFolder(file: string): Promise<LockFolder> {
  const path = resolve(`${file}.lock`);
  return await guarded(file, 'opening', async () => {
    for (;;) {
      try {
        await fs.mkdir(path);
        const { mode } = await fs.stat(dirname(path));
        // Gone again where another process has just left the lock.
        await unlessGone(fs.chmod(path, mode & 0o777));
        return new LockFolder(path);
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
      }
      if (await isFolder(path)) return new LockFolder(path);
    }
  });
}

/** False once nothing is at the path any more: what is no folder is removed. */
async function isFolder(path: string): Promise<boolean> {
  try {
    const stats = await fs.lstat(path);
    if (stats.isDirectory()) return true;
    if (stats.size > largestStaleLock) {
      throw usage(`${path} is in the way: it is not a lock`, 'move it away, or choose another name');
    }
    await fs.unlink(path);
  } catch (error) {
    if (error instanceof Failure || systemCode(error) !== 'ENOENT') throw error;
  }
  return false;
}

/** The lock's folder where FILE's own file system cannot hold sockets: in the folder for temporary files. */
export async function privateLockFolder(file: string): Promise<LockFolder> {
  const { createHash } = await import('node:crypto');
  const real = join(await fs.realpath(dirname(file)), basename(file));
  const path = join(
    tmpdir(),
    `chanlist-lock-${createHash('sha256').update(real).digest('hex').slice(0, 32)}`,
  );
  return await guarded(path, 'opening', async () => {
    await fs.mkdir(path).then(
      () => fs.chmod(path, 0o777),
      (error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
      },
    );
    if (!(await fs.lstat(path)).isDirectory())
      throw usage(`${path} is in the way: it is not a lock`, 'remove it');
    return new LockFolder(path);
  });
}
