import * as fs from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { fileError, guardFile } from './file-error.ts';
import { ignoring, randomHex, shortName, unsupported } from './files.ts';
import type { PrivateFolder } from './private-folder.ts';

/** Releases a lock; to be called once, before the folder is closed. */
export type Release = () => void;

/** Errors of a file system without sockets, and of a path that is too long for one. */
const noSockets = [...unsupported, 'EADDRNOTAVAIL', 'ENAMETOOLONG'];
/** Errors of replacing or removing a folder that contains a socket. */
const inUse = ['ENOTEMPTY', 'EEXIST'];
/** Node 20 cuts longer paths of sockets in silence (bytes). */
const maxSocketPath = 103;
/** Attempts while other processes take and release the lock. */
const maxAttempts = 200;

/**
 * Makes this process the only writer of the file called `name`, whose lock is in `folder`; throws `locked` (10), with
 * the name `shown`, at once if another one is. Null on a file system that cannot hold sockets: other runs are not kept
 * out.
 *
 * A lock is a folder that contains one listening socket. It is prepared under another name and renamed: that succeeds
 * only if nothing or an empty folder has the name of the lock, so of two processes one succeeds. A socket that refuses
 * connections belongs to a dead process. Each socket has a name that is never used again, so none is removed but the
 * one that was found dead.
 */
export async function acquireLock(
  folder: Pick<PrivateFolder, 'at'>,
  name: string,
  shown: string,
): Promise<Release | null> {
  const socket = randomHex();
  const staging = folder.at(`.${socket}.lock`);
  const lock = folder.at(lockName(name));
  guardFile(shown, 'open', () => fs.mkdirSync(staging, 0o700));
  let server: Server | null = null;
  try {
    server = await listen(`${staging}/${socket}`);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const isOurs = ignoring(inUse, () => fs.renameSync(staging, lock) ?? true);
      if (isOurs) return () => release(lock, socket, server);
      for (const other of socketsIn(lock)) {
        if (await isAlive(`${lock}/${other}`)) throw locked(shown);
        ignoring(['ENOENT'], () => fs.unlinkSync(`${lock}/${other}`));
      }
    }
    throw locked(shown);
  } catch (error) {
    release(staging, socket, server);
    if (server === null && noSockets.includes(systemCode(error) ?? '')) return null;
    throw fileError(error, shown, 'open');
  }
}

/** Whether a process, this one included, holds the lock of the file called `name`. Writes nothing. */
export async function isLocked(folder: Pick<PrivateFolder, 'at'>, name: string): Promise<boolean> {
  const lock = folder.at(lockName(name));
  for (const socket of socketsIn(lock)) if (await isAlive(`${lock}/${socket}`)) return true;
  return false;
}

const lockName = (name: string): string => `${shortName(name)}.lock`;

const locked = (shown: string): Failure =>
  new Failure('locked', `${shown}: another run is writing this file`);

/** Creates a socket that listens as long as this process lives. */
async function listen(path: string): Promise<Server> {
  // On Windows such a path is no file.
  if (process.platform === 'win32' || Buffer.byteLength(path) > maxSocketPath)
    throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
  return await new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy()).on('error', reject);
    server.listen({ path, exclusive: true }, () => resolve(server.unref()));
  });
}

/** Whether the process that created a socket lives. The kernel answers, even for a stopped or busy process. */
async function isAlive(path: string): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ path }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error) => {
      const code = systemCode(error) ?? '';
      if (['ECONNREFUSED', 'ENOENT'].includes(code)) resolve(false);
      else if (['EAGAIN', 'EACCES', 'EPERM'].includes(code)) resolve(true);
      // It was just closed.
      else if (code === 'ECONNRESET') resolve(isAlive(path));
      else reject(error);
    });
  });
}

const socketsIn = (lock: string): string[] => ignoring(['ENOENT'], () => fs.readdirSync(lock)) ?? [];

function release(lock: string, socket: string, server: Server | null): void {
  ignoring(['ENOENT'], () => fs.unlinkSync(`${lock}/${socket}`));
  // Another process may have taken the lock by now.
  ignoring([...inUse, 'ENOENT'], () => fs.rmdirSync(lock));
  server?.close();
}
