import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, writeSync } from 'node:fs';
import type { Context } from '../context.ts';
import { type Failure, systemCode } from '../errors.ts';
import type { Charge, CreditBound, Ledger, LedgerReservation, SpentBound } from '../service/budget.ts';
import { lastFour } from './key.ts';
import {
  hasLedger,
  LedgerProblem,
  ledgerFile,
  ledgerFolder,
  newerLedger,
  openLedgerFile,
  readLines,
  unreadableLedger,
} from './ledger-file.ts';
import {
  appendedText,
  ledgerVersion,
  OriginSums,
  type OutcomeLine,
  parseLine,
  type RequestLine,
} from './ledger-lines.ts';
import { localDay, monthOf, resetTime } from './local-time.ts';

/** An account: a key, and the origin of the service that it belongs to. */
export interface Account {
  readonly origin: string;
  readonly key: string;
}

export interface LedgerOptions {
  readonly context: Pick<Context, 'env' | 'clock'>;
  readonly account: Account;
  /** The command as `credits --by command` shows it. */
  readonly command: string;
  /** The bounds of the call; those per day and per month are enforced here. */
  readonly bounds: readonly CreditBound[];
  /** Prints a warning. */
  warn(message: string): void;
}

/**
 * Opens the ledger of paid requests (product contract, "Credits"). Every paid request of the account is reserved with it.
 *
 * A ledger that a newer chanlist wrote is a usage error (2), thrown here or by `reserve`. One that cannot be used for
 * another reason is `failed` (1) with a bound per day or month; without one it is one warning, and requests go unnoted.
 *
 * No lock is needed: a line is appended by a single `write`, and the order of the lines decides. A request fits if it and
 * all requests before it that are not known to be free fit; one that does not is noted as free.
 */
export function openLedger(options: LedgerOptions): Ledger {
  return new FileLedger(options);
}

/** A short digest that distinguishes the keys of an origin. */
function keyDigest({ origin, key }: Account): string {
  return createHash('sha256').update(`chanlist ledger\n${origin}\n${key}`).digest('hex').slice(0, 16);
}

class FileLedger implements Ledger {
  readonly #context: LedgerOptions['context'];
  readonly #bounds: readonly (CreditBound & { per: 'day' | 'month' })[];
  readonly #warn: LedgerOptions['warn'];
  /** The fields that all requests of the call share. */
  readonly #constant: Pick<RequestLine, 'origin' | 'key' | 'last_four' | 'command'>;
  readonly #idPrefix = randomBytes(9).toString('base64url');
  #count = 0;
  #month: MonthFile | null = null;
  #warned = false;

  constructor({ context, account, command, bounds, warn }: LedgerOptions) {
    this.#context = context;
    // The month first: if both are spent, that is when more can be bought.
    this.#bounds = (['month', 'day'] as const).flatMap((per) =>
      bounds.filter((bound) => bound.per === per).map(({ credits }) => ({ credits, per })),
    );
    this.#warn = warn;
    this.#constant = {
      origin: account.origin,
      key: keyDigest(account),
      last_four: lastFour(account.key),
      command,
    };
    this.#tolerate(() => {
      const folder = ledgerFolder(context.env);
      const first = folder !== null && this.#bounds.length > 0 && !hasLedger(folder);
      this.#open(localDay(context.clock.now()));
      if (first)
        warn(
          `there is no ledger of credits yet: counting starts at 0; keep the folder ${folder} for --max-credits`,
        );
    });
  }

  reserve(credits: number, reference: string | null): LedgerReservation {
    const now = this.#context.clock.now();
    const day = localDay(now);
    const noted = this.#tolerate(() => {
      const file = this.#open(day);
      // What others append meanwhile is read below; if all is spent already, nothing needs to be noted.
      const before = this.#exceededBound(file.sums, credits, day, now);
      if (before !== null) {
        file.read();
        const still = this.#exceededBound(file.sums, credits, day, now);
        if (still !== null) return { spent: still };
      }
      const id = `${this.#idPrefix}.${++this.#count}`;
      const time = new Date(now).toISOString();
      const { origin, key, last_four, command } = this.#constant;
      file.append({
        version: ledgerVersion,
        kind: 'request',
        id,
        time,
        day,
        origin,
        key,
        last_four,
        command,
        reference,
        credits,
      });
      if (this.#bounds.length > 0) {
        let isThere = false;
        let spent: SpentBound | null = null;
        file.read((line) => {
          if (line.id !== id) return;
          isThere = true;
          spent = this.#exceededBound(file.sums, 0, day, now);
        });
        if (!isThere || spent !== null) this.#settle(file, id, 'none');
        if (!isThere) throw file.changed();
        if (spent !== null) return { spent };
      }
      return { spent: null, settle: (charge: Charge) => this.#settle(file, id, charge) };
    });
    return noted ?? { spent: null, settle: () => {} };
  }

  /** Notes an outcome. If that fails, the request counts as possibly charged: nothing is lost. */
  #settle(file: MonthFile, id: string, charge: Charge): void {
    const time = new Date(this.#context.clock.now()).toISOString();
    const outcome = charge === 'none' ? 'free' : charge;
    try {
      file.append({ version: ledgerVersion, kind: 'outcome', id, time, outcome });
    } catch (error) {
      if (!(error instanceof LedgerProblem)) throw error;
      this.#warnOnce(error);
    }
  }

  /** The ledger of the month that a day is in. */
  #open(day: string): MonthFile {
    const month = monthOf(day);
    if (this.#month?.month === month) return this.#month;
    const { env } = this.#context;
    const folder = ledgerFolder(env);
    if (folder === null)
      throw new LedgerProblem('failed', 'no home folder is known', {
        hint: 'set XDG_STATE_HOME to a folder of your own',
      });
    const fd = openLedgerFile(folder, month, env);
    // The file of the previous month stays open: pending requests note their outcome there.
    const file = new MonthFile(month, fd, ledgerFile(folder, month), this.#constant.origin);
    try {
      if (this.#bounds.length > 0) file.read();
      else file.checkVersion();
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#month = file;
    return file;
  }

  /** The first bound that `credits` more would exceed; null if there is none. */
  #exceededBound(sums: OriginSums, credits: number, day: string, now: number): SpentBound | null {
    for (const bound of this.#bounds) {
      const spent = bound.per === 'day' ? sums.spent(day) : sums.spent();
      if (spent + credits > bound.credits) return { ...bound, resets: resetTime(bound.per, now) };
    }
    return null;
  }

  /** Runs `work`. If the ledger cannot be used, throws if it is newer or a bound needs it, else warns once. */
  #tolerate<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof LedgerProblem)) throw error;
      if (this.#bounds.length > 0 || error.code === 'usage') throw ledgerFailure(error);
      this.#warnOnce(error);
      return null;
    }
  }

  #warnOnce({ message, hint }: LedgerProblem): void {
    if (!this.#warned) this.#warn(`the ledger of credits misses requests of this call: ${message}; ${hint}`);
    this.#warned = true;
  }
}

