import { Failure, type FailureDetails } from '../errors.ts';
import type { Reference } from '../run/read-references.ts';
import type { Result } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import type { Feed, MissingFeed } from './decide-update.ts';

/** From this many missing feeds on, the cause is taken to be the service or the address, not the channels. */
export const minChannels = 5;

/** Feeds requested in this run (docs/updates.md, rule 3). */
export class FeedLog {
  /** Whether a page may replace a missing feed: of many channels, only once the service is known to work. */
  mayReplace = false;
  /** Channels that wait for `mayReplace`, and why they have no feed. */
  readonly waiting = new Map<Reference, MissingFeed>();
  /** Channels that were checked with a page in place of their feed, by label, and why. */
  readonly replaced = new Map<string | null, string>();
  readonly #missing = new Map<string | null, MissingFeed>();
  #isAnyRead = false;

  note({ reference }: Reference, feed: Feed): void {
    if (feed.entries === null) this.#missing.set(reference, feed);
    else this.#isAnyRead = true;
  }

  /** Whether none of many feeds can be read. `others`: channels whose other requests failed the same way. */
  #isOutage(others: number): boolean {
    return !this.#isAnyRead && this.#missing.size > 0 && this.#missing.size + others >= minChannels;
  }

  /** The service itself fails. */
  isServiceOut(others = 0): boolean {
    const isOut = ({ status }: MissingFeed): boolean => status === null || status >= 500;
    return this.#isOutage(others) && [...this.#missing.values()].every(isOut);
  }

  /**
   * Warns of feeds that are missing; if none of many can be read, in one line that questions the address. Returns the results:
   * if it is the service, failures (7) that say so.
   */
  explain(run: Run, results: readonly Result[]): readonly Result[] {
    const [first] = this.#missing.values();
    const others = results.filter(
      ({ failure, isReached }) => isReached && failure?.code === 'unavailable',
    ).length;
    const isServiceOut = this.isServiceOut(others);
    if (first === undefined || !(isServiceOut || this.#isOutage(0))) {
      for (const [label, problem] of this.replaced)
        run.warn('no feed', label, `checked with a page instead of the feed, which is ${problem}`);
      return results;
    }
    const count = this.#missing.size;
    const next = 'check the address and --namespace';
    // A failure line already says this.
    const isSaid = results.some(({ failure, status }) =>
      isServiceOut
        ? status === 'unchecked' || failure?.code === 'no_feed' || failure?.code === 'unavailable'
        : failure?.code === 'no_feed',
    );
    const what = `none of the "latest" feeds of ${count} channels can be read (${first.problem})`;
    if (!isSaid) run.warn('feeds', null, isServiceOut ? what : `${what}; ${next}`);
    if (!isServiceOut) {
      return results.map((result) => withFailure(result, (failure) => failure.with({ next })));
    }
    const { status } = first;
    const message = `the service is not available: none of the feeds of ${count} channels can be read`;
    const outage = (details: FailureDetails = {}): Failure =>
      new Failure('unavailable', message, { status, ...details });
    if (run.ended?.code === 'no_feed') run.ended = outage({ scope: 'run' });
    return results.map((result) => {
      if (result.status === 'unchecked' && this.#missing.has(result.reference))
        return { ...result, status: 'failed', failure: outage() };
      return withFailure(result, ({ scope }) => outage({ scope }));
    });
  }
}

/** A result with another failure if its feed is missing. */
const withFailure = (result: Result, change: (failure: Failure) => Failure): Result =>
  result.failure?.code === 'no_feed' ? { ...result, failure: change(result.failure) } : result;
