import { ledgerPath } from '../accounts/ledger-file.ts';
import { readMonth } from '../accounts/ledger-report.ts';
import { localDay, monthOf } from '../accounts/local-time.ts';
import type { OutputOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Example } from '../help/document.ts';
import { printRecords } from '../output/print-records.ts';
import { Stderr } from '../output/stderr.ts';
import type { Credits } from '../service/budget.ts';
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
export async function run(options: CreditsOptions, context: Context): Promise<number> {
  const { by, format, color } = options;
  const { env } = context;
  const stderr = new Stderr(context, options);
  const printing = { format, color, context, stderr };
  const today = localDay(context.clock.now());
  const month = options.month ?? monthOf(today);
  const path = ledgerPath(month, env);
  const found = readMonth(month, today, by, env);
  if (found === null) stderr.warn(`there is no credit ledger for ${month}: ${path} does not exist`);
  const unreadable = (found ?? []).filter(({ account }) => account === null);
  const lines = unreadable.reduce((sum, { total }) => sum + total.possibly_charged, 0);
  if (lines > 0)
    stderr.warn(
      `${path}: ${count(lines, 'line', 'lines')} cannot be read; each counts as one possibly charged credit`,
    );
  if (by === null) {
    const isCurrent = month === monthOf(today);
    const records = (found ?? []).map(({ account, today: ofToday, total }) => {
      return { account, month, today: isCurrent ? ofToday : null, total };
    });
    await printRecords(records, {
      ...printing,
      fields: ['account', 'month', 'today', 'total'],
      columns: {
        account: ({ account }) => account ?? 'unknown',
        today: ({ today }) => today && inTable(today),
        [month]: ({ total }) => inTable(total),
      },
    });
  } else {
    const records = (found ?? []).map(
      ({ account, part, total }): Record<string, unknown> => ({ account, month, [by]: part, ...total }),
    );
    const fields = ['account', 'month', by, 'confirmed', 'possibly_charged'];
    await printRecords(records, { ...printing, fields });
  }
  stderr.note('the credit ledger knows only what this user spent on this machine');
  return 0;
}

/** `3`, `3 (+1 possibly charged)` */
const inTable = ({ confirmed, possibly_charged }: Credits): string =>
  possibly_charged === 0 ? `${confirmed}` : `${confirmed} (+${possibly_charged} possibly charged)`;
