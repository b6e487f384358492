import { closeSync, fstatSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { syncIfPossible, withFileErrors } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';
import { type Infer, isCount, isOneOf, isString, objectOf, orNull, parseObject } from '../json/shape.ts';
import type { Charge } from '../service/budget.ts';
import { thousands } from '../text/count.ts';
import { homeFolder } from './store.ts';

export function ledgerFolder(env: Env, platform = process.platform): string {
  const { isAbsolute, resolve } = platform === 'win32' ? path.win32 : path.posix;
  const { XDG_STATE_HOME = '', LOCALAPPDATA = 'AppData/Local' } = env;
  const usual = platform === 'win32' ? LOCALAPPDATA : '.local/state';
  return resolve(homeFolder(env, platform), isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : usual, 'chanlist');
}

const fileName = (month: string): string => `credits-${month}.ndjson`;

const isDay = (value: unknown): value is string => isString(value) && /^\d{4}-\d\d-\d\d$/.test(value);

/** A paid request. `time` is ISO 8601 in UTC, `day` the local date; `origin` and `key` (a digest) identify the account. */
const isRequestLine = objectOf({
  version: isOneOf(1),
  kind: isOneOf('request'),
  id: isString,
  time: isString,
  day: isDay,
  origin: isString,
  key: isString,
  last_four: isString,
  command: isString,
  reference: orNull(isString),
  credits: isCount,
});
type RequestLine = Infer<typeof isRequestLine>;

const isOutcomeLine = objectOf({
  version: isOneOf(1),
  kind: isOneOf('outcome'),
  id: isString,
  outcome: isOneOf('confirmed', 'free', 'possibly_charged'),
});
type OutcomeLine = Infer<typeof isOutcomeLine>;

export interface LedgerEntry {
  /** Null if the line of the request cannot be read: it counts as one credit, on any day and at any origin. */
  readonly request: RequestLine | null;
  readonly outcome: Charge;
}

const unknownRequest: LedgerEntry = { request: null, outcome: 'possibly_charged' };

const lineStart = '{"version":1,"kind":"';

/** Whether an unreadable line looks truncated: its process was killed while it wrote the line, or the disk was full. */
const isCutOff = (text: string): boolean =>
  lineStart.startsWith(text) || (text.startsWith(lineStart) && !text.includes('\0'));

/** Maximum number of damaged lines that a message lists. */
const maxNamedLines = 20;

/** The open ledger of one month (`2026-11`). Methods throw `failed` if it cannot be used. */
export class LedgerFile {
  readonly month: string;
  readonly path: string;
  readonly folder: PrivateFolder;
  readonly #fd: number;
  readonly #inode: number;
  /** Entries by request ID; an entry that cannot be read, by its line number. */
  readonly #entries = new Map<string | number, LedgerEntry>();
  #byteSize = 0;
  /** Number of complete lines read so far, and the file offset after them. */
  #lines = 0;
  #offset = 0;
  /** The text after the last complete line. */
  #incompleteLine = '';
  /** Numbers of the unreadable lines, without those that were truncated while they were written. */
  readonly #damagedLines: number[] = [];

  private constructor(month: string, folder: PrivateFolder, fd: number) {
    this.month = month;
    this.path = folder.at(fileName(month));
    this.folder = folder;
    this.#fd = fd;
    this.#inode = fstatSync(fd).ino;
  }

  /** Creates the file (0600) if needed. */
  static open(month: string, folder: PrivateFolder): LedgerFile {
    return new LedgerFile(month, folder, folder.openAppend(fileName(month)));
  }

  /** Opens and reads the ledger, even a damaged one; null if there is none. */
  static openRead(month: string, env: Env): LedgerFile | null {
    const folder = PrivateFolder.open(ledgerFolder(env));
    const fd = folder.openRead(fileName(month));
    if (fd === null) return null;
    const file = new LedgerFile(month, folder, fd);
    file.#readLines();
    return file;
  }

  append(line: Omit<RequestLine, 'version'> | Omit<OutcomeLine, 'version'>): void {
    // The leading line end terminates a line that a crash truncated.
    const text = Buffer.from(`\n${JSON.stringify({ version: 1, ...line })}\n`);
    const written = withFileErrors(this.path, 'failure', () => {
      this.#verifiedSize();
      return writeSync(this.#fd, text);
    });
    this.#byteSize += written;
    if (written === text.length) return;
    throw new Failure('failed', `${this.path}: only part of a line was written`, { step: 'free some space' });
  }

  /** Waits until the lines are on the disk. */
  sync(): void {
    withFileErrors(this.path, 'failure', () => syncIfPossible(this.#fd));
  }

  /** Reads lines added since the last read. Throws `failed` if one is unreadable, or if the file was replaced or truncated. */
  refresh(): void {
    this.#readLines();
    if (this.damage !== null) throw this.damage;
  }

  /** The failure that names the unreadable lines; null if there are none, apart from truncated ones. */
  get damage(): Failure | null {
    const lines = isCutOff(this.#incompleteLine)
      ? this.#damagedLines
      : [...this.#damagedLines, this.#lines + 1];
    if (lines.length === 0) return null;
    const named = lines.slice(0, maxNamedLines);
    const others = lines.length > named.length ? ` and ${thousands(lines.length - named.length)} more` : '';
    const which = `${lines.length === 1 ? 'line' : 'lines'} ${named.join(', ')}${others}`;
    return new Failure('failed', `${this.path} is damaged: ${which} cannot be read`, {
      step: 'restore it from a backup, or delete what cannot be read (the credits noted there are then not counted)',
    });
  }

  /** Returns the size of the file in bytes. Throws `failed` if others have replaced, truncated or removed the file. */
  #verifiedSize(): number {
    const stats = statSync(this.path, { throwIfNoEntry: false });
    if (stats?.ino === this.#inode && stats.size >= this.#byteSize) return stats.size;
    throw new Failure('failed', `${this.path} was replaced, cut or removed during this run`, {
      step: 'find the program that did it: the next run counts only what is left',
    });
  }

  #readLines(): void {
    const bytes = withFileErrors(this.path, 'failure', () => {
      const size = this.#verifiedSize();
      this.#byteSize = size;
      const added = Buffer.allocUnsafe(size - this.#offset);
      return added.subarray(0, readSync(this.#fd, added, 0, added.length, this.#offset));
    });
    this.#offset += bytes.lastIndexOf('\n') + 1;
    const lines = bytes.toString().split('\n');
    this.#incompleteLine = lines.pop() ?? '';
    for (const [i, line] of lines.entries()) {
      this.#lines++;
      if (line === '' || this.#add(line)) continue;
      this.#entries.set(this.#lines, unknownRequest);
      // `append` writes a leading line end: a complete line is followed by an empty one, a truncated line is not.
      const wasLast = (lines[i + 1] ?? this.#incompleteLine) !== '';
      if (!wasLast || !isCutOff(line)) this.#damagedLines.push(this.#lines);
    }
  }

  get entries(): readonly LedgerEntry[] {
    return [...this.#entries.values(), ...(this.#incompleteLine === '' ? [] : [unknownRequest])];
  }

  /** Returns the maximum number of credits that may have been spent at an origin, in this month or on `today`. */
  spentAt(origin: string, per: 'day' | 'month', today: string): number {
    const counts = ({ request, outcome }: LedgerEntry): boolean =>
      outcome !== 'free' &&
      (request === null || (request.origin === origin && (per === 'month' || request.day === today)));
    return this.entries.filter(counts).reduce((sum, { request }) => sum + (request?.credits ?? 1), 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  /** Adds a line; returns false if it cannot be read. */
  #add(text: string): boolean {
    const line = parseObject(text);
    if (isRequestLine(line)) {
      if (!this.#entries.has(line.id)) this.#entries.set(line.id, { ...unknownRequest, request: line });
      return true;
    }
    if (!isOutcomeLine(line)) return false;
    const entry = this.#entries.get(line.id);
    if (entry !== undefined) this.#entries.set(line.id, { ...entry, outcome: line.outcome });
    else if (line.outcome !== 'free') this.#entries.set(this.#lines, unknownRequest);
    return true;
  }
}
