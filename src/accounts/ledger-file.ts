import { closeSync, fstatSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { guardFile } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';
import { isCount, isOneOf, isText, orNull, type Passing, parseObject, shape } from '../json/shape.ts';
import { homeFolder } from './store.ts';

export function ledgerFolder(env: Env, platform = process.platform): string {
  const { isAbsolute, resolve } = platform === 'win32' ? path.win32 : path.posix;
  const { XDG_STATE_HOME = '', LOCALAPPDATA = 'AppData/Local' } = env;
  const usual = platform === 'win32' ? LOCALAPPDATA : '.local/state';
  return resolve(homeFolder(env, platform), isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : usual, 'chanlist');
}

const fileName = (month: string): string => `credits-${month}.ndjson`;

const isDay = (value: unknown): value is string => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value);

/** A paid request. `time`: ISO 8601, UTC; `day`: the local one; `origin` and `key` (a digest): the account. */
const isRequest = shape({
  version: isOneOf(1),
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
type RequestLine = Passing<typeof isRequest>;

const isOutcome = shape({
  version: isOneOf(1),
  kind: isOneOf('outcome'),
  id: isText,
  outcome: isOneOf('confirmed', 'free', 'possibly_charged'),
});
type OutcomeLine = Passing<typeof isOutcome>;

/** A paid request, or a line that cannot be read, which may have been one of a credit on any day, at any origin. */
export interface LedgerEntry {
  readonly request: RequestLine | null;
  readonly credits: number;
  outcome: OutcomeLine['outcome'];
}

const unreadable: LedgerEntry = { request: null, credits: 1, outcome: 'possibly_charged' };

/** The ledger of one month (`2026-11`), open, and what has been read of it. Methods throw `failed` if it cannot be used. */
export class LedgerFile {
  readonly month: string;
  readonly path: string;
  readonly #fd: number;
  readonly #entries: LedgerEntry[] = [];
  readonly #pending = new Map<string, LedgerEntry>();
  #offset = 0;
  /** Bytes follow the last complete line. */
  #isCutShort = false;

  private constructor(month: string, folder: PrivateFolder, fd: number) {
    this.month = month;
    this.path = folder.at(fileName(month));
    this.#fd = fd;
  }

  /** For appending and reading; creates it (0600) if needed. */
  static open(month: string, folder: PrivateFolder): LedgerFile {
    return new LedgerFile(month, folder, folder.openAppend(fileName(month)));
  }

  /** Opens and reads the ledger; null if there is none. Throws as `PrivateFolder.open`. */
  static read(month: string, env: Env): LedgerFile | null {
    const folder = PrivateFolder.open(ledgerFolder(env));
    const fd = folder.openRead(fileName(month));
    if (fd === null) return null;
    const file = new LedgerFile(month, folder, fd);
    file.read();
    return file;
  }

  append(line: Omit<RequestLine, 'version'> | Omit<OutcomeLine, 'version'>): void {
    // The line end in front closes a line that a crash cut short.
    const text = Buffer.from(`\n${JSON.stringify({ version: 1, ...line })}\n`);
    const written = guardFile(this.path, 'write', () => writeSync(this.#fd, text));
    if (written === text.length) return;
    throw new Failure('failed', `${this.path}: a line was written only in part`, { next: 'free some space' });
  }

  read(): void {
    const text = guardFile(this.path, 'write', () => {
      const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(this.#fd).size - this.#offset));
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

  /** The most that this month, or its day `today`, may have cost at an origin. */
  spentAt(origin: string, per: 'day' | 'month', today: string): number {
    const counts = ({ request, outcome }: LedgerEntry): boolean =>
      outcome !== 'free' &&
      (request === null || (request.origin === origin && (per === 'month' || request.day === today)));
    return this.entries.filter(counts).reduce((sum, { credits }) => sum + credits, 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #add(text: string): void {
    const line = parseObject(text);
    if (isRequest(line)) {
      const entry: LedgerEntry = { request: line, credits: line.credits, outcome: 'possibly_charged' };
      this.#entries.push(entry);
      this.#pending.set(line.id, entry);
    } else if (isOutcome(line)) {
      const entry = this.#pending.get(line.id);
      if (entry !== undefined) entry.outcome = line.outcome;
      this.#pending.delete(line.id);
    } else this.#entries.push(unreadable);
  }
}
