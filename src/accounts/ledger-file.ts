import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { systemCode } from '../errors.ts';
import { newFileIn } from '../fs/owned.ts';
import { homeFolder } from './store.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Why a ledger cannot be used, in one line, and what to do about it. */
export class LedgerProblem extends Error {
  readonly hint: string;
  /** A newer chanlist wrote it. */
  readonly newer: boolean;

  constructor(message: string, hint: string, newer = false) {
    super(message);
    this.name = 'LedgerProblem';
    this.hint = hint;
    this.newer = newer;
  }
}

/** The problem of a ledger that a newer chanlist wrote. */
export function newerLedger(path: string): LedgerProblem {
  return new LedgerProblem(`a newer chanlist wrote ${path}`, 'it is left as it is; update chanlist', true);
}

/** The problem of a ledger that cannot be read. */
export function unreadableLedger(path: string, error: unknown): LedgerProblem {
  const message = `cannot read ${path} (${systemCode(error) ?? 'unknown error'})`;
  return new LedgerProblem(message, 'make it a file that you can read');
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

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants;

/**
 * Opens the ledger of a month for appending and reading, creates it (0600) and its folder (0700) if needed, and returns
 * its descriptor. Follows no link, and creates nothing below a HOME of another user. Throws a `LedgerProblem`.
 */
export function openLedgerFile(folder: string, month: string, env: Env): number {
  createFolder(folder, env);
  return openTrusted(ledgerFile(folder, month), O_RDWR | O_APPEND | O_CREAT);
}

/** Opens the ledger of a month for reading; null if there is none. Throws a `LedgerProblem`. */
export function openLedgerForReading(folder: string, month: string, env: Env): number | null {
  try {
    refuseForeignHome(folder, env);
    checkFolder(folder);
    return openTrusted(ledgerFile(folder, month), O_RDONLY);
  } catch (error) {
    if (systemCode((error as Error).cause) === 'ENOENT') return null;
    throw error;
  }
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

function createFolder(folder: string, env: Env): void {
  refuseForeignHome(folder, env);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    // For a link or a file, the check names what is there.
    if (systemCode(cause) !== 'EEXIST') throw cannot('create', folder, cause);
  }
  checkFolder(folder);
}

/** Throws a `LedgerProblem` if another user may have put this folder, or a link, there. */
function checkFolder(folder: string): void {
  let stats: Stats;
  try {
    stats = lstatSync(folder);
    if (stats.isSymbolicLink() && isOwn(stats)) stats = statSync(folder);
  } catch (cause) {
    throw cannot('open', folder, cause);
  }
  if (stats.isDirectory() && (isOwn(stats) || sameAsNew(stats, folder))) return;
  const what = stats.isDirectory() ? `it belongs to user ${stats.uid}` : 'it is not a folder';
  throw inTheWay(folder, what);
}

/** Throws a `LedgerProblem` for a folder below a HOME of another user. */
function refuseForeignHome(folder: string, env: Env): void {
  const home = homeFolder(env, process.platform);
  // `/` is the HOME of users that have none.
  if (home === null || home === '/' || relative(home, folder).startsWith('..')) return;
  let stats: Stats;
  try {
    stats = statSync(home);
  } catch (cause) {
    throw cannot('use', home, cause);
  }
  if (process.geteuid !== undefined && stats.uid !== process.geteuid()) throw foreign(home, stats);
}

function openTrusted(path: string, flags: number): number {
  let fd: number;
  try {
    // A FIFO must not block the program.
    fd = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (cause) {
    if (systemCode(cause) === 'ELOOP') throw inTheWay(path, 'it is a symbolic link');
    throw cannot('open', path, cause);
  }
  const stats = fstatSync(fd);
  const owned = process.geteuid === undefined || stats.uid === process.geteuid();
  const trusted =
    stats.isFile() && ((owned && (stats.mode & 0o022) === 0) || sameAsNew(stats, dirname(path)));
  if (trusted) return fd;
  closeSync(fd);
  const what = !stats.isFile()
    ? 'it is not a file'
    : owned
      ? 'other users can write it'
      : `it belongs to user ${stats.uid}`;
  throw inTheWay(path, what);
}

/** Whether this user or root is the owner. */
function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid() || uid === 0;
}

/**
 * Whether a file or folder shows the owner, and a file the mode, of a file just created in this folder: some mounts
 * show every file alike.
 */
function sameAsNew(stats: Stats, folder: string): boolean {
  const created = newFileIn(folder);
  return created?.uid === stats.uid && (stats.isDirectory() || created.mode === stats.mode);
}

function cannot(verb: string, path: string, cause: unknown): LedgerProblem {
  const problem = new LedgerProblem(
    `cannot ${verb} ${path} (${systemCode(cause) ?? 'unknown error'})`,
    'make it a folder that you can write, or set XDG_STATE_HOME to one',
  );
  problem.cause = cause;
  return problem;
}

function inTheWay(path: string, what: string): LedgerProblem {
  return new LedgerProblem(`${path} is in the way: ${what}`, 'it is left as it is; move it away');
}

function foreign(path: string, { uid }: Stats): LedgerProblem {
  return new LedgerProblem(
    `${path} belongs to user ${uid}, nothing is created below it`,
    'set XDG_STATE_HOME to a folder of your own',
  );
}
