import type { Command } from 'commander';
import { LedgerProblem, ledgerFile, ledgerFolder } from '../accounts/ledger-file.ts';
import { type Grouping, type MonthReport, readMonth, sortedGroups } from '../accounts/ledger-report.ts';
import { localDay, monthOf } from '../accounts/local-time.ts';
import type { Start } from '../cli/commands.ts';
import { readFlags, type SharedOptions, sharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { document } from '../help/document.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { displayWidth } from '../output/width.ts';
import { type Credits, noCredits } from '../service/budget.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { jsonLine, orErrorDocument } from './auth/json.ts';

export interface CreditsOptions {
  readonly shared: SharedOptions;
  /** `2026-11`; null: this month. */
  readonly month: string | null;
  readonly by: Grouping | null;
}

/** Adds the help of `chanlist credits`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  document(
    command,
    [
      'Prints what each account spent today and this month, confirmed and possibly charged, from the ledger that ' +
        'chanlist keeps of paid requests. It knows only those of this user on this machine. Nothing is sent.',
    ],
    [
      ['report this month', 'chanlist credits'],
      ['report another month per day, for a script', 'chanlist credits --month 2026-01 --by day --json'],
    ],
  );
  command.action(() =>
    start(run, { shared: sharedOptions(command), ...readFlags(command, ['month', 'by']) }),
  );
}

/** A printed row of an account. */
interface AccountRow {
  readonly account: string;
  readonly today: Credits;
  readonly month: Credits;
  readonly by: readonly (readonly [group: string | null, credits: Credits])[];
}

/** Prints what was spent in a month, per account (product contract, "Credits"). Offline. */
export async function run({ shared, month, by }: CreditsOptions, context: Context): Promise<number> {
  const stderr = new Stderr(context.stderr, shared);
  const stdout = new Stdout(context, stderr);
  const today = localDay(context.clock.now());
  const thisMonth = monthOf(today);
  const shown = month ?? thisMonth;
  const folder = ledgerFolder(context.env);
  const { report, current } = await orErrorDocument(stdout, shared.format, () => {
    const report = read(folder, shown, today, by, context);
    return { report, current: shown === thisMonth ? report : read(folder, thisMonth, today, null, context) };
  });
  const accounts = (report?.accounts ?? []).map(
    ({ id, account, month, groups }): AccountRow => ({
      account,
      today: current?.accounts.find((other) => other.id === id)?.today ?? noCredits(),
      month,
      by: by === null ? [] : sortedGroups(groups, by),
    }),
  );
  if (report === null)
    stderr.warn(`there is no ledger for ${shown}${folder === null ? '' : ` in ${folder}`}`);
  else if (report.unreadable > 0 && folder !== null) {
    const lines = count(report.unreadable, 'line', 'lines');
    stderr.warn(
      `${ledgerFile(folder, shown)}: ${lines} cannot be read; each counts as one possibly charged credit`,
    );
  }
  if (shared.format === 'json') {
    stderr.note(scope);
    await stdout.write(jsonLine({ month: shown, accounts: accounts.map(json(by)) }));
  } else await stdout.write(text(shown, accounts, by));
  return 0;
}

/** The limits of the ledger. */
const scope = 'only what this user spent on this machine is known';

function read(
  folder: string | null,
  month: string,
  today: string,
  by: Grouping | null,
  { env }: Context,
): MonthReport | null {
  if (folder === null) return null;
  try {
    return readMonth(folder, month, today, by, env);
  } catch (error) {
    if (!(error instanceof LedgerProblem)) throw error;
    throw error.with({ message: `the ledger of credits cannot be read: ${error.message}` });
  }
}

const json =
  (by: Grouping | null) =>
  ({ by: groups, ...row }: AccountRow): object => ({
    ...row,
    by: groups.map(([group, credits]) => ({ [by ?? '']: group, ...credits })),
  });

/** The report for people: aligned columns. */
function text(month: string, accounts: readonly AccountRow[], by: Grouping | null): string {
  const numbers = ({ confirmed, possibly_charged }: Credits): string[] => [
    `${confirmed}`,
    `${possibly_charged}`,
  ];
  const lines = [`Credits spent in ${month}; ${scope}`, ''];
  if (accounts.length === 0) lines.push('none');
  else {
    const rows = accounts.map(({ account, today, month }) => [account, ...numbers(today), ...numbers(month)]);
    lines.push(...aligned([['account', 'today', 'possibly charged', month, 'possibly charged'], ...rows]));
  }
  for (const { account, by: groups } of by === null ? [] : accounts) {
    const rows = groups.map(([group, credits]) => [group ?? '-', ...numbers(credits)]);
    lines.push('', sanitize(account), ...aligned([[`${by}`, 'confirmed', 'possibly charged'], ...rows]));
  }
  return `${lines.join('\n')}\n`;
}

/** Lines of a table: the first column left, numbers right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(sanitize));
  const widths = (cells[0] ?? []).map((_, i) => Math.max(...cells.map((row) => displayWidth(row[i] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, i) => {
        const space = ' '.repeat((widths[i] ?? 0) - displayWidth(cell));
        return i === 0 ? cell + space : space + cell;
      })
      .join('  '),
  );
}
