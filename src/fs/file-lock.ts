import * as fs from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { fileError, guardFile, ignoreErrors, randomHex, unsupported, withDescriptor } from './files.ts';
import type { PrivateFolder } from './private-folder.ts';

/** Errors of a file system that has no locks or sockets, and of a file or folder that does not exist. */
const cannotLock = [...unsupported.filter((code) => code !== 'EPERM'), 'EADDRNOTAVAIL', 'ENOENT'];
/** Errors of replacing or removing a folder that contains a socket. */
const inUse = ['ENOTEMPTY', 'EEXIST'];
const { O_CREAT, O_RDWR } = fs.constants;

/**
 * How a platform opens a file that no other process has open or can open: flags of `fs.openSync`, and the error of the
 * others. Null where it cannot: there, sockets are the locks.
 */
export function exclusiveOpen(platform: NodeJS.Platform): { flags: number; busy: string } | null {
  switch (platform) {
    case 'win32':
      // UV_FS_O_EXLOCK and UV_FS_O_TEMPORARY (it is removed when it is closed) of libuv.
      return { flags: 0x10000000 | 0x40, busy: 'EBUSY' };
    case 'darwin':
    case 'freebsd':
    case 'netbsd':
    case 'openbsd':
      // O_EXLOCK and O_NONBLOCK. The file stays: to remove it is a race.
      return { flags: 0x20 | 0x4, busy: 'EAGAIN' };
    default:
      return null;
  }
}

type Folder = Pick<PrivateFolder, 'at' | 'names'>;

/**
 * Makes this process the only writer of the file called `name`; throws `locked` (10), with the name `shown`, at once if
 * another one is. Null on a file system that cannot lock: other runs are not kept out. A dead process holds no lock:
 * the system closes its files and sockets. The lock has the name of the file, so that the file system decides which
 * names are the same; with an ending as long as that of the record: a file system that holds the one can hold the other.
 */
export async function acquireLock(folder: Folder, name: string, shown: string): Promise<Disposable | null> {
  const fd = openExclusively(folder, name, O_CREAT);
  if (fd === 'busy') throw lockedFailure(shown);
  if (fd !== 'unsupported') return fd === null ? null : { [Symbol.dispose]: () => fs.closeSync(fd) };
  await removeStaging(folder);
  return await lockFolder(folder, name, shown);
}

/** Whether a process, this one included, holds the lock of the file called `name`. */
export async function isLocked(folder: Folder, name: string): Promise<boolean> {
  const fd = openExclusively(folder, name);
  if (typeof fd === 'number') fs.closeSync(fd);
  if (fd !== 'unsupported') return fd === 'busy';
  const lock = folder.at(`${name}.lock`);
  for (const socket of socketsIn(lock)) if (await isAlive(lock, socket)) return true;
  return false;
}

export const lockedFailure = (shown: string): Failure =>
  new Failure('locked', `${shown}: another run is writing this file`);

/** Opens the lock of a file as one of this process; null if it does not exist, or the file system cannot lock. */
function openExclusively(folder: Folder, name: string, create = 0): number | 'busy' | 'unsupported' | null {
  const exclusive = exclusiveOpen(process.platform);
  if (exclusive === null) return 'unsupported';
  const path = folder.at(`${name}.held`);
  try {
    return fs.openSync(path, O_RDWR | create | exclusive.flags, 0o600);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === exclusive.busy) return 'busy';
    if (cannotLock.includes(code)) return null;
    throw fileError(error, path, 'open');
  }
}

/**
 * A lock that is a folder with one listening socket. It is prepared under another name and renamed: that succeeds only if
 * nothing or an empty folder has the name of the lock, so of two processes one succeeds. A socket that refuses
 * connections belongs to a dead process. Each socket has a name that is never used again, so none is removed but the
 * one that was found dead.
 */
