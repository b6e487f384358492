import type { Server } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { guarded } from './file-errors.ts';
import { type LockFolder, lockFolder, privateLockFolder } from './lock-folder.ts';
import { isAlive, listen } from './lock-socket.ts';

/** A lock that this process holds. */
export interface Lock {
  release(): Promise<void>;
}

/** Milliseconds between two looks at a contender that came at the same moment, and how many looks. */
const lookAgain = 5;
const mostLooks = 400;
/** Tries to enter a folder that others remove and make again. */
const mostTries = 200;
/** How file systems say that they cannot hold sockets. */
const noSockets = ['EOPNOTSUPP', 'ENOTSUP', 'EPERM', 'EINVAL', 'ENOSYS', 'EADDRNOTAVAIL', 'EPROTONOSUPPORT'];
/** The folder has just been removed by its last user, or made by another one who has not opened it to all yet. */
const passing = ['ENOENT', 'ENOTDIR', 'EACCES'];

/**
 * Makes this process the only writer of `file`; throws `locked` (10) at once where another one is, and usage
 * errors where its folder cannot be written.
 *
 * `FILE.lock` is a folder. Each process that wants the lock puts a listening socket of a name of its own into
 * it, and then looks at the others: a socket that refuses connections belongs to a dead process. The system
 * knows that by itself, across users and across containers with process numbers of their own; no clock is
 * needed. Putting in comes before looking, so of two processes at least one sees the other. Only one that sees
 * nobody else alive marks itself as the holder; whoever sees a holder, or a contender of a smaller name, steps
 * back. The socket keeps its name then, for a rename could be missed by one who is just listing the folder.
 * A file system that cannot hold sockets has them in the folder for temporary files. `shown`: its name in
 * messages; `bind`: for tests.
 */
export async function acquireLock(
  file: string,
  shown: string = file,
  bind: typeof listen = listen,
): Promise<Lock> {
  for (let tries = 0; ; tries++) {
    const own = newName();
    const entered = await enter(file, own, tries === mostTries, bind);
    let result: Result = 'gone';
    if (entered !== null) {
      const leave = once(() => leaveFolder(entered, own));
      try {
        result = await guarded(file, 'opening', () => contend(entered.folder, own));
        if (result === 'won') return { release: leave };
      } finally {
        if (result !== 'won') await leave();
      }
    }
    if (result === 'lost' || tries > mostTries) {
      throw new Failure('locked', `${shown}: another run is writing this file`, {
        hint: 'wait until it has ended',
      });
    }
    await pause();
  }
}

/** `gone`: the folder was taken away under this process. */
type Result = 'won' | 'lost' | 'gone';

interface Entered {
  readonly folder: LockFolder;
  readonly server: Server;
}

/** Puts this process's socket into the lock's folder; null for trying again. */
async function enter(file: string, own: string, last: boolean, bind: typeof listen): Promise<Entered | null> {
  const folder = await lockFolder(file);
  try {
    return { folder, server: await publish(folder, own, bind) };
  } catch (error) {
    const code = systemCode(error) ?? '';
    await folder.removeIfEmpty();
    if (passing.includes(code) && !last) return null;
    if (!noSockets.includes(code)) return await guarded(file, 'opening', () => Promise.reject(error));
  }
  const elsewhere = await privateLockFolder(file);
  return await guarded(elsewhere.path, 'opening', async () => ({
    folder: elsewhere,
    server: await publish(elsewhere, own, bind),
  }));
}

/** Makes a socket under a name that does not count, until it listens and everyone may connect to it. */
async function publish(folder: LockFolder, own: string, bind: typeof listen): Promise<Server> {
  const server = await folder.at(`n-${own}`, bind);
  try {
    await folder.open(`n-${own}`);
    await folder.rename(`n-${own}`, `c-${own}`);
    return server;
  } catch (error) {
    server.close();
    await folder.remove(`n-${own}`);
    throw error;
  }
}

/** Won once nobody else alive is in the folder. Removes what dead processes left. */
async function contend(folder: LockFolder, own: string): Promise<Result> {
  for (let looks = 0; looks < mostLooks; looks++) {
    const names = await folder.names();
    if (!names.includes(`c-${own}`)) return 'gone';
    let others = false;
    for (const name of names) {
      const other = name.slice(2);
      if (other === own) continue;
      const marked = names.includes(`h-${other}`);
      if (name.startsWith('h-')) {
        if (!names.includes(`c-${other}`)) await folder.remove(name);
      } else if (!(await folder.at(name, isAlive))) {
        await folder.remove(`h-${other}`);
        await folder.remove(name);
      } else if (name.startsWith('c-')) {
        if (marked || other < own) return 'lost';
        others = true;
      }
    }
    if (!others) {
      return (await folder.mark(`h-${own}`)) ? 'won' : 'gone';
    }
    await pause();
  }
  return 'lost';
}

async function leaveFolder({ folder, server }: Entered, own: string): Promise<void> {
  await folder.remove(`h-${own}`);
  await folder.remove(`c-${own}`);
  await new Promise((resolve) => server.close(resolve));
  await folder.removeIfEmpty();
}

function newName(): string {
  const part = (): string => Math.random().toString(16).slice(2, 12).padEnd(10, '0');
  return part() + part();
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, lookAgain));
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}
