import { Failure, type Warning } from '../errors.ts';
import type { Result } from '../run/results.ts';
import type { Feed, MissingFeed } from './decide-update.ts';

/** If at least this many feeds are missing, the cause is taken to be the service or the address, not the channels. */
const minChannels = 5;

/** Missing feeds by the ID of their channel. */
type MissingFeeds = ReadonlyMap<string, MissingFeed>;

/** What missing feeds mean for a run. */
interface Explained {
  readonly results: readonly Result[];
  readonly warnings: readonly Warning[];
  /** The failure of the run if the service itself fails; null otherwise. */
  readonly outage: Failure | null;
}

/** Feeds requested in this run, by the ID of their channel (docs/updates.md, rule 3). */
export class FeedLog {
  /** Channels whose missing feed a page may replace once it is known that the service works. */
  readonly deferred = new Map<string, MissingFeed>();
  /** Channels that were checked with a page in place of their feed, each with the problem of its feed. */
  readonly boughtInstead = new Map<string, string>();
  readonly #missing = new Map<string, MissingFeed>();
  #isAnyRead = false;

  add(id: string, feed: Feed): void {
    if (feed.entries === null) this.#missing.set(id, feed);
    else this.#isAnyRead = true;
  }

  /** Returns the deferred channels whose missing feed a page may replace, because the service itself is not the cause. */
  replaceable(results: readonly Result[]): readonly string[] {
    const outage = this.#outage(results);
    return [...this.deferred.keys()].filter((id) => !outage.has(id));
  }

  /** Explains the missing feeds: in one line if all of at least `minChannels` feeds are missing, otherwise per channel. */
  explain(results: readonly Result[]): Explained {
    const outage = this.#outage(results);
    const others = new Map([...this.#missing].filter(([id]) => !outage.has(id)));
    const blamed = blameService(results, outage);
    const rest =
      this.#areAllMissing(0) && others.size >= minChannels
        ? suspectAddress(blamed.results, others)
        : { results: blamed.results, warnings: this.#replacements(results, others) };
    return { ...blamed, results: rest.results, warnings: [...blamed.warnings, ...rest.warnings] };
  }

  /** Whether no feed of `minChannels` or more channels can be read. `others`: channels whose other requests failed alike. */
  #areAllMissing(others: number): boolean {
    return !this.#isAnyRead && this.#missing.size > 0 && this.#missing.size + others >= minChannels;
  }

  /** Returns the feeds that the service itself has failed to send; none unless all of at least `minChannels` are missing. */
  #outage(results: readonly Result[]): MissingFeeds {
    const others = results.filter(({ failure, isReached }) => isReached && failure?.code === 'unavailable');
    const isFailing = ([, { status }]: readonly [string, MissingFeed]): boolean =>
      status === null || status >= 500;
    return new Map(this.#areAllMissing(others.length) ? [...this.#missing].filter(isFailing) : []);
  }

  #replacements(results: readonly Result[], missing: MissingFeeds): readonly Warning[] {
    const replaced = [...this.boughtInstead].filter(([id]) => missing.has(id));
    return replaced.map(([id, problem]) => ({
      code: 'no feed',
      label: results.find((result) => result.id === id)?.label ?? null,
      message: `checked with a page instead of the feed, which is ${problem}`,
    }));
  }
}

/** Makes every channel without a feed fail (7), even if a page was bought in place of the feed less than a week ago. */
function blameService(results: readonly Result[], outage: MissingFeeds): Explained {
  const [first] = outage.values();
  if (first === undefined) return { results, warnings: [], outage: null };
  const message = `the service is ${first.problem}: no feed can be read`;
  const outageFailure = new Failure('unavailable', message, { status: first.status });
  const explained = results.map((result): Result => {
    if (result.isReached && !outage.has(result.id ?? '')) return result;
    if (result.status === 'unchecked') return { ...result, status: 'failed', failure: outageFailure };
    return withFeedFailure(result, ({ scope }) => outageFailure.with({ scope }));
  });
  const isReported = explained.some(({ failure }) => failure?.code === 'unavailable');
  const warnings = isReported ? [] : [missingWarning(outage)];
  return { results: explained, warnings, outage: outageFailure.with({ scope: 'run' }) };
}

function suspectAddress(results: readonly Result[], missing: MissingFeeds): Omit<Explained, 'outage'> {
  const step = 'check the address and --namespace';
  const explained = results.map((result) => withFeedFailure(result, (failure) => failure.with({ step })));
  // If all channels are gone, their failure already gives this advice.
  const isReported =
    results.some(({ failure }) => failure?.code === 'no_feed') ||
    results.every(({ failure }) => failure?.code === 'gone');
  return { results: explained, warnings: isReported ? [] : [missingWarning(missing, `; ${step}`)] };
}

function missingWarning(missing: MissingFeeds, advice = ''): Warning {
  const [first] = missing.values();
  const message = `none of the "latest" feeds of ${missing.size} channels can be read (${first?.problem})${advice}`;
  return { code: 'feeds', label: null, message };
}

const withFeedFailure = (result: Result, change: (failure: Failure) => Failure): Result =>
  result.failure?.code === 'no_feed' ? { ...result, failure: change(result.failure) } : result;
