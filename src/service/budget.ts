import { Failure } from '../errors.ts';
import { count, credits } from '../text/count.ts';

/** Credits, as receipts name them. */
export interface Credits {
  /** A complete 200 of a paid operation was read (service specification, section 7, rule 2). */
  confirmed: number;
  /** A paid request was sent, but no complete response was read. */
  possibly_charged: number;
}

export const noCredits = (): Credits => ({ confirmed: 0, possibly_charged: 0 });

/** The requests and credits of the whole call or of one reference. */
export interface Tally {
  /** The reference as the user gave it; null for the whole call, or for a listing that starts at a token. */
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
export function describeCredits({ confirmed, possibly_charged }: Credits, verb?: string): string {
  const sure = verb === undefined ? credits(confirmed) : `${credits(confirmed)} ${verb}`;
  return possibly_charged === 0 ? sure : `${sure}, ${possibly_charged} more possibly charged`;
}

export type Charge = 'confirmed' | 'possibly_charged' | 'none';

/** One bound of `--max-credits`: credits per call, per calendar day or per calendar month (local time). */
export interface CreditBound {
  readonly credits: number;
  readonly per: 'run' | 'day' | 'month';
}

/** `3 credits`, `3000 credits per month`. */
export function describeBound(bound: CreditBound): string {
  return bound.per === 'run' ? credits(bound.credits) : `${credits(bound.credits)} per ${bound.per}`;
}

/** A bound that leaves no room for a request; `resets`: local date and time (`2026-12-01 00:00`), null for a call. */
export interface SpentBound extends CreditBound {
  readonly resets: string | null;
}

/** A request that a ledger has noted (`spent` null), or the bound that it would exceed. */
export type LedgerReservation =
  | { readonly spent: SpentBound }
  | { readonly spent: null; settle(charge: Charge): void };

/** The ledger of credits, as a budget uses it: it enforces the bounds per day and per month. */
export interface Ledger {
  /** Notes a paid request before it is sent. Throws a `Failure` if it cannot and has bounds to enforce. */
  reserve(credits: number, reference: string | null): LedgerReservation;
}

/** Credits set aside for one request. */
export interface Reservation {
  readonly credits: number;
  readonly noted: LedgerReservation | null;
}

export interface BudgetOptions {
  /** All of them hold. */
  readonly bounds: readonly CreditBound[];
  /**
   * Opens the ledger, once, before the first paid request. Null: nothing is noted (the sandbox), and the bounds per
   * day and month hold for this call alone.
   */
  readonly ledger: (() => Promise<Ledger>) | null;
}

/** The budget of one call. Concurrent requests together never exceed it. */
export class Budget {
  readonly bounds: readonly CreditBound[];
  readonly total: Tally = newTally();
  readonly #openLedger: BudgetOptions['ledger'];
  /** The bounds that are enforced in memory. */
  readonly #ownBounds: readonly CreditBound[];
  #ledger: Promise<Ledger> | null = null;
  #spentBound: SpentBound | null = null;
  #reserved = 0;
  #waiting: (() => void)[] = [];

  constructor({ bounds, ledger }: BudgetOptions) {
    this.bounds = bounds;
    this.#openLedger = ledger;
    this.#ownBounds = ledger === null ? bounds : bounds.filter(({ per }) => per === 'run');
  }

  /** The most that this call may cost, possibly charged credits included; null: no bound of the call. */
  get maxCredits(): number | null {
    const smallest = Math.min(...this.#ownBounds.map((bound) => bound.credits));
    return smallest === Number.POSITIVE_INFINITY ? null : smallest;
  }

  /** The bound that refused a request last; before that, the smallest. Null without bounds. */
  get spentBound(): SpentBound | null {
    if (this.#spentBound !== null) return this.#spentBound;
    const [smallest] = [...this.bounds].sort((a, b) => a.credits - b.credits);
    return smallest === undefined ? null : { ...smallest, resets: null };
  }

  /**
   * Opens the ledger now if a bound needs it, so that one that cannot be used stops a paid call before its first
   * request. Throws as `openLedger` does.
   */
  async prepare(): Promise<void> {
    if (this.bounds.some(({ per }) => per !== 'run')) await this.#open();
  }

  /**
   * Sets `credits` aside for a request and notes it in the ledger; waits for pending requests if they may leave room
   * for it. Throws a `budget` failure if a bound is spent, and as `Ledger.reserve` does. 0 credits need no reservation.
   */
  async reserve(credits: number, tally: Tally): Promise<Reservation> {
    if (credits === 0) return { credits, noted: null };
    const ledger = await this.#open();
    for (;;) {
      const exceeded = this.#exceededBound(credits);
      const noted = exceeded === null ? (ledger?.reserve(credits, tally.reference) ?? null) : null;
      const spentBound = exceeded ?? noted?.spent ?? null;
      if (spentBound === null) {
        this.#reserved += credits;
        return { credits, noted };
      }
      const isCertain = exceeded !== null && spent(this.total.credits) + credits > exceeded.credits;
      if (isCertain || this.#reserved === 0) {
        this.#spentBound = spentBound;
        throw budgetSpent(this);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Ends a reservation: charges the request to the call, to its reference and in the ledger. */
  settle({ credits, noted }: Reservation, charge: Charge, tally: Tally): void {
    if (credits === 0) return;
    if (noted?.spent === null) noted.settle(charge);
    this.#reserved -= credits;
    if (charge !== 'none') {
      this.total.credits[charge] += credits;
      tally.credits[charge] += credits;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #open(): Promise<Ledger> | null {
    if (this.#openLedger === null) return null;
    this.#ledger ??= this.#openLedger();
    return this.#ledger;
  }

  /** The smallest bound in memory that `credits` more would exceed now; null if there is none. */
  #exceededBound(credits: number): SpentBound | null {
    const needed = spent(this.total.credits) + this.#reserved + credits;
    const [smallest] = this.#ownBounds
      .filter((bound) => needed > bound.credits)
      .sort((a, b) => a.credits - b.credits);
    return smallest === undefined ? null : { ...smallest, resets: null };
  }
}

/**
 * The failure of a call whose budget is spent (exit 9): names the bound and when it resets. `needed`: about how many
 * more credits are needed, and for what.
 */
export function budgetSpent(budget: Budget, needed?: { credits: number; of?: string }): Failure {
  const bound = budget.spentBound;
  const allowed = bound === null ? '' : `: --max-credits allows ${describeBound(bound)}`;
  const resets = bound?.resets ? `, it resets on ${bound.resets} (local time)` : '';
  const what = `stopped by the budget${allowed}${resets}`;
  if (needed === undefined || needed.credits <= 0) return new Failure('budget', what);
  const more = count(needed.credits, 'more is', 'more are');
  return new Failure('budget', `${what}; about ${more} needed${needed.of ?? ''}`);
}
