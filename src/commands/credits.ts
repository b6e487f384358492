import { type LedgerEntry, LedgerFile } from '../accounts/ledger-file.ts';
import { localDay, monthOf } from '../accounts/local-time.ts';
import { findProfile } from '../accounts/settings.ts';
import type { Example, RunCommand } from '../cli/command-module.ts';
import type { creditParts } from '../cli/flags.ts';
import type { CommonOptions } from '../cli/options.ts';
import { printRows, type RowOptions } from '../output/print-rows.ts';
import {
  type CreditBound,
  type Credits,
  environmentBounds,
  noCredits,
  totalCredits,
} from '../service/budget.ts';
import { thousands } from '../text/count.ts';

export const about = [
  'Prints what each account spent today and this month, confirmed and possibly charged, from the credit ledger, ' +
    'in which chanlist notes each paid request of this user on this machine. Sends nothing.',
  'A table shows possibly charged credits as (+N), and what is left of the daily and monthly bounds.',
];

export const examples: readonly Example[] = [
  ['report this month', 'chanlist credits'],
  ['report another month per day, for a script', 'chanlist credits --month 2026-01 --by day --json'],
];

interface CreditsOptions extends CommonOptions {
  /** `2026-11`; null for this month. */
  readonly month: string | null;
  readonly by: (typeof creditParts)[number] | null;
}

export const run: RunCommand<CreditsOptions> = async (options, streams) => {
  const { by, format } = options;
  const { context, stderr } = streams;
  const { env, clock } = context;
  const ownBounds = [...options.maxCredits, ...environmentBounds(env)];
  const { baseUrl, maxCredits } = findProfile(options, env);
  const today = localDay(clock.now());
  const month = options.month ?? monthOf(today);
  const isThisMonth = month === monthOf(today);
  using ledger = LedgerFile.openRead(month, env);
  const spendings = spendingsIn(ledger?.entries ?? [], today, by);
  const isUncertain = spendings.some(({ total }) => total.possibly_charged > 0);
  const bounds = isThisMonth ? [...ownBounds, ...maxCredits] : [];
  const footer = [
    ...(isUncertain ? ['(+N): possibly charged'] : []),
    ...(baseUrl === null ? [] : boundLines(bounds, baseUrl.origin, ledger, today)),
  ];
  const shared = { format, footer };
  if (by === null) {
    const rows = spendings.map(({ account, today, total }) => {
      return { account, month, today: isThisMonth ? today : null, total };
    });
    const byAccount: RowOptions<(typeof rows)[number]> = {
      ...shared,
      fields: ['account', 'month', 'today', 'total'],
      tableRow: ({ today, total, ...row }) => {
        return { ...row, today: today && amountText(today), total: amountText(total) };
      },
      csvColumns: [
        ...['account', 'month', 'today.confirmed', 'today.possibly_charged'],
        ...['total.confirmed', 'total.possibly_charged'],
      ],
    };
    await printRows(rows, byAccount, streams);
  } else {
    const rows = spendings.map(({ account, part, total }) => ({ account, month, [by]: part, ...total }));
    const byPart: RowOptions<Record<string, unknown>> = {
      ...shared,
      fields: ['account', 'month', by, ...sums],
      tableRow: ({ confirmed, possibly_charged, ...row }) => {
        return { ...row, credits: amountText({ confirmed, possibly_charged } as Credits) };
      },
    };
    await printRows(rows, byPart, streams);
  }
  if (ledger?.damage) stderr.warn(ledger.damage.line());
  if (spendings.length === 0) stderr.note(`this user spent nothing in ${month} on this machine`);
  return 0;
};

/** Says what is left of each bound: `1,935 of 3,000/month left at https://api.example.com`. */
function boundLines(
  bounds: readonly CreditBound[],
  origin: string,
  ledger: LedgerFile | null,
  today: string,
): readonly string[] {
  const lines = bounds.flatMap(({ credits, per }) => {
    if (per === 'run') return [];
    const rest = Math.max(0, credits - (ledger?.spentAt(origin, per, today) ?? 0));
    return `${thousands(rest)} of ${thousands(credits)}/${per} left at ${origin}`;
  });
  return [...new Set(lines)];
}

const sums = ['confirmed', 'possibly_charged'] as const;

/** Returns `1,234 (+1)`: confirmed credits and, in parentheses, possibly charged ones. */
const amountText = ({ confirmed, possibly_charged }: Credits): string =>
  thousands(confirmed) + (possibly_charged === 0 ? '' : ` (+${thousands(possibly_charged)})`);

/** Sums the credits per account, and per part of it (`by`). Sorts by account, then highest cost; days keep their order. */
function spendingsIn(entries: readonly LedgerEntry[], today: string, by: CreditsOptions['by']) {
  const newSpending = (request: LedgerEntry['request']) => ({
    // Ledger lines that cannot be read have no account.
    account: request && `${request.origin} …${request.last_four}`,
    part: (by && request?.[by]) ?? null,
    today: noCredits(),
    total: noCredits(),
  });
  const spendings = new Map<string, ReturnType<typeof newSpending>>();
  for (const { request, outcome } of entries) {
    if (outcome === 'free') continue;
    const id = JSON.stringify([request?.origin, request?.key, by && request?.[by]]);
    const spending = spendings.get(id) ?? newSpending(request);
    spendings.set(id, spending);
    const credits = request?.credits ?? 1;
    spending.total[outcome] += credits;
    if ((request?.day ?? today) === today) spending.today[outcome] += credits;
  }
  const last = '\uffff';
  return [...spendings.values()].sort(
    (a, b) =>
      (a.account ?? last).localeCompare(b.account ?? last) ||
      (by === 'day' ? 0 : totalCredits(b.total) - totalCredits(a.total)),
  );
}
