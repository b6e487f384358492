import { closeSync, fstatSync, lstatSync, readSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Env } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { fileError, guardFile, ignoreErrors } from '../fs/files.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import {
  isCount,
  isNumber,
  isOneOf,
  isText,
  orNull,
  type Passing,
  parseObject,
  shape,
} from '../json/shape.ts';
import { createOwnFolder, homeFolder, openOwnFolder } from './home.ts';

/** The folder of the ledgers. Throws `failed` if no home folder is known. */
function ledgerFolder(env: Env): string {
  const { XDG_STATE_HOME: stateFolder } = env;
  if (stateFolder && isAbsolute(stateFolder)) return join(stateFolder, 'chanlist');
  const home = homeFolder(env);
  if (home !== null) return join(home, '.local/state/chanlist');
  throw new Failure('failed', 'there is no folder for the credit ledger: no home folder is known', {
    hint: 'set XDG_STATE_HOME',
  });
}

const fileName = (month: string): string => `credits-${month}.ndjson`;

/** The path of the ledger of a month (`2026-11`). */
export const ledgerPath = (month: string, env: Env): string => join(ledgerFolder(env), fileName(month));

/** Opens the folder of the ledgers; creates it (0700) if needed. */
export const openLedgerFolder = (env: Env): PrivateFolder =>
  guardLedger(env, (path) => createOwnFolder(path, env));

export const ledgerMonths = (env: Env): string[] =>
  guardLedger(env, (path) => {
    using folder = openOwnFolder(path, env);
    const names = folder?.names() ?? [];
    return names.flatMap((name) => /^credits-(\d{4}-\d\d)\.ndjson$/.exec(name)?.[1] ?? []).sort();
  });

/**
 * Does something with the folder of the ledgers. A refusal becomes `failed`, because no argument is wrong; its hint says
 * that a new ledger starts to count at 0.
 */
function guardLedger<T>(env: Env, work: (path: string) => T): T {
  const path = ledgerFolder(env);
  try {
    return work(path);
  } catch (error) {
    const cause = fileError(error, path, 'open');
    if (!(cause instanceof Failure)) throw cause;
    const remedy = error instanceof Failure && cause.hint;
    const elsewhere = 'set XDG_STATE_HOME to another folder; a new ledger starts to count at 0';
    const hint = remedy ? `${remedy}; or ${elsewhere}` : elsewhere;
    throw new Failure('failed', cause.message, { hint, cause });
  }
}

const ledgerVersion = 1;

const isDay = (value: unknown): value is string => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value);

/** A paid request. `time`: ISO 8601, UTC; `day`: the local one; `origin` and `key` (a digest): the account. */
const isRequest = shape({
  version: isNumber,
  kind: isOneOf('request'),
  id: isText,
  time: isText,
  day: isDay,
  origin: isText,
  key: isText,
  last_four: isText,
  command: isText,
  reference: orNull(isText),
  credits: isCount,
});
export type RequestLine = Passing<typeof isRequest>;

/** The outcome of the request with this ID. */
const isOutcome = shape({
  version: isNumber,
  kind: isOneOf('outcome'),
  id: isText,
  time: isText,
  outcome: isOneOf('confirmed', 'free', 'possibly_charged'),
});
export type OutcomeLine = Passing<typeof isOutcome>;

/** The text to append for a line. The line end in front closes a line that a crash cut short. */
export function lineText(line: Omit<RequestLine, 'version'> | Omit<OutcomeLine, 'version'>): string {
  return `\n${JSON.stringify({ version: ledgerVersion, ...line })}\n`;
}

/** Parses a line; null if it cannot be read, `newer` if a newer chanlist wrote it. */
export function parseLine(text: string): RequestLine | OutcomeLine | 'newer' | null {
  const line = parseObject(text);
  if (!isNumber(line?.version) || !Number.isInteger(line.version) || line.version < 1) return null;
  if (line.version > ledgerVersion) return 'newer';
  return isOutcome(line) || isRequest(line) ? line : null;
}

/** A paid request, or a line that cannot be read, which may have been one of a credit at any time, anywhere. */
interface LedgerEntry {
  readonly request: RequestLine | null;
  readonly credits: number;
  outcome: OutcomeLine['outcome'];
}

const unreadable: LedgerEntry = { request: null, credits: 1, outcome: 'possibly_charged' };

