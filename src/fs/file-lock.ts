import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { fileError, ignoreErrors, randomHex, unsupported, withDescriptor, withFileErrors } from './files.ts';
import type { PrivateFolder } from './private-folder.ts';

/** Errors of a file system without sockets or locks, and of a system without /proc. */
const noSockets = [...unsupported, 'EADDRNOTAVAIL', 'ENOENT'];
const noLocks = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'ENOENT'];
/** Errors of replacing or removing a folder that contains a socket. */
const folderNotEmpty = ['ENOTEMPTY', 'EEXIST'];

const { O_CREAT, O_RDWR } = fs.constants;

/** Returns flags with which only one process can open a file, and the error that others get; null where locks are sockets. */
export function exclusiveOpen(platform: NodeJS.Platform) {
  // UV_FS_O_EXLOCK and UV_FS_O_TEMPORARY of libuv: the file is removed when it is closed.
  if (platform === 'win32') return { flags: 0x10000000 | 0x40, busy: 'EBUSY' };
  // O_EXLOCK and O_NONBLOCK. The file is never removed: that would be a race.
  return /darwin|bsd$/.test(platform) ? { flags: 0x20 | 0x4, busy: 'EAGAIN' } : null;
}

type Folder = Pick<PrivateFolder, 'at' | 'names'>;

/**
 * Makes this process the only writer of the file called `name`. Throws `locked` (10), which names `displayName`, if another
 * process is the writer; returns null if the file system cannot lock. The system releases the lock of a dead process. The lock
 * is named after the file: where two spellings lead to one file, they also lead to one lock.
 */
export async function acquireLock(
  folder: Folder,
  name: string,
  displayName: string,
): Promise<Disposable | null> {
  const fd = openLock(folder, name, O_CREAT);
  if (fd === 'busy') throw lockedFailure(displayName);
  if (typeof fd === 'number') return { [Symbol.dispose]: () => fs.closeSync(fd) };
  return fd === null ? null : await lockFolder(folder, name, displayName);
}

/** Opens a lock file; null if it does not exist or the file system cannot lock, 'folder' where locks are folders. */
function openLock(folder: Folder, name: string, create = 0): number | 'busy' | 'folder' | null {
  const exclusive = exclusiveOpen(process.platform);
  if (exclusive === null) return 'folder';
  const path = folder.at(`${name}.held`);
  try {
    return fs.openSync(path, O_RDWR | create | exclusive.flags, 0o600);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === exclusive.busy) return 'busy';
    if (noLocks.includes(code)) return null;
    throw fileError(error, path, 'usage');
  }
}

/**
 * Acquires a lock that is a folder with one listening socket. The folder is prepared under another name and renamed, which
 * succeeds only for the first process. A socket that refuses connections belongs to a dead process. No socket name is reused.
 */
async function lockFolder(folder: Folder, name: string, displayName: string): Promise<Disposable | null> {
  const socket = randomHex();
  const staging = folder.at(`.${socket}.lock`);
  const lock = folder.at(`${name}.lock`);
  withFileErrors(dirname(staging), 'failure', () => fs.mkdirSync(staging, 0o700));
  const server = createServer((connection) => connection.destroy()).on('error', () => {});
  try {
    withShortPath(staging, socket, (path) => server.listen({ path, exclusive: true }).unref());
    await once(server, 'listening');
    // Other processes may take and release the lock between two attempts.
    for (;;) {
      const isOurs = ignoreErrors(folderNotEmpty, () => {
        fs.renameSync(staging, lock);
        return true;
      });
      if (isOurs) return { [Symbol.dispose]: () => release(lock, socket, server) };
      for (const other of socketsIn(lock)) {
        if (await isAlive(lock, other)) throw lockedFailure(displayName);
        ignoreErrors(['ENOENT'], () => fs.unlinkSync(`${lock}/${other}`));
      }
    }
  } catch (error) {
    const isUnsupported = !server.listening && noSockets.includes(systemCode(error) ?? '');
    release(staging, socket, server);
    if (isUnsupported) return null;
    throw fileError(error, lock, 'usage');
  }
}

export const lockedFailure = (displayName: string): Failure =>
  new Failure('locked', `${displayName}: another run is writing this file`);

/** Matches the name of a lock that is being prepared. */
const stagingName = /^\.[0-9a-f]{20}\.lock$/;

/** Names of the files that have a lock in a folder, including locks of dead processes. */
export const lockedNames = (folder: Folder): string[] =>
  folder
    .names()
    .filter((name) => !stagingName.test(name))
    .flatMap((name) => /^(.+)\.(?:lock|held)$/s.exec(name)?.[1] ?? []);

/** Whether a process, this one included, holds the lock of the file called `name`. Writes nothing. */
export async function isLocked(folder: Folder, name: string): Promise<boolean> {
  const fd = openLock(folder, name);
  if (typeof fd === 'number') fs.closeSync(fd);
  if (fd !== 'folder') return fd === 'busy';
  const lock = folder.at(`${name}.lock`);
  for (const socket of socketsIn(lock)) if (await isAlive(lock, socket)) return true;
  return false;
}

/** Calls `work` with a short path of a socket: Node 20 silently truncates paths longer than the system's 100 bytes. */
function withShortPath<T>(folder: string, socket: string, work: (path: string) => T): T {
  return withDescriptor(fs.openSync(folder, 'r'), (fd) => work(`/proc/self/fd/${fd}/${socket}`));
}

/** Whether the process that created a socket is alive. The kernel answers, even for a stopped or busy process. */
async function isAlive(folder: string, socket: string): Promise<boolean> {
  try {
    const connection = withShortPath(folder, socket, (path) => connect({ path }));
    await once(connection, 'connect');
    connection.destroy();
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    // The connection was accepted, then closed.
    if (code === 'ECONNRESET') return await isAlive(folder, socket);
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code)) return false;
    // The backlog of the socket is full, or the socket belongs to another user.
    if (['EAGAIN', 'EACCES', 'EPERM'].includes(code)) return true;
    throw error;
  }
}

const socketsIn = (lock: string): string[] => ignoreErrors(['ENOENT'], () => fs.readdirSync(lock)) ?? [];

function release(lock: string, socket: string, server: Server): void {
  ignoreErrors(['ENOENT'], () => fs.unlinkSync(`${lock}/${socket}`));
  // Another process may have acquired the lock by now.
  ignoreErrors([...folderNotEmpty, 'ENOENT'], () => fs.rmdirSync(lock));
  server.close();
}
