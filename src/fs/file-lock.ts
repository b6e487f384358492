import * as fs from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { fileError, guardFile, ignoreErrors, randomHex, unsupported, withDescriptor } from './files.ts';
import type { PrivateFolder } from './private-folder.ts';

const noSockets = [...unsupported, 'EADDRNOTAVAIL'];
/** Errors of replacing or removing a folder that contains a socket. */
const inUse = ['ENOTEMPTY', 'EEXIST'];

/**
 * Makes this process the only writer of the file called `name`; throws `locked` (10), with the name `shown`, at once if
 * another one is. Null on a file system that cannot hold sockets: other runs are not kept out.
 *
 * A lock is a folder that contains one listening socket. It is prepared under another name and renamed: that succeeds
 * only if nothing or an empty folder has the name of the lock, so of two processes one succeeds. A socket that refuses
 * connections belongs to a dead process. Each socket has a name that is never used again, so none is removed but the
 * one that was found dead. The lock has the name of the file, so that the file system decides which names are the same;
 * with an ending as long as that of the record: a file system that holds the one can hold the other.
 */
export async function acquireLock(
  folder: Pick<PrivateFolder, 'at'>,
  name: string,
  shown: string,
): Promise<Disposable | null> {
  // There, the path of a socket is no file.
  if (process.platform === 'win32') return null;
  const socket = randomHex();
  const staging = folder.at(`.${socket}.lock`);
  const lock = folder.at(`${name}.lock`);
  guardFile(shown, 'open', () => fs.mkdirSync(staging, 0o700));
  let server: Server | null = null;
  try {
    server = await listen(staging, socket);
    // Other processes may take and release it meanwhile.
    for (;;) {
      const isOurs = ignoreErrors(inUse, () => fs.renameSync(staging, lock) ?? true);
      if (isOurs) return { [Symbol.dispose]: () => release(lock, socket, server) };
      for (const other of socketsIn(lock)) {
        if (await isAlive(lock, other)) throw lockedFailure(shown);
        ignoreErrors(['ENOENT'], () => fs.unlinkSync(`${lock}/${other}`));
      }
    }
  } catch (error) {
    release(staging, socket, server);
    if (server === null && noSockets.includes(systemCode(error) ?? '')) return null;
    throw fileError(error, lock, 'open');
  }
}

export const lockedFailure = (shown: string): Failure =>
  new Failure('locked', `${shown}: another run is writing this file`);

/** Whether a process, this one included, holds the lock of the file called `name`. Writes nothing. */
export async function isLocked(folder: Pick<PrivateFolder, 'at'>, name: string): Promise<boolean> {
  const lock = folder.at(`${name}.lock`);
  for (const socket of socketsIn(lock)) if (await isAlive(lock, socket)) return true;
  return false;
}

/**
 * Does something at once with a short path of a socket: the system allows about 100 bytes, and Node 20 cuts longer ones
 * in silence. Without /proc, the folder of the lock is the working directory meanwhile.
 */
function withShortPath<T>(folder: string, socket: string, work: (path: string) => T): T {
  return withDescriptor(fs.openSync(folder, 'r'), (fd) => {
    const opened = `/proc/self/fd/${fd}`;
    if (['linux', 'android'].includes(process.platform) && fs.existsSync(opened))
      return work(`${opened}/${socket}`);
    const back = process.cwd();
    process.chdir(folder);
    try {
      // Node takes a path that looks like a number for a port.
      return work(`./${socket}`);
    } finally {
      process.chdir(back);
    }
  });
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
  // Another process may have taken the lock by now.
  ignoreErrors([...inUse, 'ENOENT'], () => fs.rmdirSync(lock));
  server?.close();
}
