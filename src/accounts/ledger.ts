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

/** The ledger of one month, and what was spent at the origin in it. */
interface OpenMonth {
  readonly file: LedgerFile;
  readonly sums: LedgerSums;
  readonly total: Credits;
  readonly days: Map<string | null, Credits>;
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
    this.#tolerate(() => {
      const { file } = this.#open(localDay(context.clock.now()));
      if (file.isFirst && this.#bounds.length > 0) {
        const folder = dirname(file.path);
        warn(
          `there is no credit ledger yet: counting starts at 0; keep the folder ${folder} for --max-credits`,
        );
      }
    });
  }

  reserve(credits: number, reference: string | null): Settle | SpentBound {
    return this.#tolerate(() => this.#reserve(credits, reference)) ?? (() => {});
  }

  #reserve(credits: number, reference: string | null): Settle | SpentBound {
    const now = this.#options.context.clock.now();
    const day = localDay(now);
    const month = this.#open(day);
    const { file, sums } = month;
    // If all is spent already, nothing needs to be noted; what others have appended since may free some.
    if (this.#exceededBound(month, credits, now) !== null) {
      file.readLines((line) => sums.add(line));
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
    let isThere = false;
    let exceeded: SpentBound | null = null;
    file.readLines((line) => {
      sums.add(line);
      if (line === 'unreadable' || line.kind !== 'request' || line.id !== id) return;
      isThere = true;
      exceeded = this.#exceededBound(month, 0, now);
    });
    isThere &&= file.isInPlace();
    if (!isThere || exceeded !== null) settle('none');
    if (!isThere)
      throw new Failure('failed', `${file.path} was removed, replaced or cut short during the run`, {
        hint: 'do not change it while chanlist runs; run the same command again',
      });
    return exceeded ?? settle;
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
    if (open?.file.month === month && (this.#bounds.length > 0 || open.file.isInPlace())) return open;
    // The file of before stays open: pending requests note their outcome there.
    const file = LedgerFile.open(month, this.#options.context.env);
    const total = noCredits();
    const days = new Map<string | null, Credits>();
    const sums = new LedgerSums((day, request) => {
      if (request !== null && request.origin !== this.#account.origin) return [];
      const ofDay = days.get(day) ?? noCredits();
      days.set(day, ofDay);
      return [total, ofDay];
    });
    try {
      if (this.#bounds.length > 0) file.readLines((line) => sums.add(line));
      else file.checkVersion();
    } catch (error) {
      file.close();
      throw error;
    }
    this.#month = { file, sums, total, days };
    return this.#month;
  }

  /** The first bound that `credits` more would exceed; null if there is none. */
  #exceededBound({ sums, total, days }: OpenMonth, credits: number, now: number): SpentBound | null {
    const today = days.get(localDay(now)) ?? noCredits();
    const exceeded = this.#bounds.find(
      (bound) => spent(bound.per === 'day' ? today : total) + sums.unplaced + credits > bound.credits,
    );
    return exceeded === undefined ? null : { ...exceeded, resets: resetTime(exceeded.per, now) };
  }

  /** Runs `work`. If the ledger cannot be used, throws if it is newer or a bound needs it, else warns once. */
  #tolerate<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const isNewer = error.code === 'usage';
      if (this.#bounds.length === 0 && !isNewer) {
        this.#warnOnce(error);
        return null;
      }
      const needed = isNewer ? '' : ', which --max-credits needs,';
      throw error.with({ message: `the credit ledger${needed} cannot be used: ${error.message}` });
    }
  }

  #warnOnce(problem: Failure): void {
    const what = 'some requests of this run could not be recorded in the credit ledger';
    if (!this.#warned) this.#options.warn(`${what}: ${problem.line()}`);
    this.#warned = true;
  }
}
