import {
  isCount,
  isNumber,
  isOneOf,
  isText,
  orNull,
  type Passing,
  parseObject,
  shape,
} from '../json/shape.ts';
import type { Credits } from '../service/budget.ts';

/** The version of the lines that this program reads and writes. */
export const ledgerVersion = 1;

const isDay = (value: unknown): value is string => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value);

/** A paid request, noted before it is sent. */
const isRequest = shape({
  version: isNumber,
  kind: isOneOf('request'),
  /** Unique; its outcome names it. */
  id: isText,
  /** ISO 8601, UTC. */
  time: isText,
  /** Local calendar day of the request: `2026-11-21`. */
  day: isDay,
  /** Origin of the service: with `key`, the account. */
  origin: isText,
  /** Digest of the key. */
  key: isText,
  /** The key's last four characters. */
  last_four: isText,
  command: isText,
  reference: orNull(isText),
  credits: isCount,
});
export type RequestLine = Passing<typeof isRequest>;

/** The outcome of a request. */
const isOutcome = shape({
  version: isNumber,
  kind: isOneOf('outcome'),
  /** The ID of the request. */
  id: isText,
  time: isText,
  outcome: isOneOf('confirmed', 'free', 'possibly_charged'),
});
export type OutcomeLine = Passing<typeof isOutcome>;

export type LedgerLine = RequestLine | OutcomeLine | 'unreadable';

/**
 * The text to append for a line. The line end in front closes a line that a crash cut short, so that it damages only
 * itself.
 */
export function appendedText(line: RequestLine | OutcomeLine): string {
  return `\n${JSON.stringify(line)}\n`;
}

/** Parses a line; `newer` if a newer chanlist wrote it. */
export function parseLine(text: string): LedgerLine | 'newer' {
  const line = parseObject(text);
  if (!isNumber(line?.version) || !Number.isInteger(line.version) || line.version < 1) return 'unreadable';
  if (line.version > ledgerVersion) return 'newer';
  return isOutcome(line) || isRequest(line) ? line : 'unreadable';
}

/**
 * Adds up the lines of a ledger, in their order. A request without an outcome counts as possibly charged. So does an
 * unreadable line, as one credit on the day of the next readable request: it cannot be later than that.
 */
export class LedgerSums {
  readonly #sumsOf: (day: string | null, request: RequestLine | null) => readonly Credits[];
  readonly #pending = new Map<string, { readonly credits: number; readonly sums: readonly Credits[] }>();
  #unplaced = 0;

  /** `sumsOf`: the sums that a request of this day counts in; null: an unreadable line, and a day that is not known. */
  constructor(sumsOf: (day: string | null, request: RequestLine | null) => readonly Credits[]) {
    this.#sumsOf = sumsOf;
  }

  /** Unreadable lines after the last request: they are in no sum yet. */
  get unplaced(): number {
    return this.#unplaced;
  }

  /** Adds the next line. */
  add(line: LedgerLine): void {
    if (line === 'unreadable') this.#unplaced++;
    else if (line.kind === 'request') {
      this.placeUnreadable(line.day);
      const sums = this.#sumsOf(line.day, line);
      for (const sum of sums) sum.possibly_charged += line.credits;
      if (sums.length > 0) this.#pending.set(line.id, { credits: line.credits, sums });
    } else {
      const { credits, sums } = this.#pending.get(line.id) ?? { credits: 0, sums: [] };
      this.#pending.delete(line.id);
      if (line.outcome === 'possibly_charged') return;
      for (const sum of sums) {
        sum.possibly_charged -= credits;
        if (line.outcome === 'confirmed') sum.confirmed += credits;
      }
    }
  }

  /** Counts the unreadable lines that are in no sum yet on this day. */
  placeUnreadable(day: string | null): void {
    for (; this.#unplaced > 0; this.#unplaced--)
      for (const sum of this.#sumsOf(day, null)) sum.possibly_charged++;
  }
}