function ledgerFailure(problem: LedgerProblem): Failure {
  const needed = problem.code === 'usage' ? '' : ', which --max-credits needs,';
  return problem.with({ message: `the ledger of credits${needed} cannot be used: ${problem.message}` });
}

/** The ledger of one month, open for appending. */
class MonthFile {
  readonly month: string;
  readonly sums: OriginSums;
  readonly #fd: number;
  readonly #path: string;
  /** Bytes of the file that `sums` covers. */
  #offset = 0;

  constructor(month: string, fd: number, path: string, origin: string) {
    this.month = month;
    this.#fd = fd;
    this.#path = path;
    this.sums = new OriginSums(origin);
  }

  /** Appends a line, by a single `write`. Throws a `LedgerProblem`. */
  append(line: RequestLine | OutcomeLine): void {
    const text = Buffer.from(appendedText(line));
    let written: number;
    try {
      written = writeSync(this.#fd, text);
    } catch (error) {
      throw this.#notAppended(systemCode(error) ?? 'unknown error');
    }
    if (written < text.length) throw this.#notAppended('ENOSPC');
  }

  /** Adds what was appended since; `seen` is called after each request. Throws a `LedgerProblem`. */
  read(seen: (line: RequestLine) => void = () => {}): void {
    this.#guarded(() => {
      // Other processes would count in another file.
      if (fstatSync(this.#fd).nlink === 0) throw this.changed();
      this.#offset = readLines(this.#fd, this.#offset, (text) => {
        const line = parseLine(text);
        if (line === 'newer') throw newerLedger(this.#path);
        this.sums.add(line);
        if (line !== 'unreadable' && line.kind === 'request') seen(line);
      });
    });
  }

  /** The problem of a ledger that is not the file that was opened, or lacks what was appended to it. */
  changed(): LedgerProblem {
    return new LedgerProblem('failed', `${this.#path} was removed or cut short while it was in use`, {
      hint: 'leave it as it is while chanlist runs, then run the same command again',
    });
  }

  #notAppended(code: string): LedgerProblem {
    return new LedgerProblem('failed', `cannot append to ${this.#path} (${code})`, {
      hint: 'make room, or make it a file that you can write',
    });
  }

  /** Throws a `LedgerProblem` if the newest lines were written by a newer chanlist. */
  checkVersion(): void {
    this.#guarded(() => {
      const { size } = fstatSync(this.#fd);
      let first = size > lastBytes;
      readLines(this.#fd, Math.max(0, size - lastBytes), (text) => {
        if (!first && parseLine(text) === 'newer') throw newerLedger(this.#path);
        first = false;
      });
    });
  }

  #guarded(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (error instanceof LedgerProblem) throw error;
      throw unreadableLedger(this.#path, error);
    }
  }
}

/** Bytes at the end of a ledger that are searched for lines of a newer version. */
const lastBytes = 4096;
