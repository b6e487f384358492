import { Failure, type FailureDetails, type Warning } from '../errors.ts';
import type { Result } from '../run/results.ts';
import type { Feed, MissingFeed } from './decide-update.ts';

/** From this many missing feeds on, the cause is taken to be the service or the address, not the channels. */
const minChannels = 5;

/** What missing feeds mean for a run. */
interface Explained {
  readonly results: readonly Result[];
  readonly warnings: readonly Warning[];
  /** The failure of the run if the service itself fails; null otherwise. */
  readonly outage: Failure | null;
}

/** Feeds requested in this run, by the ID of their channel (docs/updates.md, rule 3). */
export class FeedLog {
  /** Whether a page may replace a missing feed: only once it is known that the service works. */
  mayBuyPages = false;
  /** Channels whose missing feed is dealt with again once `mayBuyPages` is true. */
  readonly deferred = new Map<string, MissingFeed>();
  /** Channels that were checked with a page in place of their feed, and what is wrong with it. */
  readonly boughtInstead = new Map<string, string>();
  readonly #missing = new Map<string, MissingFeed>();
  #isAnyRead = false;

  note(id: string, feed: Feed): void {
    if (feed.entries === null) this.#missing.set(id, feed);
    else this.#isAnyRead = true;
  }

  /** Whether none of many feeds can be read. `others`: number of channels whose other requests failed the same way. */
  #isOutage(others: number): boolean {
    return !this.#isAnyRead && this.#missing.size > 0 && this.#missing.size + others >= minChannels;
  }

  /** Whether the service itself fails, as far as these results show. */
  isServiceOut(results: readonly Result[]): boolean {
    const isOut = ({ status }: MissingFeed): boolean => status === null || status >= 500;
    const others = results.filter(({ failure, isReached }) => isReached && failure?.code === 'unavailable');
    return this.#isOutage(others.length) && [...this.#missing.values()].every(isOut);
  }

  /** Explains the missing feeds: in one line if none of many can be read, and for each channel otherwise. */
  explain(results: readonly Result[]): Explained {
    const [first] = this.#missing.values();
    if (first !== undefined && this.isServiceOut(results)) return this.#blameService(results, first);
    if (first !== undefined && this.#isOutage(0)) return this.#questionAddress(results, first);
    const warnings = [...this.boughtInstead].map(([id, problem]) => ({
      code: 'no feed',
      label: results.find((result) => result.id === id)?.label ?? null,
      message: `checked with a page instead of the feed, which is ${problem}`,
    }));
    return { results, warnings, outage: null };
  }

  /** Channels without a feed fail (7), also those that were up to date without one. */
  #blameService(results: readonly Result[], first: MissingFeed): Explained {
    const message = `the service is ${first.problem}: no feed can be read`;
    const outage = (details: FailureDetails = {}): Failure =>
      new Failure('unavailable', message, { status: first.status, ...details });
    const explained = results.map((result): Result => {
      if (result.status === 'unchecked') return { ...result, status: 'failed', failure: outage() };
      return withFeedFailure(result, ({ scope }) => outage({ scope }));
    });
    const isReported = explained.some(({ failure }) => failure?.code === 'unavailable');
    const warnings = isReported ? [] : [this.#warning(first)];
    return { results: explained, warnings, outage: outage({ scope: 'run' }) };
  }

  #questionAddress(results: readonly Result[], first: MissingFeed): Explained {
    const step = 'check the address and --namespace';
    const explained = results.map((result) => withFeedFailure(result, (failure) => failure.with({ step })));
    // A run of channels that are all gone asks the same.
    const isReported =
      results.some(({ failure }) => failure?.code === 'no_feed') ||
      results.every(({ failure }) => failure?.code === 'gone');
    const warnings = isReported ? [] : [this.#warning(first, `; ${step}`)];
    return { results: explained, warnings, outage: null };
  }

  #warning({ problem }: MissingFeed, advice = ''): Warning {
    const message = `none of the "latest" feeds of ${this.#missing.size} channels can be read (${problem})${advice}`;
    return { code: 'feeds', label: null, message };
  }
}

const withFeedFailure = (result: Result, change: (failure: Failure) => Failure): Result =>
  result.failure?.code === 'no_feed' ? { ...result, failure: change(result.failure) } : result;
