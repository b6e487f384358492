import { closeSync, fstatSync, lstatSync, readSync, writeSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Failure, usage } from '../errors.ts';
import { guardFile } from '../fs/file-error.ts';
import { ignoring } from '../fs/files.ts';
import { createOwnFolder, type Env, homeFolder, openOwnFolder } from './home.ts';
import {
  appendedText,
  type LedgerLine,
  type OutcomeLine,
  parseLine,
  type RequestLine,
} from './ledger-lines.ts';

/**
 * The path of the ledger of a month (`2026-11`): in `$XDG_STATE_HOME/chanlist`, by default `~/.local/state/chanlist`.
 * Throws `failed` if no home folder is known.
 */
export function ledgerPath(month: string, env: Env): string {
  const name = `chanlist/credits-${month}.ndjson`;
  const given = env.XDG_STATE_HOME;
  if (given && isAbsolute(given)) return join(given, name);
  const home = homeFolder(env);
  if (home !== null) return join(home, '.local/state', name);
  throw new Failure('failed', 'there is no folder for the credit ledger: no home folder is known', {
    hint: 'set XDG_STATE_HOME',
  });
}

/** Bytes at the end of a ledger that `skipMost` leaves. */
const lastBytes = 4096;
const lineEnd = 10;
const buffer = Buffer.allocUnsafe(256 * 1024);

/**
 * The ledger of one month, open. All methods throw `failed` if it cannot be used; `newLines` throws a usage error
 * if a newer chanlist wrote it.
 */
export class LedgerFile {
  readonly path: string;
  /** Whether there was no ledger of any month. */
  readonly isFirst: boolean;
  readonly #fd: number;
  /** Bytes that `newLines` has passed on. */
  #offset = 0;

  private constructor(path: string, fd: number, isFirst: boolean) {
    this.path = path;
    this.#fd = fd;
    this.isFirst = isFirst;
  }

  /** Opens the ledger for appending and reading; creates it (0600) and its folder (0700) if needed. */
  static open(month: string, env: Env): LedgerFile {
    const path = ledgerPath(month, env);
    return opened(path, () => {
      using folder = createOwnFolder(dirname(path), env);
      const isFirst = !folder.names().some((name) => /^credits-.*\.ndjson$/.test(name));
      return new LedgerFile(path, folder.openAppend(basename(path)), isFirst);
    });
  }

  /** Opens the ledger for reading; null if there is none. */
  static openForReading(month: string, env: Env): LedgerFile | null {
    const path = ledgerPath(month, env);
    return opened(path, () => {
      using folder = openOwnFolder(dirname(path), env);
      const fd = folder?.openRead(basename(path)) ?? null;
      return fd === null ? null : new LedgerFile(path, fd, false);
    });
  }

  /** Appends a line, by a single `write`. */
  append(line: RequestLine | OutcomeLine): void {
    const text = Buffer.from(appendedText(line));
    const written = guardFile(this.path, 'write', () => writeSync(this.#fd, text));
    if (written === text.length) return;
    throw new Failure('failed', `${this.path}: a line was written only in part`, { hint: 'free some space' });
  }

  /** The complete lines that were appended since the last time. */
  *newLines(): Generator<LedgerLine, void> {
    for (let at = this.#offset; ; ) {
      const length = guardFile(this.path, 'write', () => readSync(this.#fd, buffer, 0, buffer.length, at));
      const end = buffer.subarray(0, length).lastIndexOf(lineEnd);
      if (end === -1) at += length;
      else {
        const lines = buffer.toString('utf8', 0, end).split('\n');
        // The end of a line that is longer than the buffer.
        if (at > this.#offset) lines[0] = 'unreadable';
        at += end + 1;
        this.#offset = at;
        for (const line of lines) if (line !== '') yield this.#parse(line);
      }
      if (length < buffer.length) return;
    }
  }

  /** Skips all lines but the last ones, which show whether a newer chanlist wrote the ledger. */
  skipMost(): void {
    this.#offset = Math.max(0, fstatSync(this.#fd).size - lastBytes);
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
    if (line === 'newer')
      throw usage(`a newer chanlist wrote ${this.path}`, 'it is not changed; update chanlist');
    return line;
  }
}

/** Opens a ledger. What is refused is `failed`: no argument is wrong. */
function opened<T>(path: string, open: () => T): T {
  try {
    return guardFile(path, 'open', open);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw new Failure('failed', cause.message, { hint: cause.hint, cause });
  }
}
