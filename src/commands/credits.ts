import { ledgerPath } from '../accounts/ledger-file.ts';
import { readMonth } from '../accounts/ledger-report.ts';
import { localDay, monthOf } from '../accounts/local-time.ts';
import type { Example } from '../cli/command.ts';
import type { OutputOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Stderr } from '../output/stderr.ts';
import { printRecords } from '../run/print-records.ts';
import { count } from '../text/count.ts';

export const about = [
  'Prints what each account spent today and this month, confirmed and possibly charged, from the credit ledger, ' +
    'in which chanlist notes each paid request of this user on this machine. Sends nothing.',
];

export const examples: readonly Example[] = [
  ['report this month', 'chanlist credits'],
  ['report another month per day, for a script', 'chanlist credits --month 2026-01 --by day --json'],
];

interface CreditsOptions extends OutputOptions {
  /** `2026-11`; null: this month. */
  readonly month: string | null;
  readonly by: 'day' | 'command' | 'reference' | null;
}

/** Prints what was spent in a month, per account, or per account and part (docs/cron.md, "Credit bounds"). Offline. */
export async function run(options: CreditsOptions, context: Context, stderr: Stderr): Promise<number> {
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
}
