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

/** The version of the lines that this program reads and writes. */
const ledgerVersion = 1;

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
/** A line to append. */
export type NewLine = Omit<RequestLine, 'version'> | Omit<OutcomeLine, 'version'>;

/**
 * The text to append for a line. The line end in front closes a line that a crash cut short, so that it damages only
 * itself.
 */
export function lineText(line: NewLine): string {
  return `\n${JSON.stringify({ version: ledgerVersion, ...line })}\n`;
}

/** Parses a line; `newer` if a newer chanlist wrote it. */
export function parseLine(text: string): LedgerLine | 'newer' {
  const line = parseObject(text);
  if (!isNumber(line?.version) || !Number.isInteger(line.version) || line.version < 1) return 'unreadable';
  if (line.version > ledgerVersion) return 'newer';
  return isOutcome(line) || isRequest(line) ? line : 'unreadable';
}

/** A paid request, or a line that cannot be read, and what it may have cost. */
export interface LedgerEntry {
  /** Null: a line that cannot be read. */
  readonly request: RequestLine | null;
  /** The local day; null: not known. */
  day: string | null;
  readonly credits: number;
  outcome: OutcomeLine['outcome'];
}

/**
 * The entries of a ledger. A request without an outcome counts as possibly charged. So does an unreadable line, as one
 * credit on the day of the next readable request: it cannot be later than that.
 */
export class LedgerEntries {
  readonly all: LedgerEntry[] = [];
  readonly #pending = new Map<string, LedgerEntry>();
  #unplaced: LedgerEntry[] = [];

  /** Adds lines, in their order. */
  add(lines: readonly LedgerLine[]): void {
    for (const line of lines) {
      if (line === 'unreadable') this.#unplaced.push(this.#addEntry(null, null, 1));
      else if (line.kind === 'request') {
        for (const entry of this.#unplaced.splice(0)) entry.day = line.day;
        this.#pending.set(line.id, this.#addEntry(line, line.day, line.credits));
      } else {
        const entry = this.#pending.get(line.id);
        if (entry !== undefined) entry.outcome = line.outcome;
        this.#pending.delete(line.id);
      }
    }
  }

  /** The most that a day or month (`2026-11-21`, `2026-11`) may have cost at an origin. */
  spentAt(origin: string, period: string): number {
    let sum = 0;
    for (const { request, day, credits, outcome } of this.all) {
      const isIncluded = (request?.origin ?? origin) === origin && (day ?? period).startsWith(period);
      if (isIncluded && outcome !== 'free') sum += credits;
    }
    return sum;
  }

  #addEntry(request: RequestLine | null, day: string | null, credits: number): LedgerEntry {
    const entry: LedgerEntry = { request, day, credits, outcome: 'possibly_charged' };
    this.all.push(entry);
    return entry;
  }
}
