import { createHash } from 'node:crypto';
import { promises as fs, mkdirSync, type Stats } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { guarded } from './file-errors.ts';
import { examineSocket, inFolder, listen } from './lock-socket.ts';
import { effectiveUser, inTheWay, kindOf, ownerName, randomHex } from './owned.ts';

/** A lock that this process holds. */
export interface Lock {
  release(): Promise<void>;
}

/** Names in the folder of a lock: `c-` its socket; version 0.1.0 also had `n-` (a socket) and `h-` (an empty file). */
const lockName = /^[cnh]-[0-9a-f]{20}$/;
const stagingName = /^\.chanlist-[0-9a-f]{20}\.lock$/;
/** Errors for a file system without sockets, and for a socket path that is too long. */
const noSockets = [
  'EOPNOTSUPP',
  'ENOTSUP',
  'EPERM',
  'EINVAL',
  'ENOSYS',
  'EADDRNOTAVAIL',
  'EPROTONOSUPPORT',
  'ENAMETOOLONG',
];
/** Maximum number of attempts while other processes take and release the lock. */
const maxTries = 200;

/**
 * Makes this process the only writer of `file`. Throws `locked` (10) at once if another one is, and usage errors for
 * a folder that cannot be written and for what is in the way. `shown`: the name of `file` in messages; `bind`: for
 * tests.
 *
 * `FILE.lock` is a folder with one listening socket of a unique name. It is prepared beside FILE under another name
 * and renamed, which succeeds only if nothing or an empty folder is there: so it is never without its socket, and of
 * two processes one succeeds. A socket that refuses connections belongs to a dead process; removing that name, which
 * no other process uses, leaves an empty folder. On a file system that cannot hold sockets, the lock is kept in a
 * folder of this user below the one for temporary files, so that it holds only between runs of this user on this host.
 */
export async function acquireLock(file: string, shown = file, bind: typeof listen = listen): Promise<Lock> {
  return await guarded(file, 'opening', async () => {
    const folder = await fs.realpath(dirname(file));
    const real = join(folder, basename(file));
    try {
      return await acquireAt(`${real}.lock`, shown, bind);
    } catch (error) {
      if (!(error instanceof NoSockets)) throw error;
    }
    try {
      return await acquireAt(await privatePath(real), shown, bind);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'locked') throw error;
      throw error.with({
        message: `${error.message} (its file system cannot hold a lock, so only runs of this user on this host are seen)`,
      });
    }
  });
}

/**
 * Whether another process holds the lock of `file`, or may hold it (it cannot be examined). Writes nothing; a folder
 * that does not exist has no locks.
 */
export async function isLocked(file: string): Promise<boolean> {
  const folder = await fs.realpath(dirname(file)).catch(() => dirname(file));
  const real = join(folder, basename(file));
  return (await isHeld(`${real}.lock`)) || (await isHeld(privateName(await privateFolder(), real)));
}

async function isHeld(path: string): Promise<boolean> {
  try {
    return await inFolder(path, async (base) => {
      const names = (await fs.readdir(base)).filter((name) => lockName.test(name) && !name.startsWith('h-'));
      return !(await allOf(names, async (name) => (await examineSocket(join(base, name))) === 'dead'));
    });
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
  }
}

/** The file system cannot hold sockets. */
class NoSockets extends Error {}

async function acquireAt(path: string, shown: string, bind: typeof listen): Promise<Lock> {
  await removeLeftovers(dirname(path));
  for (let tries = 0; tries < maxTries; tries++) {
    const staging = join(dirname(path), `.chanlist-${randomHex()}.lock`);
    const own = `c-${randomHex()}`;
    let server: Server | null = null;
    let held = false;
    try {
      makeFolder(staging);
      server = await inFolder(staging, (base) => bindIn(base, own, bind));
      await clearDead(path, shown);
      await fs.rename(staging, path);
      held = await exists(join(path, own));
      if (held) return { release: releaser(path, own, server) };
    } catch (error) {
      const code = systemCode(error) ?? '';
      // Another process has just taken the lock; or the new folder, for a leftover (Node says EACCES for ENOENT).
      const isTransient =
        ['ENOTEMPTY', 'EEXIST'].includes(code) || (['ENOENT', 'EACCES'].includes(code) && tries < 5);
      if (!isTransient) throw error;
    } finally {
      if (!held) {
        server?.close();
        await removeFolder(staging, [own]);
      }
    }
  }
  throw locked(shown);
}

async function bindIn(base: string, own: string, bind: typeof listen): Promise<Server> {
  try {
    return await bind(join(base, own));
  } catch (error) {
    if (noSockets.includes(systemCode(error) ?? '')) throw new NoSockets();
    throw error;
  }
}