/**
 * The ledger of one month (`2026-11`), open, and what has been read of it. All methods throw `failed` if it cannot be used;
 * `read` throws a usage error if a newer chanlist wrote it.
 */
export class LedgerFile {
  readonly month: string;
  readonly path: string;
  /** The latest time of a line, in milliseconds since 1970. */
  lastTime = 0;
  readonly #fd: number;
  readonly #entries: LedgerEntry[] = [];
  readonly #pending = new Map<string, LedgerEntry>();
  /** End of the last complete line that was read. */
  #offset = 0;
  /** Bytes follow it: a line that was cut short. */
  #isCutShort = false;

  private constructor(month: string, path: string, fd: number) {
    this.month = month;
    this.path = path;
    this.#fd = fd;
  }

  /** Opens the ledger for appending and reading; creates it (0600) and its folder (0700) if needed. */
  static open(month: string, env: Env): LedgerFile {
    const fd = guardLedger(env, (path) => {
      using folder = createOwnFolder(path, env);
      return folder.openAppend(fileName(month));
    });
    return new LedgerFile(month, ledgerPath(month, env), fd);
  }

  /** Opens and reads the ledger; null if there is none. */
  static read(month: string, env: Env): LedgerFile | null {
    const fd = guardLedger(env, (path) => {
      using folder = openOwnFolder(path, env);
      return folder?.openRead(fileName(month)) ?? null;
    });
    if (fd === null) return null;
    const file = new LedgerFile(month, ledgerPath(month, env), fd);
    file.read();
    return file;
  }

  /** Appends a line, by a single `write`. */
  append(line: Parameters<typeof lineText>[0]): void {
    const text = Buffer.from(lineText(line));
    const written = guardFile(this.path, 'write', () => writeSync(this.#fd, text));
    if (written === text.length) return;
    throw new Failure('failed', `${this.path}: a line was written only in part`, { hint: 'free some space' });
  }

  /** Reads the lines that were appended since the last call; with `many`, only those in the last `many` bytes. */
  read(many = Number.POSITIVE_INFINITY): void {
    const text = guardFile(this.path, 'write', () => {
      const { size } = fstatSync(this.#fd);
      this.#offset = Math.max(this.#offset, size - many);
      const bytes = Buffer.allocUnsafe(Math.max(0, size - this.#offset));
      const length = readSync(this.#fd, bytes, 0, bytes.length, this.#offset);
      const end = bytes.subarray(0, length).lastIndexOf('\n') + 1;
      this.#offset += end;
      this.#isCutShort = length > end;
      return bytes.toString('utf8', 0, end);
    });
    for (const line of text.split('\n')) if (line !== '') this.#add(line);
  }

  get entries(): readonly LedgerEntry[] {
    return this.#isCutShort ? [...this.#entries, unreadable] : this.#entries;
  }

  /** The most that a day or month (`2026-11-21`, `2026-11`) may have cost at an origin. */
  spentAt(origin: string, period: string): number {
    const isOf = ({ request, outcome }: LedgerEntry): boolean =>
      outcome !== 'free' &&
      (request === null || (request.origin === origin && request.day.startsWith(period)));
    return this.entries.filter(isOf).reduce((sum, { credits }) => sum + credits, 0);
  }

  /** Whether the open file is still the one that others append to: at its path, not cut short, without a second name. */
  isInPlace(): boolean {
    const { dev, ino, nlink, size } = fstatSync(this.#fd);
    const atPath = ignoreErrors(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'], () => lstatSync(this.path));
    return nlink === 1 && size >= this.#offset && atPath?.dev === dev && atPath.ino === ino;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #add(text: string): void {
    const line = parseLine(text);
    if (line === 'newer')
      throw usage(`a newer chanlist wrote ${this.path}`, 'it is not changed; update chanlist');
    this.lastTime = Math.max(this.lastTime, Date.parse(line?.time ?? '') || 0);
    if (line === null) this.#entries.push(unreadable);
    else if (line.kind === 'request') {
      const entry: LedgerEntry = { request: line, credits: line.credits, outcome: 'possibly_charged' };
      this.#entries.push(entry);
      this.#pending.set(line.id, entry);
    } else {
      const entry = this.#pending.get(line.id);
      if (entry !== undefined) entry.outcome = line.outcome;
      this.#pending.delete(line.id);
    }
  }
}
