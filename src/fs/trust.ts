import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { closing, createFile, randomHex } from './files.ts';

const writeByOthers = 0o022;

/**
 * Throws a refusal, which names the command that repairs it, unless it is a folder of the effective user that nobody
 * else can write, or shows the owner and permissions of what is created beside it (mounts that show everything as 0777).
 * `readOnly`: a folder of any user that nobody else can write passes. `stats` must not be those of a link's target.
 */
export function checkTrust(path: string, stats: fs.Stats, readOnly: boolean): void {
  if (!stats.isDirectory()) throw untrusted(path, stats, `it is ${kindOf(stats)}`);
  const user = process.geteuid?.();
  const isOurs = readOnly || stats.uid === user;
  if (user === undefined || (isOurs && (stats.mode & writeByOthers) === 0)) return;
  // Whoever only reads creates nothing.
  const created = readOnly ? null : newFileIn(dirname(path));
  if (created?.uid === stats.uid && (stats.mode & ~created.mode & writeByOthers) === 0) return;
  throw isOurs ? writableByOthers(path, stats) : ofAnotherUser(path, stats);
}

/**
 * Throws a refusal for a file in a trusted folder, unless it is a regular file of the folder's owner that no more users
 * can write than the folder, and, to be written, without a second name, which could be any file of this user.
 */
export function checkFile(path: string, stats: fs.Stats, folder: fs.Stats, isWritten: boolean): void {
  if (!stats.isFile()) throw untrusted(path, stats, `it is ${kindOf(stats)}`);
  if (stats.uid !== folder.uid) throw ofAnotherUser(path, stats);
  if ((stats.mode & ~folder.mode & writeByOthers) !== 0) throw writableByOthers(path, stats);
  if (!isWritten || stats.nlink === 1) return;
  const [name, copy] = [path, `${path}.new`].map(shellQuote);
  const repair = `cp -p ${name} ${copy} && mv ${copy} ${name}`;
  throw untrusted(path, stats, 'it has another name (a hard link)', repair);
}

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
  const path = join(folder, `.chanlist-${randomHex()}.tmp`);
  try {
    return closing(createFile(path), (fd) => {
      fs.unlinkSync(path);
      return fs.fstatSync(fd);
    });
  } catch {
    return null;
  }
}

const writableByOthers = (path: string, stats: fs.Stats): Failure =>
  untrusted(path, stats, 'other users can write to it', `chmod go-w ${shellQuote(path)}`);

function ofAnotherUser(path: string, stats: fs.Stats): Failure {
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
