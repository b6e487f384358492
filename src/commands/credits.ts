import { LedgerFile, ledgerPath } from '../accounts/ledger-file.ts';
import { localDay, monthOf } from '../accounts/local-time.ts';
import type { Example, RunCommand } from '../cli/command.ts';
import type { OutputOptions } from '../cli/options.ts';
import type { Env } from '../context.ts';
import { printRecords } from '../run/print-records.ts';
import { type Credits, noCredits, spent } from '../service/budget.ts';
import { count } from '../text/count.ts';

export const about = [
  'Prints what each account spent today and this month, confirmed and possibly charged, from the credit ledger, ' +
    'in which chanlist notes each paid request of this user on this machine. Sends nothing.',
];

export const examples: readonly Example[] = [
  ['report this month', 'chanlist credits'],
  ['report another month per day, for a script', 'chanlist credits --month 2026-01 --by day --json'],
];

/**
 * Prints what was spent in a month (`2026-11`; null: this one), per account, or per account and part (docs/cron.md, "Credit
 * bounds"). Offline.
 */
export const run: RunCommand<
  OutputOptions & {
    readonly month: string | null;
    readonly by: 'day' | 'command' | 'reference' | null;
  }
> = async (options, context, stderr) => {
  const { by, format, color } = options;
  const { env } = context;
  const today = localDay(context.clock.now());
  const month = options.month ?? monthOf(today);
  const path = ledgerPath(month, env);
  const ledger = readMonth(month, today, by, env);
  const spendings = ledger ?? [];
  const missing = `there is no credit ledger for ${month}: ${path} does not exist`;
  if (ledger === null && options.month !== null) stderr.warn(missing);
  const unreadable = spendings.filter(({ account }) => account === null);
  const lines = unreadable.reduce((sum, { total }) => sum + total.possibly_charged, 0);
  if (lines > 0)
    stderr.warn(
      `${path}: ${count(lines, 'line', 'lines')} cannot be read; each counts as one possibly charged credit`,
    );
  const records = spendings.map(({ account, part, today: ofToday, total }): Record<string, unknown> => {
    if (by !== null) return { account, month, [by]: part, ...total };
    return { account, month, today: month === monthOf(today) ? ofToday : null, total };
  });
  const parts = by === null ? ['today', 'total'] : [by, 'confirmed', 'possibly_charged'];
  const fields = ['account', 'month', ...parts];
  await printRecords(records, { format, color, context, stderr, fields });
  stderr.note('the credit ledger knows only what this user spent on this machine');
  if (ledger === null && options.month === null) stderr.note(missing);
  return 0;
};

/** What an account spent in a month, or in a part of it: on a day, with a command or for a reference. */
interface Spending {
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
  using file = LedgerFile.read(month, env);
  if (file === null) return null;
  const all = new Map<string, Spending>();
  for (const { request, credits, outcome } of file.entries) {
    const part = (by && request?.[by]) ?? null;
    const id = JSON.stringify([request?.origin, request?.key, part]);
    const account = request && `${request.origin} …${request.last_four}`;
    const spending = all.get(id) ?? { account, part, today: noCredits(), total: noCredits() };
    all.set(id, spending);
    if (outcome === 'free') continue;
    spending.total[outcome] += credits;
    if ((request?.day ?? today) === today) spending.today[outcome] += credits;
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
