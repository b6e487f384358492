import { closeSync, fstatSync, lstatSync, readSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { ignoring } from '../fs/files.ts';
import { type Env, homeFolder, openOwnFolder } from './home.ts';
import {
  appendedText,
  type LedgerLine,
  type OutcomeLine,
  parseLine,
  type RequestLine,
} from './ledger-lines.ts';

/** Why a ledger cannot be used: `usage` if a newer chanlist wrote it, else `failed`. */
export class LedgerProblem extends Failure {}

/** The folder of the ledger: `$XDG_STATE_HOME/chanlist`, by default `~/.local/state/chanlist`. Throws a `LedgerProblem`. */
export function ledgerFolder(env: Env): string {
  const given = env.XDG_STATE_HOME;
  if (given && isAbsolute(given)) return join(given, 'chanlist');
  const home = homeFolder(env);
  if (home !== null) return join(home, '.local/state/chanlist');
  throw new LedgerProblem('failed', 'there is no folder for the credit ledger: no home folder is known', {
    hint: 'set XDG_STATE_HOME',
  });
}

/** The path of the ledger of a month (`2026-11`). */
export function ledgerPath(month: string, env: Env): string {
  return join(ledgerFolder(env), fileName(month));
}

const fileName = (month: string): string => `credits-${month}.ndjson`;

/** Bytes at the end of a ledger that are searched for lines of a newer version, if the others are not needed. */
const lastBytes = 4096;
const lineEnd = 10;
const buffer = Buffer.allocUnsafe(256 * 1024);

/** The ledger of one month, open. All methods throw a `LedgerProblem`. */
export class LedgerFile {
  readonly month: string;
  readonly path: string;
  /** Whether there was no ledger of any month. */
  readonly isFirst: boolean;
  readonly #fd: number;
  /** Bytes that `readLines` has passed on. */
  #offset = 0;

  private constructor(month: string, path: string, fd: number, isFirst: boolean) {
    this.month = month;
    this.path = path;
    this.#fd = fd;
    this.isFirst = isFirst;
  }

  /** Opens the ledger for appending and reading; creates it (0600) and its folder (0700) if needed. */
  static open(month: string, env: Env): LedgerFile {
    const path = ledgerPath(month, env);
    return guarded(path, () => {
      const folder = openOwnFolder(ledgerFolder(env), env, true);
      try {
        const isFirst = !folder.names().some((name) => /^credits-.*\.ndjson$/.test(name));
        return new LedgerFile(month, path, folder.openAppend(fileName(month)), isFirst);
      } finally {
        folder.close();
      }
    });
  }

  /** Opens the ledger for reading; null if there is none. */
  static openForReading(month: string, env: Env): LedgerFile | null {
    const path = ledgerPath(month, env);
    return guarded(path, () => {
      const folder = openOwnFolder(ledgerFolder(env), env, false);
      const fd = folder?.openRead(fileName(month)) ?? null;
      folder?.close();
      return fd === null ? null : new LedgerFile(month, path, fd, false);
    });
  }

  /** Appends a line, by a single `write`. */
  append(line: RequestLine | OutcomeLine): void {
    const text = Buffer.from(appendedText(line));
    let code = 'ENOSPC';
    try {
      if (writeSync(this.#fd, text) === text.length) return;
    } catch (error) {
      code = systemCode(error) ?? 'unknown error';
    }
    const hint = 'free some disk space, or make it a file that you can write';
    throw new LedgerProblem('failed', `cannot append to ${this.path} (${code})`, { hint });
  }

  /** Passes on the complete lines that were appended since the last time. */
  readLines(onLine: (line: LedgerLine) => void): void {
    guarded(this.path, () => {
      for (let at = this.#offset; ; ) {
        const length = readSync(this.#fd, buffer, 0, buffer.length, at);
        const end = buffer.subarray(0, length).lastIndexOf(lineEnd);
        if (end === -1) at += length;
        else {
          const lines = buffer.toString('utf8', 0, end).split('\n');
          // The end of a line that is longer than the buffer.
          if (at > this.#offset) lines[0] = 'unreadable';
          for (const line of lines) if (line !== '') onLine(this.#parse(line));
          at += end + 1;
          this.#offset = at;
        }
        if (length < buffer.length) return;
      }
    });
  }

  /** Throws for lines of a newer version among the last ones, without passing on any. */
  checkVersion(): void {
    this.#offset = Math.max(0, guarded(this.path, () => fstatSync(this.#fd)).size - lastBytes);
    this.readLines(() => {});
  }

  /** Whether bytes follow the last line end. */
  isCutShort(): boolean {
    return fstatSync(this.#fd).size > this.#offset;
  }

  /** Whether the open file is still the one at its path, without a second name: other processes count in that. */
  isInPlace(): boolean {
    const { dev, ino, nlink } = fstatSync(this.#fd);
    const there = ignoring(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'], () => lstatSync(this.path));
    return nlink === 1 && there?.dev === dev && there.ino === ino;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #parse(text: string): LedgerLine {
    const line = parseLine(text);
    if (line !== 'newer') return line;
    const hint = 'it is not changed; update chanlist';
    throw new LedgerProblem('usage', `a newer chanlist wrote ${this.path}`, { hint });
  }
}

/** The problem of a ledger that is not the file that was opened, or lacks what was appended to it. */
export function changed(path: string): LedgerProblem {
  return new LedgerProblem('failed', `${path} was removed, replaced or cut short during the run`, {
    hint: 'do not change it while chanlist runs; run the same command again',
  });
}

/** What is refused, and errors of the system, as a `LedgerProblem`. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof LedgerProblem) throw cause;
    if (cause instanceof Failure)
      throw new LedgerProblem('failed', cause.message, { hint: cause.hint, cause });
    const hint = 'make it a file that you can read and write, or set XDG_STATE_HOME to another folder';
    throw new LedgerProblem('failed', `cannot use ${path} (${systemCode(cause) ?? 'unknown error'})`, {
      hint,
      cause,
    });
  }
}
