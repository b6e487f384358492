import { Failure } from '../errors.ts';
import { credits } from '../text/count.ts';

/** Credits, as receipts name them. */
export interface Credits {
  /** A complete 200 of a paid operation was read (docs/service.md, 7, rule 2). */
  confirmed: number;
  /** A paid request was sent, but no complete response was read. */
  possibly_charged: number;
}

export const noCredits = (): Credits => ({ confirmed: 0, possibly_charged: 0 });

/** The requests and credits of the whole run or of one reference. */
export interface Tally {
  /** The reference as the user gave it; null for the whole run, or for a listing that starts at a token. */
  readonly reference: string | null;
  readonly credits: Credits;
  requests: number;
  /** Those of paid operations, included in `requests`. */
  paidRequests: number;
  retries: number;
}

/** A tally of no requests. */
export function newTally(reference: string | null = null): Tally {
  return { reference, credits: noCredits(), requests: 0, paidRequests: 0, retries: 0 };
}

/** The most that a tally may have cost, in credits. */
export function spent(credits: Credits): number {
  return credits.confirmed + credits.possibly_charged;
}

/** `1 credit`, `3 credits, 1 more possibly charged`; `verb` (`spent`) follows the confirmed ones. */
export function describeCredits({ confirmed, possibly_charged }: Credits, verb = ''): string {
  const sure = `${credits(confirmed)} ${verb}`.trim();
  return possibly_charged === 0 ? sure : `${sure}, ${possibly_charged} more possibly charged`;
}

export type Charge = 'confirmed' | 'possibly_charged' | 'none';

/** Ends a reservation with the charge of its request. */
export type Settle = (charge: Charge) => void;

/** One bound of `--max-credits`: credits per run, per calendar day or per calendar month (local time). */
export interface CreditBound {
  readonly credits: number;
  readonly per: 'run' | 'day' | 'month';
}

/** A bound as `--max-credits` takes it: `3`, `3000/month`. */
export function formatBound({ credits, per }: CreditBound): string {
  return per === 'run' ? `${credits}` : `${credits}/${per}`;
}

/** A bound that a request would exceed; `resets`: local date and time (`2026-12-01 00:00`), null for a run. */
export interface SpentBound extends CreditBound {
  readonly resets: string | null;
}

/** The credit ledger, as a budget uses it: it enforces the bounds per day and per month. */
export interface Ledger {
  /**
   * Notes a paid request before it is sent, or returns the bound that it would exceed. Throws a `Failure` if it cannot
   * and has bounds to enforce.
   */
  reserve(credits: number, reference: string | null): Settle | SpentBound;
}

/** The budget of one run. Concurrent requests together never exceed it. */
export class Budget {
  readonly bounds: readonly CreditBound[];
  readonly total: Tally = newTally();
  readonly #openLedger: (() => Promise<Ledger>) | null;
  #ledger: Promise<Ledger> | null = null;
  #reserved = 0;
  #waiting: (() => void)[] = [];

  /**
   * All `bounds` apply. `openLedger` is called once, before the first paid request; null (the sandbox): nothing is noted,
   * and the bounds per day and month apply to this run alone.
   */
  constructor(bounds: readonly CreditBound[], openLedger: (() => Promise<Ledger>) | null) {
    this.bounds = bounds;
    this.#openLedger = openLedger;
  }

  /** Opens the ledger now if a bound needs it: one that cannot be used stops a paid run before its first request. */
  async prepare(): Promise<void> {
    if (this.bounds.some(({ per }) => per !== 'run')) await this.#open();
  }

  /**
   * Sets `credits` aside for a request and notes it in the ledger; waits for pending requests, which may turn out
   * to be free. Returns what charges the request to the run, to its reference and in the ledger. Throws a `budget` failure
   * if a bound is spent, and as `Ledger.reserve` does. 0 credits need no reservation.
   */
  async reserve(credits: number, tally: Tally): Promise<Settle> {
    if (credits === 0) return () => {};
    const ledger = await this.#open();
    for (;;) {
      const noted =
        this.#exceededBound(credits + this.#reserved) ?? ledger?.reserve(credits, tally.reference);
      if (typeof noted !== 'object') {
        this.#reserved += credits;
        return (charge) => {
          noted?.(charge);
          this.#reserved -= credits;
          if (charge !== 'none') for (const each of [this.total, tally]) each.credits[charge] += credits;
          for (const wake of this.#waiting.splice(0)) wake();
        };
      }
      if (this.#reserved === 0 || this.#exceededBound(credits) !== null) throw budgetSpent(noted);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #open(): Promise<Ledger> | null {
    this.#ledger ??= this.#openLedger?.() ?? null;
    return this.#ledger;
  }

  /** The smallest bound that is enforced here and that `credits` more would exceed; null if there is none. */
  #exceededBound(credits: number): SpentBound | null {
    const [smallest] = this.bounds
      .filter(({ per }) => this.#openLedger === null || per === 'run')
      .filter((bound) => spent(this.total.credits) + credits > bound.credits)
      .sort((a, b) => a.credits - b.credits);
    return smallest === undefined ? null : { ...smallest, resets: null };
  }
}

/** The failure of a run that has spent a bound (exit 9): names it, and when it resets. */
function budgetSpent({ resets, ...bound }: SpentBound): Failure {
  const reset = resets === null ? '' : `, which resets on ${resets} (local time)`;
  return new Failure('budget', `stopped at --max-credits ${formatBound(bound)}${reset}`);
}
