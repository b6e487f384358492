import type { Env } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { countCredits, thousands } from '../text/count.ts';

export interface Credits {
  /** A complete 200 of a paid operation was read (docs/service.md, 7, rule 2). */
  confirmed: number;
  /** A paid request was sent, but no complete response was read. */
  possibly_charged: number;
}

export const noCredits = (): Credits => ({ confirmed: 0, possibly_charged: 0 });

export interface Tally {
  /** The reference as the user gave it; null for the whole run, or for a listing that starts at a token. */
  readonly reference: string | null;
  readonly credits: Credits;
  requests: number;
  paidRequests: number;
  retries: number;
}

export function newTally(reference: string | null = null): Tally {
  return { reference, credits: noCredits(), requests: 0, paidRequests: 0, retries: 0 };
}

export function totalCredits(credits: Credits): number {
  return credits.confirmed + credits.possibly_charged;
}

/** `1 credit`, `3 credits, 1 more possibly charged`; `verb` (`spent`) follows the confirmed ones. */
export function describeCredits({ confirmed, possibly_charged }: Credits, verb = ''): string {
  const sure = `${countCredits(confirmed)} ${verb}`.trim();
  return possibly_charged === 0 ? sure : `${sure}, ${thousands(possibly_charged)} more possibly charged`;
}

/** What a request cost. */
export type Charge = keyof Credits | 'free';
export type Settle = (charge: Charge) => Promise<void>;

/** One bound of `--max-credits`: credits per run, per calendar day or per calendar month (local time). */
export interface CreditBound {
  readonly credits: number;
  readonly per: 'run' | 'day' | 'month';
  /** Where it is set: `--max-credits`, `CHANLIST_MAX_CREDITS` or `profile 'work'`. */
  readonly source: string;
}

export const formatBounds = (bounds: readonly Omit<CreditBound, 'source'>[]): string =>
  bounds.map(({ credits, per }) => (per === 'run' ? `${credits}` : `${credits}/${per}`)).join(',');

/** Parses `N`, `N/day` or `N/month`. Throws a usage error that names `source`. */
export function parseBound(text: string, source: string, shown = text): CreditBound {
  const [, digits, per] = /^(\d{1,15})(?:\/(day|month))?$/.exec(text.trim()) ?? [];
  if (digits === undefined)
    throw usage(
      `${source} is '${shown}': expected a whole number, N/day or N/month`,
      'give it as 3000 or 3000/month',
    );
  return { credits: Number(digits), per: per === 'day' || per === 'month' ? per : 'run', source };
}

export const parseBounds = (text: string, source: string): CreditBound[] =>
  text.split(',').map((part) => parseBound(part, source, text));

/** The bounds of CHANLIST_MAX_CREDITS, which apply beside those of the flag and of the profile. */
export const environmentBounds = ({ CHANLIST_MAX_CREDITS: text }: Env): CreditBound[] =>
  text ? parseBounds(text, 'CHANLIST_MAX_CREDITS') : [];

/** Counts the paid requests of all runs, for bounds per day and month. */
export interface Ledger {
  /** Throws `budget` if a bound per day or month does not allow this many more credits. */
  assertAllowed(credits: number): Promise<void>;
  /** Records a request before it is sent; returns a function that records its outcome. Throws `budget` if not allowed. */
  addRequest(credits: number, reference: string | null): Promise<Settle>;
}

/** The budget of one run. Concurrent requests together never exceed it. */
export class Budget {
  readonly total: Tally = newTally();
  /** The failure that names the spent bound; null while no bound is spent. */
  exhausted: Failure | null = null;
  readonly #runBounds: readonly CreditBound[];
  readonly #ledger: Ledger | null;
  /** Credits of requests in flight. */
  #reserved = 0;
  /** Resolves when all earlier reservations have been made or refused, because they are made one at a time. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Wakes the reservation that waits for a request in flight. */
  #wake = (): void => {};

  /** Without a ledger, bounds per day and month apply to this run alone. */
  constructor(bounds: readonly CreditBound[], ledger: Ledger | null) {
    this.#ledger = ledger;
    this.#runBounds = bounds.filter(({ per }) => ledger === null || per === 'run');
  }

  /**
   * Reserves credits for a request; returns a function that settles them. If a bound is spent, waits for requests in flight,
   * which may turn out to be free, then throws `budget`.
   */
  async reserve(credits: number, tally: Tally): Promise<Settle> {
    if (credits === 0) return async () => {};
    const reservation = this.#queue.then(() => this.#reserveNext(credits, tally));
    this.#queue = reservation.catch(() => {});
    return await reservation;
  }

  async #reserveNext(credits: number, tally: Tally): Promise<Settle> {
    for (;;) {
      const inFlight = this.#reserved;
      const committed = totalCredits(this.total.credits) + inFlight + credits;
      const exceeded = this.#runBounds.find((bound) => committed > bound.credits);
      try {
        if (exceeded !== undefined) {
          // If a bound of the ledger is spent, too, name that one: a new run would stop there again.
          await this.#ledger?.assertAllowed(credits);
          throw budgetSpent(exceeded, null);
        }
        const settleInLedger = await this.#ledger?.addRequest(credits, tally.reference);
        this.#reserved += credits;
        return async (charge) => {
          await settleInLedger?.(charge);
          this.#reserved -= credits;
          if (charge !== 'free') {
            this.total.credits[charge] += credits;
            tally.credits[charge] += credits;
          }
          this.#wake();
        };
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'budget')) throw error;
        // A request that has ended meanwhile may have been free.
        if (this.#reserved < inFlight) continue;
        if (this.#reserved === 0) {
          this.exhausted = error;
          throw error;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** The failure of a run that has spent a bound (exit 9). `resets`: local date and time; null for a bound of the run. */
export function budgetSpent(bound: CreditBound, resets: string | null): Failure {
  const place = bound.source === '--max-credits' ? '' : ` of ${bound.source}`;
  const reset = resets === null ? '' : `, which resets on ${resets} (local time)`;
  // Running any command again would stop at the same bound.
  const wait = resets === null ? undefined : 'wait until it resets';
  const step = bound.credits === 0 ? 'allow at least 1 credit' : wait;
  return new Failure('budget', `stopped at --max-credits ${formatBounds([bound])}${place}${reset}`, { step });
}
