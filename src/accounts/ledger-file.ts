import { closeSync, fstatSync, lstatSync, readSync, writeSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Env } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { fileError, guardFile } from '../fs/file-error.ts';
import { ignoreErrors } from '../fs/files.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { createOwnFolder, homeFolder, openOwnFolder } from './home.ts';
import { type LedgerLine, lineText, type NewLine, parseLine } from './ledger-lines.ts';

/**
 * The folder of the ledgers: `$XDG_STATE_HOME/chanlist`, by default `~/.local/state/chanlist`. Throws `failed` if no home
 * folder is known.
 */
function ledgerFolder(env: Env): string {
  const { XDG_STATE_HOME: stateFolder } = env;
  if (stateFolder && isAbsolute(stateFolder)) return join(stateFolder, 'chanlist');
  const home = homeFolder(env);
  if (home !== null) return join(home, '.local/state/chanlist');
  throw new Failure('failed', 'there is no folder for the credit ledger: no home folder is known', {
    hint: 'set XDG_STATE_HOME',
  });
}

/** The path of the ledger of a month (`2026-11`). Throws as `openLedgerFolder`. */
export const ledgerPath = (month: string, env: Env): string =>
  join(ledgerFolder(env), `credits-${month}.ndjson`);

/** Opens the folder of the ledgers; creates it (0700) if needed. Throws `failed` if it cannot be used. */
export function openLedgerFolder(env: Env): PrivateFolder {
  const path = ledgerFolder(env);
  return guardLedger(path, () => createOwnFolder(path, env));
}

/** The months that have a ledger, in order. Throws as `openLedgerFolder`, but creates nothing. */
export function ledgerMonths(env: Env): string[] {
  const path = ledgerFolder(env);
  return guardLedger(path, () => {
    using folder = openOwnFolder(path, env);
    const names = folder?.names() ?? [];
    return names.flatMap((name) => /^credits-(\d{4}-\d\d)\.ndjson$/.exec(name)?.[1] ?? []).sort();
  });
}

/**
 * The ledger of one month, open. All methods throw `failed` if it cannot be used; `newLines` throws a usage error
 * if a newer chanlist wrote it.
 */
export class LedgerFile {
  readonly path: string;
  readonly #fd: number;
  /** Bytes that `newLines` has passed on. */
  #offset = 0;
  /** Whether bytes followed the last of `newLines`: a line that was cut short. */
  isCutShort = false;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  /** Opens the ledger for appending and reading; creates it (0600) and its folder (0700) if needed. */
  static open(month: string, env: Env): LedgerFile {
    const path = ledgerPath(month, env);
    return guardLedger(path, () => {
      using folder = createOwnFolder(dirname(path), env);
      return new LedgerFile(path, folder.openAppend(basename(path)));
    });
  }

  /** Opens the ledger for reading; null if there is none. */
  static openForReading(month: string, env: Env): LedgerFile | null {
    const path = ledgerPath(month, env);
    return guardLedger(path, () => {
      using folder = openOwnFolder(dirname(path), env);
      const fd = folder?.openRead(basename(path)) ?? null;
      return fd === null ? null : new LedgerFile(path, fd);
    });
  }

  /** Appends a line, by a single `write`. */
  append(line: NewLine): void {
    const text = Buffer.from(lineText(line));
    const written = guardFile(this.path, 'write', () => writeSync(this.#fd, text));
    if (written === text.length) return;
    throw new Failure('failed', `${this.path}: a line was written only in part`, { hint: 'free some space' });
  }

  /** The complete lines that were appended since the last call; with `many`, only those in the last `many` bytes. */
  newLines(many = Number.POSITIVE_INFINITY): LedgerLine[] {
    const text = guardFile(this.path, 'write', () => {
      const { size } = fstatSync(this.#fd);
      this.#offset = Math.max(this.#offset, size - many);
      const bytes = Buffer.allocUnsafe(Math.max(0, size - this.#offset));
      const length = readSync(this.#fd, bytes, 0, bytes.length, this.#offset);
      const end = bytes.subarray(0, length).lastIndexOf('\n') + 1;
      this.#offset += end;
      this.isCutShort = length > end;
      return bytes.toString('utf8', 0, end);
    });
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => this.#parse(line));
  }

  /**
   * Whether the open file is still the one at its path, not cut short, and without a second name (a hard link): other
   * processes append to the file at that path.
   */
  isInPlace(): boolean {
    const { dev, ino, nlink, size } = fstatSync(this.#fd);
    const atPath = ignoreErrors(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'], () => lstatSync(this.path));
    return nlink === 1 && size >= this.#offset && atPath?.dev === dev && atPath.ino === ino;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #parse(text: string): LedgerLine {
    const line = parseLine(text);
    if (line === 'newer')
      throw usage(`a newer chanlist wrote ${this.path}`, 'it is not changed; update chanlist');
    return line;
  }
}

/**
 * Opens a ledger or its folder. A refusal becomes `failed`, because no argument is wrong; its hint says that a new
 * ledger starts to count at 0.
 */
function guardLedger<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const cause = fileError(error, path, 'open');
    if (!(cause instanceof Failure)) throw cause;
    const remedy = error instanceof Failure && cause.hint;
    const elsewhere = 'set XDG_STATE_HOME to another folder; a new ledger starts to count at 0';
    const hint = remedy ? `${remedy}; or ${elsewhere}` : elsewhere;
    throw new Failure('failed', cause.message, { hint, cause });
  }
}
