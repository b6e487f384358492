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

/**
 * Opens the credit ledger (docs/cron.md, "Credit bounds"). With a bound per day or month, each request locks and reads it,
 * and one that cannot be used is a failure. Without such a bound there is no lock, and one warning.
 */
export function openLedger({ context, account, command, bounds, timeout, warn }: LedgerOptions): Ledger {
  const { env, clock, stop } = context;
  const { origin, key } = account;
  const hasBounds = bounds.some(({ per }) => per !== 'run');
  const digest = createHash('sha256').update(`chanlist ledger\n${origin}\n${key}`).digest('hex');
  const payer = { origin, key: digest.slice(0, 16), last_four: lastFour(key), command };
  let file: LedgerFile | null = null;

  /** Warns that credits are not noted. Throws errors that are not about the ledger. */
  const warnOf = (error: unknown): void => {
    if (!isAboutLedger(error)) throw error;
    warn(`the credit ledger is not complete: ${error.line()}`);
  };

  /** Before a request: throws if a bound needs the ledger, else warns. */
  const failBefore = (error: unknown): void => {
    if (hasBounds && isAboutLedger(error))
      throw error.with({
        message: `the credit ledger, which --max-credits needs, cannot be used: ${error.message}`,
      });
    warnOf(error);
  };

  /** The ledger of the month of a time. An earlier month's file stays open for outcomes of pending requests. */
  const fileOf = (folder: PrivateFolder, now: number): LedgerFile => {
    const month = monthOf(localDay(now));
    if (file?.month !== month) file = LedgerFile.open(month, folder);
    return file;
  };

  /** Locks the ledgers of all months; waits for other processes. */
  const lockIn = async (folder: PrivateFolder): Promise<Disposable> => {
    const end = clock.elapsed() + timeout * 1000;
    for (let wait = 4; ; wait = Math.min(2 * wait, 100)) {
      try {
        const lock = await acquireLock(folder, 'credits', folder.path);
        if (lock !== null) return lock;
        throw new Failure('failed', `${folder.path}: its file system cannot lock files`, {
          next: 'set XDG_STATE_HOME to a folder on another one',
        });
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'locked')) throw error;
        const message = `another process has locked ${folder.path} for more than ${timeout} s`;
        if (clock.elapsed() >= end) throw new Failure('failed', message);
        await clock.sleep(wait * (0.5 + clock.random()), stop);
      }
    }
  };

  /** Notes a request; returns a function that notes its outcome. Without an outcome it counts as possibly charged. */
  const noteRequest = (
    ledger: LedgerFile,
    now: number,
    credits: number,
    reference: string | null,
  ): Settle => {
    const id = randomUUID();
    const time = new Date(now).toISOString();
    ledger.append({ kind: 'request', id, time, day: localDay(now), ...payer, reference, credits });
    return (outcome) => {
      try {
        ledger.append({ kind: 'outcome', id, outcome });
      } catch (error) {
        warnOf(error);
      }
    };
  };

  let folder: PrivateFolder | null = null;
  try {
    folder = openOwnFolder(ledgerFolder(env), 'XDG_STATE_HOME');
    fileOf(folder, clock.now()).refresh();
  } catch (error) {
    failBefore(error);
  }
  /** Does `work` with the ledger of this month if the bounds allow the credits, and locks it if there are any. Null: it cannot be used. */
  const ifAllowed = async <T>(
    credits: number,
    work: (ledger: LedgerFile, now: number) => T,
  ): Promise<T | null> => {
    if (folder === null) return null;
    try {
      using _lock = hasBounds ? await lockIn(folder) : null;
      const now = clock.now();
      const ledger = fileOf(folder, now);
      if (hasBounds) ledger.refresh();
      // The month first: if both are spent, its reset is the one to wait for.
      for (const per of ['month', 'day'] as const)
        for (const bound of bounds.filter((bound) => bound.per === per))
          if (ledger.spentAt(origin, per, localDay(now)) + credits > bound.credits)
            throw budgetSpent(bound, resetTime(per, now));
      return work(ledger, now);
    } catch (error) {
      failBefore(error);
      return null;
    }
  };
  return {
    assertAllowed: async (credits) => {
      await ifAllowed(credits, () => null);
    },
    note: async (credits, reference) => {
      const note = (ledger: LedgerFile, now: number): Settle => noteRequest(ledger, now, credits, reference);
      return (await ifAllowed(credits, note)) ?? (() => {});
    },
  };
}
