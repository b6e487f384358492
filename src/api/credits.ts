import { Failure } from '../errors.ts';
import { count, credits } from '../text/count.ts';

/** Credits, as receipts name them. */
export interface Credits {
  /** A whole 200 of a paid operation was read (service specification, section 7, rule 2). */
  confirmed: number;
  /** A paid request was sent of which no whole answer was read. */
  possibly_charged: number;
}

/** What was done, for the whole call or for one reference. */
export interface Tally {
  readonly credits: Credits;
  requests: number;
  retries: number;
}

export function newTally(): Tally {
  return { credits: { confirmed: 0, possibly_charged: 0 }, requests: 0, retries: 0 };
}

/** Credits that a tally may have cost at most. */
export function spent(credits: Credits): number {
  return credits.confirmed + credits.possibly_charged;
}

/** `1 credit`, `3 credits, 1 more possibly charged`; `verb` (`spent`) stands behind the confirmed ones. */
export function describeCredits({ confirmed, possibly_charged }: Credits, verb?: string): string {
  const sure = verb === undefined ? credits(confirmed) : `${credits(confirmed)} ${verb}`;
  return possibly_charged === 0 ? sure : `${sure}, ${possibly_charged} more possibly charged`;
}

export type Charge = 'confirmed' | 'possibly_charged' | 'none';

/** The failure of a call whose budget of `most` credits is spent; `needed`: how many more it would take, and what for. */
export function budgetSpent(most: number, needed?: { credits: number; of?: string }): Failure {
  const what = `stopped by the budget: --max-credits allows ${credits(most)}`;
  if (needed === undefined) return new Failure('budget', what);
  const more = count(needed.credits, 'more is', 'more are');
  return new Failure('budget', `${what}; about ${more} needed${needed.of ?? ''}`);
}

/** The budget of one call. Requests that run side by side never spend more than it together. */
export class Budget {
  readonly #most: number | null;
  readonly total: Tally = newTally();
  #reserved = 0;
  #waiting: (() => void)[] = [];

  /** `most`: the greatest number of credits that this call may cost, possibly charged ones counted; null: any. */
  constructor(most: number | null) {
    this.#most = most;
  }

  get most(): number | null {
    return this.#most;
  }

  /** Sets `credits` aside for a request; throws a `budget` failure once they can't be had any more. */
  async reserve(credits: number): Promise<void> {
    if (credits === 0) return;
    while (this.#most !== null) {
      const gone = spent(this.total.credits);
      if (gone + credits > this.#most) {
        throw budgetSpent(this.#most);
      }
      if (gone + this.#reserved + credits <= this.#most) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#reserved += credits;
  }

  /** Ends a reservation: what the request did cost, for the call and for its reference. */
  settle(credits: number, charge: Charge, tally: Tally): void {
    this.#reserved -= credits;
    if (charge !== 'none') {
      this.total.credits[charge] += credits;
      tally.credits[charge] += credits;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