/** Creates a folder with mode 0700, whatever the umask. */
function makeFolder(path: string): void {
  const mask = process.umask(0o077);
  try {
    mkdirSync(path, 0o700);
  } finally {
    process.umask(mask);
  }
}

function releaser(path: string, own: string, server: Server): () => Promise<void> {
  let released: Promise<void> | null = null;
  const release = async (): Promise<void> => {
    await removeFolder(path, [own]);
    await new Promise((resolve) => server.close(resolve));
  };
  return () => {
    released ??= release();
    return released;
  };
}

/**
 * Removes what a dead process left at the path of a lock. Throws `locked` if its process lives or cannot be examined,
 * and a usage error for anything that is not a lock, which stays as it is.
 */
async function clearDead(path: string, shown: string): Promise<void> {
  const stats = await lstat(path);
  if (stats === null) return;
  if (!stats.isDirectory()) throw inTheWay(path, stats, `is ${kindOf(stats)}, not a lock`);
  try {
    await inFolder(path, async (base) => {
      const names = await fs.readdir(base);
      // A process that died while it released its lock leaves an empty folder with the mode of a lock.
      const strange = names.length === 0 && (stats.mode & 0o077) !== 0;
      if (strange || !(await allOf(names, (name) => isLockFile(base, name)))) {
        throw inTheWay(path, stats, 'is a folder that is not a lock');
      }
      for (const name of names.filter((each) => !each.startsWith('h-'))) {
        const state = await examineSocket(join(base, name));
        if (state === 'alive') throw locked(shown);
        if (state === 'unknown') throw unexaminable(path, shown, stats);
      }
      for (const name of names) await fs.unlink(join(base, name)).catch(ignoreMissing);
    });
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (['EACCES', 'EPERM'].includes(code)) throw unexaminable(path, shown, stats);
    // It was just released or replaced.
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) throw error;
  }
}

async function isLockFile(base: string, name: string): Promise<boolean> {
  if (!lockName.test(name)) return false;
  const stats = await lstat(join(base, name));
  return stats === null || (name.startsWith('h-') ? stats.isFile() && stats.size === 0 : stats.isSocket());
}

const locked = (shown: string): Failure =>
  new Failure('locked', `${shown}: another run is writing this file`, {
    hint: 'wait until it has ended',
    remedy: 'later',
  });

function unexaminable(path: string, shown: string, { uid }: Stats): Failure {
  return new Failure('locked', `${shown}: a run of user ${ownerName(uid)} may be writing this file`, {
    hint: `if none is, remove ${path}`,
    remedy: 'none',
  });
}

/** The lock of a file in the folder of this user's locks, which is created. */
async function privatePath(real: string): Promise<string> {
  const folder = await privateFolder();
  await fs.mkdir(folder, 0o700).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  const stats = await fs.lstat(folder);
  const ours = stats.isDirectory() && stats.uid === effectiveUser(stats.uid) && (stats.mode & 0o022) === 0;
  if (!ours) throw inTheWay(folder, stats, `is not a folder that only user ${effectiveUser(0)} can write`);
  return privateName(folder, real);
}

async function privateFolder(): Promise<string> {
  return join(await fs.realpath(tmpdir()), `chanlist-locks-${effectiveUser(0)}`);
}

function privateName(folder: string, real: string): string {
  return join(folder, `${createHash('sha256').update(real).digest('hex').slice(0, 32)}.lock`);
}

/** Folders that this process has searched for leftovers. */
const cleaned = new Set<string>();

/** Removes the locks that processes were preparing when they died. */
async function removeLeftovers(folder: string): Promise<void> {
  if (cleaned.has(folder)) return;
  cleaned.add(folder);
  const found = await fs.readdir(folder).catch(() => []);
  for (const name of found.filter((each) => stagingName.test(each))) {
    const path = join(folder, name);
    try {
      const names = await fs.readdir(path);
      const dead = await allOf(names, async (each) =>
        inFolder(path, async (base) => (await examineSocket(join(base, each))) === 'dead'),
      );
      if (dead && names.every((each) => lockName.test(each))) await removeFolder(path, names);
    } catch {
      // Another user's, or gone.
    }
  }
}

/** Removes sockets, and their folder unless others are in it. */
async function removeFolder(path: string, names: readonly string[]): Promise<void> {
  for (const name of names) await fs.unlink(join(path, name)).catch(() => {});
  await fs.rmdir(path).catch(() => {});
}

async function allOf<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await test(item))) return false;
  return true;
}

async function lstat(path: string): Promise<Stats | null> {
  return await fs.lstat(path).catch((error: unknown) => {
    ignoreMissing(error);
    return null;
  });
}

const exists = async (path: string): Promise<boolean> => (await lstat(path)) !== null;

function ignoreMissing(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error;
}
