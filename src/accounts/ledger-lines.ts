import { isCount, isNumber, isOneOf, isText, orNull, parseObject, shape } from '../json/shape.ts';

/** The version of the lines that this program reads and writes. */
export const ledgerVersion = 1;

/** A paid request, noted before it is sent. */
export interface RequestLine {
  readonly version: number;
  readonly kind: 'request';
  /** Unique; its outcome names it. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Local calendar day of the request: `2026-11-21`. */
  readonly day: string;
  /** Origin of the service: with `key`, the account. */
  readonly origin: string;
  /** Digest of the key. */
  readonly key: string;
  /** The key's last four characters. */
  readonly last_four: string;
  readonly command: string;
  readonly reference: string | null;
  readonly credits: number;
}

/** The outcome of a request. */
export interface OutcomeLine {
  readonly version: number;
  readonly kind: 'outcome';
  /** The ID of the request. */
  readonly id: string;
  readonly time: string;
  readonly outcome: Outcome;
}

export type Outcome = 'confirmed' | 'free' | 'possibly_charged';

export type LedgerLine = RequestLine | OutcomeLine | 'unreadable' | 'newer';

/**
 * The text to append for a line. The line end in front closes a line that a crash cut short, so that it damages only
 * itself.
 */
export function appendedText(line: RequestLine | OutcomeLine): string {
  return `\n${JSON.stringify(line)}\n`;
}

/** Parses a line; `newer` if a newer chanlist wrote it. */
export function parseLine(text: string): LedgerLine {
  const line = parseObject(text);
  if (!isNumber(line?.version) || !Number.isInteger(line.version) || line.version < 1) return 'unreadable';
  if (line.version > ledgerVersion) return 'newer';
  return isOutcome(line) || isRequest(line) ? line : 'unreadable';
}

/** Fields that are not read, or have been tested. */
const unread = { version: () => true, time: () => true };

const isOutcome = shape<OutcomeLine>({
  ...unread,
  kind: isOneOf('outcome'),
  id: isText,
  outcome: isOneOf('confirmed', 'free', 'possibly_charged'),
});

const isRequest = shape<RequestLine>({
  ...unread,
  kind: isOneOf('request'),
  id: isText,
  day: (value) => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value),
  origin: isText,
  key: isText,
  last_four: isText,
  command: isText,
  reference: orNull(isText),
  credits: isCount,
});

/**
 * Sums of the credits that may have been spent at one origin, per day and in total. Lines are added in their order. A
 * request counts unless its outcome is `free`. An unreadable line counts as one credit on the day of the next readable
 * request: it cannot be later than that.
 */
export class OriginSums {
  readonly #origin: string;
  readonly #days = new Map<string, number>();
  readonly #pending = new Map<string, RequestLine>();
  #total = 0;
  #unplaced = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Adds the next line of the ledger. */
  add(line: Exclude<LedgerLine, 'newer'>): void {
    if (line === 'unreadable') {
      this.#unplaced++;
      this.#total++;
    } else if (line.kind === 'request') {
      this.#addTo(line.day, this.#unplaced);
      this.#unplaced = 0;
      if (line.origin !== this.#origin) return;
      this.#pending.set(line.id, line);
      this.#addTo(line.day, line.credits);
      this.#total += line.credits;
    } else {
      const request = this.#pending.get(line.id);
      if (request === undefined) return;
      this.#pending.delete(line.id);
      if (line.outcome !== 'free') return;
      this.#addTo(request.day, -request.credits);
      this.#total -= request.credits;
    }
  }

  /** Credits that may have been spent on this day; without a day, in total. */
  spent(day?: string): number {
    return day === undefined ? this.#total : (this.#days.get(day) ?? 0) + this.#unplaced;
  }

  #addTo(day: string, credits: number): void {
    if (credits !== 0) this.#days.set(day, (this.#days.get(day) ?? 0) + credits);
  }
}
