import { closeSync } from 'node:fs';
import { type Credits, noCredits, spent } from '../service/budget.ts';
import {
  LedgerProblem,
  ledgerFile,
  newerLedger,
  openLedgerForReading,
  readLines,
  unreadableLedger,
} from './ledger-file.ts';
import { type LedgerLine, parseLine, type RequestLine } from './ledger-lines.ts';

export type Grouping = 'day' | 'command' | 'reference';

/** What an account spent in a month. */
export interface AccountSpending {
  /** Unique; two accounts may look the same in `account`. */
  readonly id: string;
  /** Origin and last four characters of the key. */
  readonly account: string;
  readonly today: Credits;
  readonly month: Credits;
  /** By day, command or reference; null: unknown. */
  readonly groups: ReadonlyMap<string | null, Credits>;
}

export interface MonthReport {
  /** In the order of their first request. */
  readonly accounts: readonly AccountSpending[];
  /** Lines that cannot be read. Each counts as one possibly charged credit. */
  readonly unreadable: number;
}

/**
 * What was spent in a month (`2026-11`), from its ledger; null if there is none. `today`: the local day that counts as
 * today. A request without an outcome counts as possibly charged, and so does an unreadable line: for the only account
 * of the month, else for `account unknown`. Throws a `LedgerProblem`.
 */
export function readMonth(
  folder: string,
  month: string,
  today: string,
  by: Grouping | null,
  env: Readonly<Record<string, string | undefined>>,
): MonthReport | null {
  const fd = openLedgerForReading(folder, month, env);
  if (fd === null) return null;
  const path = ledgerFile(folder, month);
  const sums = new MonthSums(today, by);
  try {
    readLines(
      fd,
      0,
      (text) => {
        const line = parseLine(text);
        if (line === 'newer') throw newerLedger(path);
        sums.add(line);
      },
      true,
    );
  } catch (error) {
    throw error instanceof LedgerProblem ? error : unreadableLedger(path, error);
  } finally {
    closeSync(fd);
  }
  return sums.report();
}

interface Sums extends AccountSpending {
  readonly groups: Map<string | null, Credits>;
}

/** Sums the lines of a month per account, in their order. */
class MonthSums {
  readonly #today: string;
  readonly #by: Grouping | null;
  readonly #accounts = new Map<string, Sums>();
  readonly #pending = new Map<string, RequestLine>();
  /** Days of the unreadable lines: each is that of the next readable request. */
  readonly #unreadable: string[] = [];
  #unplaced = 0;

  constructor(today: string, by: Grouping | null) {
    this.#today = today;
    this.#by = by;
  }

  add(line: Exclude<LedgerLine, 'newer'>): void {
    if (line === 'unreadable') this.#unplaced++;
    else if (line.kind === 'request') {
      this.#place(line.day);
      this.#accountOf(line);
      this.#pending.set(line.id, line);
    } else {
      const request = this.#pending.get(line.id);
      if (request === undefined) return;
      this.#pending.delete(line.id);
      if (line.outcome !== 'free') this.#charge(request, line.outcome);
    }
  }

  report(): MonthReport {
    for (const request of this.#pending.values()) this.#charge(request, 'possibly_charged');
    this.#place(this.#today);
    const by = this.#by;
    for (const day of this.#unreadable)
      this.#addTo(this.#ofUnreadable(), day, by === 'day' ? day : null, 'possibly_charged', 1);
    return { accounts: [...this.#accounts.values()], unreadable: this.#unreadable.length };
  }

  #place(day: string): void {
    for (; this.#unplaced > 0; this.#unplaced--) this.#unreadable.push(day);
  }

  #charge(line: RequestLine, kind: keyof Credits): void {
    const group = this.#by === null ? null : line[this.#by];
    this.#addTo(this.#accountOf(line), line.day, group, kind, line.credits);
  }

  #addTo(sums: Sums, day: string, group: string | null, kind: keyof Credits, credits: number): void {
    const all = [sums.month];
    if (day === this.#today) all.push(sums.today);
    if (this.#by !== null) all.push(entryOf(sums.groups, group, noCredits));
    for (const each of all) each[kind] += credits;
  }

  #accountOf({ origin, key, last_four }: RequestLine): Sums {
    const id = `${key} ${origin}`;
    return entryOf(this.#accounts, id, () => newSums(id, `${origin} …${last_four}`));
  }

  /** The only account, or else one of its own. */
  #ofUnreadable(): Sums {
    const [only, ...others] = this.#accounts.values();
    if (only !== undefined && others.length === 0) return only;
    return entryOf(this.#accounts, '', () => newSums('', 'account unknown'));
  }
}

/** The groups of an account: days in order, commands and references with the most expensive first. */
export function sortedGroups(groups: AccountSpending['groups'], by: Grouping): [string | null, Credits][] {
  const names = ([a]: [string | null, Credits], [b]: [string | null, Credits]): number =>
    (a ?? '') < (b ?? '') ? -1 : 1;
  return [...groups].sort((a, b) => (by === 'day' ? 0 : spent(b[1]) - spent(a[1])) || names(a, b));
}

function newSums(id: string, account: string): Sums {
  return { id, account, today: noCredits(), month: noCredits(), groups: new Map() };
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
