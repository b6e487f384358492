import type { Env } from '../context.ts';
import { type Credits, noCredits, spent } from '../service/budget.ts';
import { LedgerFile } from './ledger-file.ts';
import { LedgerEntries } from './ledger-lines.ts';
import { monthOf } from './local-time.ts';

/** What an account spent in a month, or in a part of it: on a day, with a command or for a reference. */
export interface Spending {
  /** Origin and last four characters of the key; null: lines that cannot be read. */
  readonly account: string | null;
  /** Null: not broken down, or unknown. */
  readonly part: string | null;
  readonly today: Credits;
  readonly total: Credits;
}

/**
 * What each account spent in a month (`2026-11`), broken down if `by` is not null: days in order, commands and
 * references with the most expensive first. Null if there is no ledger of the month. `today`: the local day. Throws as
 * `LedgerFile`.
 */
export function readMonth(
  month: string,
  today: string,
  by: 'day' | 'command' | 'reference' | null,
  env: Env,
): readonly Spending[] | null {
  using file = LedgerFile.openForReading(month, env);
  if (file === null) return null;
  const entries = new LedgerEntries();
  entries.add(file.newLines());
  if (file.isCutShort) entries.add(['unreadable']);
  const all = new Map<string, Spending>();
  for (const { request, day, credits, outcome } of entries.all) {
    const knownDay = day ?? (monthOf(today) === month ? today : null);
    const part = by === 'day' ? knownDay : ((by && request?.[by]) ?? null);
    const id = JSON.stringify([request?.origin, request?.key, part]);
    const account = request && `${request.origin} …${request.last_four}`;
    const spending = all.get(id) ?? { account, part, today: noCredits(), total: noCredits() };
    all.set(id, spending);
    if (outcome === 'free') continue;
    spending.total[outcome] += credits;
    if (knownDay === today) spending.today[outcome] += credits;
  }
  const shown = [...all.values()].filter(({ total }) => by === null || spent(total) > 0);
  return shown.sort(
    (a, b) =>
      compare(a.account ?? '~', b.account ?? '~') ||
      (by === 'day' ? 0 : spent(b.total) - spent(a.total)) ||
      compare(a.part ?? '', b.part ?? ''),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
