import { createHash, randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import {
  type Charge,
  type CreditBound,
  type Credits,
  type Ledger,
  noCredits,
  type Settle,
  type SpentBound,
  spent,
} from '../service/budget.ts';
import { lastFour } from './key.ts';
import { LedgerFile } from './ledger-file.ts';
import { LedgerSums, ledgerVersion, type RequestLine } from './ledger-lines.ts';
import { localDay, monthOf, resetTime } from './local-time.ts';

export interface LedgerOptions {
  readonly context: Pick<Context, 'env' | 'clock'>;
  /** A key, and the origin of the service that it belongs to. */
  readonly account: { readonly origin: string; readonly key: string };
  /** The command as `credits --by command` shows it. */
  readonly command: string;
  /** The bounds of the run; those per day and per month are enforced here. */
  readonly bounds: readonly CreditBound[];
  warn(message: string): void;
}

/** The ledger of one month, and what was spent at the origin: in the month (`2026-11`), and on each day. */
interface OpenMonth {
  readonly month: string;
  readonly file: LedgerFile;
  readonly sums: LedgerSums;
  readonly spentIn: Map<string | null, Credits>;
}

/**
 * The credit ledger (docs/cron.md, "Credit bounds"): every paid request of the account is noted in it before it is sent.
 *
 * A ledger that a newer chanlist wrote is a usage error (2), thrown at the start or by `reserve`. One that cannot be used
 * for another reason is `failed` (1) with a bound per day or month; without one it is one warning.
 *
 * No lock is needed: a line is appended by a single `write`, and the order of the lines decides. A request fits if it and
 * all requests before it that are not known to be free fit; one that does not is noted as free.
 */
export class FileLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #bounds: readonly (CreditBound & { per: 'day' | 'month' })[];
  /** The fields that all requests of the run share. */
  readonly #account: Pick<RequestLine, 'origin' | 'key' | 'last_four'>;
  readonly #idPrefix = randomBytes(9).toString('base64url');
  #count = 0;
  #month: OpenMonth | null = null;
  #warned = false;

  constructor(options: LedgerOptions) {
    const { bounds, context, account, warn } = options;
    this.#options = options;
    // The month first: if both are spent, its reset is the one to wait for.
    this.#bounds = (['month', 'day'] as const).flatMap((per) =>
      bounds.filter((bound) => bound.per === per).map(({ credits }) => ({ credits, per })),
    );
    const { origin, key } = account;
    const digest = createHash('sha256').update(`chanlist ledger\n${origin}\n${key}`).digest('hex');
    this.#account = { origin, key: digest.slice(0, 16), last_four: lastFour(key) };
    try {
      const { file } = this.#open(localDay(context.clock.now()));
      const folder = dirname(file.path);
      if (file.isFirst && this.#bounds.length > 0)
        warn(
          `there is no credit ledger yet: counting starts at 0; keep the folder ${folder} for --max-credits`,
        );
    } catch (error) {
      this.#cannotUse(error);
    }
  }

  reserve(credits: number, reference: string | null): Settle | SpentBound {
    try {
      return this.#reserve(credits, reference);
    } catch (error) {
      this.#cannotUse(error);
      return () => {};
    }
  }

  #reserve(credits: number, reference: string | null): Settle | SpentBound {
    const now = this.#options.context.clock.now();
    const day = localDay(now);
    const month = this.#open(day);
    const { file, sums } = month;
    // If all is spent already, nothing needs to be noted; what others have appended since may free some.
    if (this.#exceededBound(month, credits, now) !== null) {
      for (const line of file.newLines()) sums.add(line);
      const exceeded = this.#exceededBound(month, credits, now);
      if (exceeded !== null) return exceeded;
    }
    const id = `${this.#idPrefix}.${++this.#count}`;
    const time = new Date(now).toISOString();
    const { command } = this.#options;
    const request = { id, time, day, ...this.#account, command, reference, credits };
    file.append({ version: ledgerVersion, kind: 'request', ...request });
    const settle: Settle = (charge) => this.#settle(file, id, charge);
    if (this.#bounds.length === 0) return settle;
    /** Null: the request is not in the file. */
    let result: Settle | SpentBound | null = null;
    for (const line of file.newLines()) {
      sums.add(line);
      if (line !== 'unreadable' && line.kind === 'request' && line.id === id)
        result = this.#exceededBound(month, 0, now) ?? settle;
    }
    if (!file.isInPlace()) result = null;
    if (result !== settle) settle('none');
    if (result !== null) return result;
    throw new Failure('failed', `${file.path} was removed, replaced or cut short during the run`, {
      hint: 'do not change it while chanlist runs; run the same command again',
    });
  }

  /** Notes an outcome. If that fails, the request counts as possibly charged: nothing is lost. */
  #settle(file: LedgerFile, id: string, charge: Charge): void {
    const time = new Date(this.#options.context.clock.now()).toISOString();
    const outcome = charge === 'none' ? 'free' : charge;
    try {
      file.append({ version: ledgerVersion, kind: 'outcome', id, time, outcome });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#warnOnce(error);
    }
  }

  /** The ledger of the month that a day is in. One that was replaced is opened again, if there are no bounds. */
  #open(day: string): OpenMonth {
    const month = monthOf(day);
    const open = this.#month;
    if (open?.month === month && (this.#bounds.length > 0 || open.file.isInPlace())) return open;
    // The file of before stays open: pending requests note their outcome there.
    const file = LedgerFile.open(month, this.#options.context.env);
    const spentIn = new Map<string | null, Credits>();
    const sums = new LedgerSums((day, request) => {
      if (request !== null && request.origin !== this.#account.origin) return [];
      return [month, day].map((period) => {
        const sum = spentIn.get(period) ?? noCredits();
        spentIn.set(period, sum);
        return sum;
      });
    });
    try {
      // Without bounds nothing is counted.
      if (this.#bounds.length === 0) file.skipMost();
      for (const line of file.newLines()) sums.add(line);
    } catch (error) {
      file.close();
      throw error;
    }
    this.#month = { month, file, sums, spentIn };
    return this.#month;
  }

  /** The first bound that `credits` more would exceed; null if there is none. */
  #exceededBound({ month, sums, spentIn }: OpenMonth, credits: number, now: number): SpentBound | null {
    const exceeded = this.#bounds.find((bound) => {
      const sum = spentIn.get(bound.per === 'day' ? localDay(now) : month) ?? noCredits();
      return spent(sum) + sums.unplaced + credits > bound.credits;
    });
    return exceeded === undefined ? null : { ...exceeded, resets: resetTime(exceeded.per, now) };
  }

  /** The ledger cannot be used: throws if it is newer or a bound needs it, else warns once. */
  #cannotUse(error: unknown): void {
    if (!(error instanceof Failure)) throw error;
    const isNewer = error.code === 'usage';
    const needed = isNewer ? '' : ', which --max-credits needs,';
    if (this.#bounds.length === 0 && !isNewer) this.#warnOnce(error);
    else throw error.with({ message: `the credit ledger${needed} cannot be used: ${error.message}` });
  }

  #warnOnce(problem: Failure): void {
    const what = 'some requests of this run could not be recorded in the credit ledger';
    if (!this.#warned) this.#options.warn(`${what}: ${problem.line()}`);
    this.#warned = true;
  }
}
