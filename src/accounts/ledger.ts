import { createHash, randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { budgetSpent, type CreditBound, type Ledger, type Settle } from '../service/budget.ts';
import { lastFour } from './key.ts';
import { LedgerFile, ledgerFolder } from './ledger-file.ts';
import { localDay, monthOf, resetTime } from './local-time.ts';
import { openOwnFolder } from './store.ts';

export interface LedgerOptions {
  readonly context: Pick<Context, 'env' | 'clock' | 'stop'>;
  readonly account: { readonly origin: string; readonly key: string };
  readonly command: string;
  readonly bounds: readonly CreditBound[];
  /** Seconds to wait for other processes. */
  readonly timeout: number;
  warn(message: string): void;
}

const isAboutLedger = (error: unknown): error is Failure =>
  error instanceof Failure && error.code !== 'budget' && error.code !== 'interrupted';

const neverAborted = new AbortController().signal;

/**
 * The credit ledger of an account (docs/cron.md, "Credit bounds"). With a bound per day or month, each request locks and reads
 * the ledger, and fails if it cannot be used. Without such a bound requests do not lock it, and an error is only a warning.
 */
export class CreditLedger implements Ledger {
  readonly #options: LedgerOptions;
  /** Identifies the key of the account in the ledger, which does not contain the key. */
  readonly #keyDigest: string;
  /** True if there is a bound per day or month, which needs the ledger. */
  readonly #hasBounds: boolean;
  /** Null if the folder cannot be used. */
  readonly #folder: PrivateFolder | null = null;
  /** The file of the current month. That of an earlier month stays open: pending requests record their outcomes in it. */
  #file: LedgerFile | null = null;

  constructor(options: LedgerOptions) {
    const { env, clock } = options.context;
    const { origin, key } = options.account;
    this.#options = options;
    this.#keyDigest = createHash('sha256')
      .update(`chanlist ledger\n${origin}\n${key}`)
      .digest('hex')
      .slice(0, 16);
    this.#hasBounds = options.bounds.some(({ per }) => per !== 'run');
    try {
      this.#folder = openOwnFolder(ledgerFolder(env), 'XDG_STATE_HOME');
      this.#fileAt(clock.now(), this.#folder).refresh();
    } catch (error) {
      this.#failBefore(error);
    }
  }

  async assertAllowed(credits: number): Promise<void> {
    await this.#runWithinBounds(credits, () => null);
  }

  async addRequest(credits: number, reference: string | null): Promise<Settle> {
    const settle = await this.#runWithinBounds(credits, (file, now) =>
      this.#append(file, now, credits, reference),
    );
    return settle ?? (async () => {});
  }

  /** Runs `work` on this month's ledger if the bounds allow `credits`, else throws `budget`; null if the ledger is unusable. */
  async #runWithinBounds<T>(credits: number, work: (file: LedgerFile, now: number) => T): Promise<T | null> {
    if (this.#folder === null) return null;
    const { context, account, bounds } = this.#options;
    try {
      using _lock = await this.#lock(this.#folder, context.stop);
      const now = context.clock.now();
      const file = this.#fileAt(now, this.#folder);
      if (this.#hasBounds) file.refresh();
      // The month is checked first: if both bounds are spent, its reset is the one to wait for.
      for (const per of ['month', 'day'] as const)
        for (const bound of bounds.filter((bound) => bound.per === per))
          if (file.spentAt(account.origin, per, localDay(now)) + credits > bound.credits)
            throw budgetSpent(bound, resetTime(per, now));
      return work(file, now);
    } catch (error) {
      this.#failBefore(error);
      return null;
    }
  }

  #fileAt(now: number, folder: PrivateFolder): LedgerFile {
    const month = monthOf(localDay(now));
    if (this.#file?.month !== month) this.#file = LedgerFile.open(month, folder);
    return this.#file;
  }

  /** Appends a request; returns a function that appends its outcome. Without an outcome it counts as possibly charged. */
  #append(file: LedgerFile, now: number, credits: number, reference: string | null): Settle {
    const { command, account } = this.#options;
    const id = randomUUID();
    file.append({
      kind: 'request',
      id,
      time: new Date(now).toISOString(),
      day: localDay(now),
      origin: account.origin,
      key: this.#keyDigest,
      last_four: lastFour(account.key),
      command,
      reference,
      credits,
    });
    // A power cut must not lose the line: the next run could then spend more than the bound.
    if (this.#hasBounds) file.sync();
    return async (outcome) => {
      try {
        // Not every file system appends atomically, hence the lock. An outcome is recorded despite a signal or a busy lock.
        using _lock = await this.#lock(file.folder, neverAborted).catch(() => null);
        file.append({ kind: 'outcome', id, outcome });
      } catch (error) {
        this.#warnOf(error);
      }
    };
  }

  /** Locks the ledgers of all months if a bound needs them; waits up to `timeout`, or until `signal` is aborted. */
  async #lock(folder: PrivateFolder, signal: AbortSignal): Promise<Disposable | null> {
    if (!this.#hasBounds) return null;
    const { context, timeout } = this.#options;
    const { clock } = context;
    const end = clock.elapsed() + timeout * 1000;
    for (let wait = 4; ; wait = Math.min(2 * wait, 100)) {
      try {
        const lock = await acquireLock(folder, 'credits', folder.path);
        if (lock !== null) return lock;
        throw new Failure('failed', `${folder.path}: its file system cannot lock files`, {
          step: 'set XDG_STATE_HOME to a folder on another one',
        });
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'locked')) throw error;
        const message = `another process has locked ${folder.path} for more than ${timeout} s`;
        if (clock.elapsed() >= end) throw new Failure('failed', message);
        await clock.sleep(wait * (0.5 + clock.random()), signal);
      }
    }
  }

  /** Handles an error of the ledger before a request: throws it if a bound needs the ledger, otherwise warns. */
  #failBefore(error: unknown): void {
    if (this.#hasBounds && isAboutLedger(error))
      throw error.with({
        message: `the credit ledger, which --max-credits needs, cannot be used: ${error.message}`,
      });
    this.#warnOf(error);
  }

  /** Warns that credits are not recorded. Rethrows an error that is not about the ledger. */
  #warnOf(error: unknown): void {
    if (!isAboutLedger(error)) throw error;
    this.#options.warn(`the credit ledger is not complete: ${error.line()}`);
  }
}
