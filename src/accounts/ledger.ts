import { createHash, randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { budgetSpent, type CreditBound, type Ledger, type Settle } from '../service/budget.ts';
import { ledgerClockProblem } from './clock-problem.ts';
import { lastFour } from './key.ts';
import { LedgerFile, ledgerMonths, openLedgerFolder, type RequestLine } from './ledger-file.ts';
import { localDay, monthOf, resetTime } from './local-time.ts';

export interface LedgerOptions {
  readonly context: Pick<Context, 'env' | 'clock' | 'stop'>;
  readonly account: { readonly origin: string; readonly key: string };
  readonly command: string;
  /** The bounds of the run; those per day and per month are enforced here. */
  readonly bounds: readonly CreditBound[];
  /** Seconds to wait for other processes. */
  readonly timeout: number;
  warn(message: string): void;
}

/** Bytes at the end of a ledger whose lines show whether a newer chanlist wrote it. */
const lastBytes = 4096;

/**
 * The credit ledger (docs/cron.md, "Credit bounds"): every paid request of the account is noted in it before it is sent.
 *
 * With a bound per day or month, a process locks the ledger, adds up what is new in it, appends its request and releases
 * the lock: 0.7 ms of processor time per page. Outcomes need no lock, nor do requests without such a bound: a line is
 * appended by a single `write`.
 *
 * A ledger that a newer chanlist wrote is a usage error (2). One that cannot be used for another reason is `failed` (1)
 * with a bound per day or month, before the first request; without one it is one warning.
 */
export class FileLedger implements Ledger {
  readonly #options: LedgerOptions;
  readonly #bounds: readonly (CreditBound & { per: 'day' | 'month' })[];
  readonly #account: Pick<RequestLine, 'origin' | 'key' | 'last_four'>;
  /** With a bound per day or month: the folder that is locked. */
  #folder: PrivateFolder | null = null;
  #file: LedgerFile | null = null;
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
    const now = context.clock.now();
    const clockProblem = ledgerClockProblem(now, context.env);
    if (this.#bounds.length === 0) {
      if (clockProblem !== null) warn(clockProblem.line());
      return;
    }
    try {
      if (clockProblem !== null) throw clockProblem;
      this.#folder = openLedgerFolder(context.env);
      const keep = `keep the folder ${this.#folder.path} for --max-credits`;
      if (ledgerMonths(context.env).length === 0)
        warn(`there is no credit ledger yet: counting starts at 0; ${keep}`);
      this.#open(now);
    } catch (error) {
      throw asBoundFailure(error);
    }
  }

  async reserve(credits: number, reference: string | null): Promise<Settle> {
    try {
      using _lock = this.#folder && (await this.#lock(this.#folder));
      const now = this.#options.context.clock.now();
      const file = this.#open(now);
      if (this.#folder !== null) this.#assertWithinBounds(file, credits, now);
      return this.#append(file, credits, reference, now);
    } catch (error) {
      if (this.#folder !== null) throw asBoundFailure(error);
      this.#warnOnce(error);
      return () => {};
    }
  }

  /** Locks the ledgers of all months; waits while another process has locked them. Null: the file system has no locks. */
  async #lock(folder: PrivateFolder): Promise<Disposable | null> {
    const { context, timeout } = this.#options;
    const { clock, stop } = context;
    const end = clock.elapsed() + timeout * 1000;
    // An attempt costs about a millisecond of processor time.
    for (let wait = 4; ; wait = Math.min(2 * wait, 100)) {
      try {
        return await acquireLock(folder, 'credits', folder.path);
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'locked')) throw error;
        const message = `another process has locked ${folder.path} for more than ${timeout} s`;
        if (clock.elapsed() >= end) throw new Failure('failed', message);
        await clock.sleep(wait * (0.5 + clock.random()), stop);
      }
    }
  }

  /** Appends a request; returns what appends its outcome. If that fails, the request counts as possibly charged. */
  #append(file: LedgerFile, credits: number, reference: string | null, now: number): Settle {
    const { context, command } = this.#options;
    const id = randomUUID();
    const time = new Date(now).toISOString();
    const account = this.#account;
    file.append({ kind: 'request', id, time, day: localDay(now), ...account, command, reference, credits });
    return (charge) => {
      const time = new Date(context.clock.now()).toISOString();
      try {
        file.append({ kind: 'outcome', id, time, outcome: charge === 'none' ? 'free' : charge });
      } catch (error) {
        this.#warnOnce(error);
      }
    };
  }

  /** The ledger of the month that a time is in. That of an earlier month stays open for outcomes of pending requests. */
  #open(now: number): LedgerFile {
    const month = monthOf(localDay(now));
    if (this.#file?.month === month) return this.#file;
    const file = LedgerFile.open(month, this.#options.context.env);
    file.read(this.#bounds.length > 0 ? undefined : lastBytes);
    this.#file = file;
    return file;
  }

  /** Throws `budget` for the first bound that `credits` more would exceed, and `failed` if others replaced the ledger. */
  #assertWithinBounds(file: LedgerFile, credits: number, now: number): void {
    file.read();
    if (!file.isInPlace())
      throw new Failure('failed', `${file.path} was removed, replaced or cut short during the run`);
    for (const bound of this.#bounds) {
      const period = bound.per === 'month' ? file.month : localDay(now);
      if (file.spentAt(this.#account.origin, period) + credits > bound.credits)
        throw budgetSpent(bound, resetTime(bound.per, now));
    }
  }

  /** Makes failures of the ledger one warning; throws anything else. */
  #warnOnce(error: unknown): void {
    if (!(error instanceof Failure) || error.code !== 'failed') throw error;
    const what = 'some requests of this run could not be recorded in the credit ledger';
    if (!this.#warned) this.#options.warn(`${what}: ${error.line()}`);
    this.#warned = true;
  }
}

function asBoundFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'failed') return error;
  const message = `the credit ledger, which --max-credits needs, cannot be used: ${error.message}`;
  return error.with({ message });
}
