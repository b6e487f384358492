import { constants, lstatSync, readdirSync, readSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { makeFolders } from '../fs/make-folders.ts';
import { effectiveUser, inTheWay, newFileIn, openOwnedSync, ownerName } from '../fs/owned.ts';
import { homeFolder } from './store.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Why a ledger cannot be used: `usage` if a newer chanlist wrote it, else `failed`. */
export class LedgerProblem extends Failure {}

/** The problem of a ledger that a newer chanlist wrote. */
export function newerLedger(path: string): LedgerProblem {
  const hint = 'it is left as it is; update chanlist';
  return new LedgerProblem('usage', `a newer chanlist wrote ${path}`, { hint });
}

/** The problem of a ledger that cannot be read. */
export function unreadableLedger(path: string, error: unknown): LedgerProblem {
  const message = `cannot read ${path} (${systemCode(error) ?? 'unknown error'})`;
  return new LedgerProblem('failed', message, { hint: 'make it a file that you can read' });
}

/** The folder of the ledger: `$XDG_STATE_HOME/chanlist`, by default `~/.local/state/chanlist`. Null without a home. */
export function ledgerFolder(env: Env): string | null {
  const given = env.XDG_STATE_HOME;
  if (given && isAbsolute(given)) return join(given, 'chanlist');
  const home = homeFolder(env, process.platform);
  return home === null ? null : resolve(home, '.local/state/chanlist');
}

/** The file of a month (`2026-11`). */
export function ledgerFile(folder: string, month: string): string {
  return join(folder, `credits-${month}.ndjson`);
}

/** Whether the folder holds the ledger of any month. */
export function hasLedger(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /^credits-\d{4}-\d\d\.ndjson$/.test(name));
  } catch {
    return false;
  }
}

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;

/**
 * Opens the ledger of a month for appending and reading, creates it (0600) and its folder (0700) if needed, and returns
 * its descriptor. Follows no link, and creates nothing below a HOME of another user. Throws a `LedgerProblem`.
 */
export function openLedgerFile(folder: string, month: string, env: Env): number {
  return guarded(() => {
    refuseForeignHome(folder, env);
    try {
      makeFolders(folder, 0o700);
    } catch (error) {
      // For a link or a file, the check names what is there.
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    checkFolder(folder);
    return openOwnedSync(ledgerFile(folder, month), O_RDWR | O_APPEND | O_CREAT);
  });
}

/** Opens the ledger of a month for reading; null if there is none. Throws a `LedgerProblem`. */
export function openLedgerForReading(folder: string, month: string, env: Env): number | null {
  return guarded(() => {
    try {
      refuseForeignHome(folder, env);
      checkFolder(folder);
      return openOwnedSync(ledgerFile(folder, month), O_RDONLY);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  });
}

/**
 * Calls `onLine` with each non-empty line after `offset`, without its line end, and returns the offset after the last
 * line end. `atEnd`: an unterminated last line counts too.
 */
export function readLines(fd: number, offset: number, onLine: (line: string) => void, atEnd = false): number {
  let at = offset;
  // A line longer than the buffer is unreadable: it is passed on as one line that is not JSON.
  let oversized = false;
  for (;;) {
    const length = readSync(fd, buffer, 0, buffer.length, at);
    const end = buffer.subarray(0, length).lastIndexOf(lineEnd);
    if (end === -1) {
      if (length === buffer.length) {
        oversized = true;
        at += length;
        continue;
      }
      if (atEnd && (length > 0 || oversized)) {
        onLine(oversized ? '…' : buffer.toString('utf8', 0, length));
        at += length;
      }
      return at;
    }
    let lines = buffer.toString('utf8', 0, end).split('\n');
    if (oversized) {
      lines = ['…', ...lines.slice(1)];
      oversized = false;
    }
    for (const line of lines) if (line !== '') onLine(line);
    at += end + 1;
    if (length < buffer.length && !atEnd) return at;
  }
}

const lineEnd = 10;
const buffer = Buffer.allocUnsafe(256 * 1024);

/** Opens files; what is in the way, and errors of the system, become a `LedgerProblem`. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof LedgerProblem) throw cause;
    if (cause instanceof Failure)
      throw new LedgerProblem('failed', cause.message, { hint: 'it is left as it is; move it away', cause });
    const { path } = cause as NodeJS.ErrnoException;
    const hint = 'make it a folder that you can write, or set XDG_STATE_HOME to one';
    throw new LedgerProblem('failed', `cannot use ${path} (${systemCode(cause)})`, { hint, cause });
  }
}

/** Throws "in the way" if another user, but not root, may have put this folder, or a link, there. */
function checkFolder(folder: string): void {
  const isOwn = (uid: number): boolean => uid === effectiveUser(uid) || uid === 0;
  let stats = lstatSync(folder);
  if (stats.isSymbolicLink() && isOwn(stats.uid)) stats = statSync(folder);
  if (!stats.isDirectory()) throw inTheWay(folder, stats, 'is not a folder');
  // Some mounts show the same owner everywhere.
  if (isOwn(stats.uid) || newFileIn(folder)?.uid === stats.uid) return;
  throw inTheWay(folder, stats, 'belongs to another user');
}

/** Throws a `LedgerProblem` for a folder below a HOME of another user. */
function refuseForeignHome(folder: string, env: Env): void {
  const home = homeFolder(env, process.platform);
  // `/` is the HOME of users that have none.
  if (home === null || home === '/' || relative(home, folder).startsWith('..')) return;
  const { uid } = statSync(home);
  if (uid === effectiveUser(uid)) return;
  throw new LedgerProblem(
    'failed',
    `${home} belongs to user ${ownerName(uid)}, nothing is created below it`,
    {
      hint: 'set XDG_STATE_HOME to a folder of your own',
    },
  );
}