async function lockFolder(folder: Folder, name: string, shown: string): Promise<Disposable | null> {
  const socket = randomHex();
  const staging = folder.at(`.${socket}.lock`);
  const lock = folder.at(`${name}.lock`);
  guardFile(shown, 'open', () => fs.mkdirSync(staging, 0o700));
  let server: Server | null = null;
  try {
    server = await listen(staging, socket);
    // Other processes may take and release it meanwhile.
    while (!ignoreErrors(inUse, () => fs.renameSync(staging, lock) ?? true))
      if (await isHeld(lock)) throw lockedFailure(shown);
    if (fs.existsSync(`${lock}/${socket}`)) return { [Symbol.dispose]: () => release(lock, socket, server) };
    release(lock, socket, server);
  } catch (error) {
    const isRemoved = !fs.existsSync(staging);
    release(staging, socket, server);
    // Some file systems without sockets say EPERM; a system without /proc, ENOENT.
    if (server === null && !isRemoved && [...cannotLock, 'EPERM'].includes(systemCode(error) ?? ''))
      return null;
    if (!isRemoved) throw fileError(error, lock, 'open');
  }
  // Before the socket listened, another process took it for a dead one, and removed it.
  return await lockFolder(folder, name, shown);
}

/** The folders in which this process has looked for what killed runs have left. */
const cleaned = new WeakSet<Folder>();

/** Removes the folders of processes that were killed while they prepared a lock. */
async function removeStaging(folder: Folder): Promise<void> {
  if (cleaned.has(folder)) return;
  cleaned.add(folder);
  for (const name of folder.names().filter((each) => /^\.[0-9a-f]{20}\.lock$/.test(each)))
    if (!(await isHeld(folder.at(name)))) removeIfEmpty(folder.at(name));
}

/** Whether a process holds a lock. Removes the sockets of those that are dead. */
async function isHeld(lock: string): Promise<boolean> {
  for (const socket of socketsIn(lock)) {
    if (await isAlive(lock, socket)) return true;
    ignoreErrors(['ENOENT'], () => fs.unlinkSync(`${lock}/${socket}`));
  }
  return false;
}

/**
 * Does something at once with a short path of a socket: the system allows about 100 bytes, and Node 20 cuts longer ones
 * in silence.
 */
function withShortPath<T>(folder: string, socket: string, work: (path: string) => T): T {
  return withDescriptor(fs.openSync(folder, 'r'), (fd) => work(`/proc/self/fd/${fd}/${socket}`));
}

/** Creates a socket that listens as long as this process lives. */
async function listen(folder: string, socket: string): Promise<Server> {
  return await new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy()).on('error', reject);
    const listening = (): void => resolve(server.unref());
    withShortPath(folder, socket, (path) => server.listen({ path, exclusive: true }, listening));
  });
}

/** Whether the process that created a socket lives. The kernel answers, even for a stopped or busy process. */
async function isAlive(folder: string, socket: string): Promise<boolean> {
  try {
    await new Promise<void>((resolve, reject) => {
      const connection = withShortPath(folder, socket, (path) => connect({ path }, resolve));
      connection.on('error', reject).on('connect', () => connection.destroy());
    });
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    // It was just closed.
    if (code === 'ECONNRESET') return await isAlive(folder, socket);
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code)) return false;
    // It has no time for connections, or belongs to another user.
    if (['EAGAIN', 'EACCES', 'EPERM'].includes(code)) return true;
    throw error;
  }
}

const socketsIn = (lock: string): string[] => ignoreErrors(['ENOENT'], () => fs.readdirSync(lock)) ?? [];

function release(lock: string, socket: string, server: Server | null): void {
  ignoreErrors(['ENOENT'], () => fs.unlinkSync(`${lock}/${socket}`));
  removeIfEmpty(lock);
  server?.close();
}

/** Another process may have taken the lock by now. */
function removeIfEmpty(lock: string): void {
  ignoreErrors([...inUse, 'ENOENT'], () => fs.rmdirSync(lock));
}
