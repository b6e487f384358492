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

/**
 * Opens the credit ledger (docs/cron.md, "Credit bounds"). With a bound per day or month, each request locks and reads it,
 * and one that cannot be used is a failure. Without such a bound there is no lock, and one warning.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { command, timeout } = options;
  const { env, clock, stop } = options.context;
  const { origin, key } = options.account;
  // The month first: if both are spent, its reset is the one to wait for.
  const bounds = (['month', 'day'] as const).flatMap((per) =>
    options.bounds.filter((bound) => bound.per === per).map((bound) => ({ ...bound, per })),
  );
  const digest = createHash('sha256').update(`chanlist ledger\n${origin}\n${key}`).digest('hex');
  const account = { origin, key: digest.slice(0, 16), last_four: lastFour(key) };
  let file: LedgerFile | null = null;

  /** A ledger that cannot be used: throws if a bound needs it before a request, else warns. Throws other errors. */
  const fail = (error: unknown, isSent = false): void => {
    if (!(error instanceof Failure) || error.code === 'budget' || error.code === 'interrupted') throw error;
    if (bounds.length > 0 && !isSent)
      throw error.with({
        message: `the credit ledger, which --max-credits needs, cannot be used: ${error.message}`,
      });
    options.warn(`the credit ledger is not complete: ${error.line()}`);
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

  /** The ledger of now. Throws `budget` if a bound has no room. The caller holds the lock if there are bounds. */
  const ledgerWithRoom = (folder: PrivateFolder, credits: number, now: number): LedgerFile => {
    const ledger = fileOf(folder, now);
    if (bounds.length > 0) ledger.read();
    for (const bound of bounds)
      if (ledger.spentAt(origin, bound.per, localDay(now)) + credits > bound.credits)
        throw budgetSpent(bound, resetTime(bound.per, now));
    return ledger;
  };

  const reserveIn = async (folder: PrivateFolder, credits: number, reference: string | null) => {
    using _lock = bounds.length > 0 ? await lockIn(folder) : null;
    const now = clock.now();
    const day = localDay(now);
    const ledger = ledgerWithRoom(folder, credits, now);
    const id = randomUUID();
    const time = new Date(now).toISOString();
    ledger.append({ kind: 'request', id, time, day, ...account, command, reference, credits });
    // An outcome that cannot be appended: the request counts as possibly charged.
    return (charge: Parameters<Settle>[0]): void => {
      try {
        ledger.append({ kind: 'outcome', id, outcome: charge === 'none' ? 'free' : charge });
      } catch (error) {
        fail(error, true);
      }
    };
  };

  let folder: PrivateFolder | null = null;
  try {
    folder = openOwnFolder(ledgerFolder(env), 'XDG_STATE_HOME');
    fileOf(folder, clock.now()).read();
  } catch (error) {
    fail(error);
  }
  return {
    reserve: async (credits, reference) => {
      try {
        if (folder !== null) return await reserveIn(folder, credits, reference);
      } catch (error) {
        fail(error);
      }
      return () => {};
    },
    assertRoom: async (credits) => {
      try {
        if (folder === null || bounds.length === 0) return;
        using _lock = await lockIn(folder);
        ledgerWithRoom(folder, credits, clock.now());
      } catch (error) {
        fail(error);
      }
    },
  };
}
