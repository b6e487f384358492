import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { shellQuote } from '../text/sanitize.ts';
import { LedgerFile, ledgerMonths, ledgerPath } from './ledger-file.ts';
import { day, localDay, localMinute, monthOf } from './local-time.ts';

/**
 * The failure of a clock that is behind, because a file was written more than a day after `now`; null if it was not.
 * `ifRight`: what to do if the clock is right now. Times are in milliseconds since 1970.
 */
export function clockProblem(now: number, written: number, file: string, ifRight: string): Failure | null {
  if (!(written - now > day)) return null;
  const times = `it shows ${localMinute(now)}, but ${file} was written on ${localMinute(written)}`;
  const hint = `set the clock; if it is right now, ${ifRight}`;
  return new Failure('failed', `the clock is behind: ${times}`, { hint });
}

/** The same from the credit ledgers of later months; null also if they cannot be read. */
export function ledgerClockProblem(now: number, env: Env): Failure | null {
  try {
    for (const month of ledgerMonths(env)) {
      if (month <= monthOf(localDay(now))) continue;
      const path = ledgerPath(month, env);
      const move = `mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}`;
      const ifRight = `move that file away (nothing of this month is in it): ${move}`;
      using file = LedgerFile.read(month, env);
      const problem = clockProblem(now, file?.lastTime ?? 0, path, ifRight);
      if (problem !== null) return problem;
    }
  } catch (error) {
    // Code that needs the ledger opens it, and reports why that fails.
    if (!(error instanceof Failure)) throw error;
  }
  return null;
}
