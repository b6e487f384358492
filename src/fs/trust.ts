import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { closing, createTemporary } from './files.ts';

const writeByOthers = 0o022;

/**
 * Throws a refusal, which names the command that repairs it, unless it is a folder of the effective user that nobody
 * else can write, or shows the owner and permissions of what is created beside it (mounts that show everything as 0777).
 * `readOnly`: a folder of any user that nobody else can write passes. `stats` must not be those of a link's target.
 */
export function checkTrust(path: string, stats: fs.Stats, readOnly: boolean): void {
  if (!stats.isDirectory()) throw untrusted(path, stats, `it is ${kindOf(stats)}`);
  const user = process.geteuid?.();
  if (user === undefined) return;
  const own = { uid: readOnly ? stats.uid : user, mode: 0 };
  if (isAsSafe(stats, own)) return;
  // Whoever only reads creates nothing.
  const created = readOnly ? null : newFileIn(dirname(path));
  if (created === null || !isAsSafe(stats, created)) throw unsafe(path, stats, own);
}

/**
 * Throws a refusal for a file in a trusted folder, unless it is a regular file of the folder's owner that no more users
 * can write than the folder, and, to be written, without a second name, which could be any file of this user.
 */
export function checkFile(path: string, stats: fs.Stats, folder: fs.Stats, isWritten: boolean): void {
  if (!stats.isFile()) throw untrusted(path, stats, `it is ${kindOf(stats)}`);
  if (!isAsSafe(stats, folder)) throw unsafe(path, stats, folder);
  if (!isWritten || stats.nlink === 1) return;
  const [name, copy] = [path, `${path}.new`].map(shellQuote);
  const repair = `cp -p ${name} ${copy} && mv ${copy} ${name}`;
  throw untrusted(path, stats, 'it has another name (a hard link)', repair);
}

type Owned = Pick<fs.Stats, 'uid' | 'mode'>;

/** Whether something has the owner of another, and no more users can write to it. */
const isAsSafe = (stats: Owned, other: Owned): boolean =>
  stats.uid === other.uid && (stats.mode & ~other.mode & writeByOthers) === 0;

/** The kind of a file, in words. */
export function kindOf(stats: fs.Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a regular file' : 'a device';
}

/** What a file just created in a folder shows, which no other user can exchange; null if none can be created. */
function newFileIn(folder: string): fs.Stats | null {
  try {
    const [path, fd] = createTemporary(folder);
    return closing(fd, () => {
      fs.unlinkSync(path);
      return fs.fstatSync(fd);
    });
  } catch {
    return null;
  }
}

/** The failure for something that is not `isAsSafe`. */
function unsafe(path: string, stats: fs.Stats, { uid }: Owned): Failure {
  if (stats.uid === uid)
    return untrusted(path, stats, 'other users can write to it', `chmod go-w ${shellQuote(path)}`);
  const chown = process.geteuid?.() === 0 ? `chown -R 0 ${shellQuote(path)}` : undefined;
  return untrusted(path, stats, 'it belongs to another user', chown);
}

/** The failure for something that is not used, and left unchanged. `repair`: a command; if none, to move it away. */
function untrusted(path: string, stats: fs.Stats, why: string, repair?: string): Failure {
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  return usage(
    `refusing to use ${path}: ${why} (owner ${stats.uid}, mode ${mode})`,
    repair === undefined
      ? `move it away: mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}`
      : `if you trust its content: ${repair}`,
  );
}
