import { day, hour } from '../../accounts/local-time.ts';
import { count } from '../../text/count.ts';
import type { ExportRecord, Progress } from '../record/export-record.ts';

/** An entry of the feed that `latest` returns. */
export interface FeedEntry {
  readonly videoId: string;
  /** As sent (ISO 8601); null if the feed has none. */
  readonly published: string | null;
  /** A Short: never in the uploads list. */
  readonly isShort: boolean;
  /** Published in the future: not yet in the uploads list. */
  readonly isScheduled: boolean;
}

/** Why a channel has no feed (rule 3). */
export interface MissingFeed {
  readonly entries: null;
  readonly problem: string;
  /** It is empty or 404, as that of a channel without uploads or an unknown one is: no sign of an outage. */
  readonly isAbsent: boolean;
  /** HTTP status of the response; null without one. */
  readonly status: number | null;
}

export type Feed = { readonly entries: readonly FeedEntry[]; readonly problem: null } | MissingFeed;

/** What an update does (docs/updates.md, rules 1 to 4). */
type UpdateDecision =
  /** Nothing new. */
  | { readonly do: 'unchanged' }
  /** No feed, but a page was fetched instead less than seven days ago. */
  | { readonly do: 'unchecked' }
  /** No feed; from `until` on (milliseconds since 1970), one page is fetched instead. */
  | { readonly do: 'fail'; readonly feed: MissingFeed; readonly until: number }
  /** Fetch pages. `why`: the reason, if it is not an expected ID. */
  | { readonly do: 'fetch'; readonly expected: readonly string[]; readonly why: string | null };

/** A day counts as 22 hours, so that a nightly run that starts early does not wait for the next night (ms). */
const slack = 2 * hour;
/** Rule 3: days after the last successful check, and after a page without a feed, until a page is fetched. */
export const daysWithoutFeed = 7;
/** Rule 4: how many times an ID that no fetched page contained is expected, and the days between. */
const maxChecks = 2;
const daysBetweenChecks = 1;

type Known = Pick<ExportRecord, 'checked' | 'feed' | 'missingIds' | 'withoutFeed' | 'failure'>;

/**
 * Decides what an update fetches. `has`: whether FILE contains an ID. `now`: milliseconds since 1970. Pure; the rules
 * are those of docs/updates.md.
 */
export function decideUpdate(
  record: Known,
  feed: Feed,
  now: number,
  { all, has }: { readonly all: boolean; readonly has: (id: string) => boolean },
): UpdateDecision {
  const expected = feed.entries === null ? [] : expectedIds(record, feed.entries, now, has);
  if (all) return { do: 'fetch', expected, why: whyAll };
  if (feed.entries === null) return withoutFeed(record, feed, now);
  if (expected.length > 0) return { do: 'fetch', expected, why: null };
  const published = feed.entries.filter(({ isScheduled }) => !isScheduled);
  const before = new Set(record.feed?.ids);
  if (published.length === 0 || published.some(({ videoId }) => has(videoId) || before.has(videoId)))
    return { do: 'unchanged' };
  const videos = count(published.length, 'video', 'videos');
  const why = `the feed has ${videos}, all of them new: earlier uploads may have been missed`;
  return { do: 'fetch', expected, why };
}

const whyAll = '--all fetches every page';
const whyWithoutFeed = (problem: string): string => `the feed is ${problem}`;

/** Why an interrupted update fetches its remaining pages, if that is not for an expected ID. */
export const whyResumed = ({ isAll, feedProblem }: Progress): string | null =>
  isAll ? whyAll : feedProblem === null ? null : whyWithoutFeed(feedProblem);

/** Rule 3. */
function withoutFeed(record: Known, feed: MissingFeed, now: number): UpdateDecision {
  const fetch = { do: 'fetch', expected: [], why: whyWithoutFeed(feed.problem) } as const;
  if (record.failure?.code === 'gone') return fetch;
  if (record.withoutFeed !== null)
    return havePassed(record.withoutFeed, daysWithoutFeed, now) ? fetch : { do: 'unchecked' };
  if (record.checked === null || havePassed(record.checked, daysWithoutFeed, now)) return fetch;
  return { do: 'fail', feed, until: Date.parse(record.checked) + daysWithoutFeed * day };
}

/** Rules 1 and 4: the IDs of the feed that FILE lacks and the list should contain. */
function expectedIds(
  { missingIds }: Known,
  entries: readonly FeedEntry[],
  now: number,
  has: (id: string) => boolean,
): string[] {
  const expected = entries.filter(({ videoId, isShort, isScheduled }) => {
    if (isShort || isScheduled || has(videoId)) return false;
    const missing = Object.hasOwn(missingIds, videoId) ? missingIds[videoId] : undefined;
    if (missing === undefined) return true;
    return missing.checks < maxChecks && havePassed(missing.last, daysBetweenChecks, now);
  });
  return [...new Set(expected.map(({ videoId }) => videoId))];
}

/** Whether so many days have passed since a time. A time in the future is unknown: nothing waits for it to come. */
function havePassed(time: string, days: number, now: number): boolean {
  const elapsed = now - Date.parse(time);
  return elapsed < 0 || elapsed >= days * day - slack;
}

/**
 * Whether the IDs of FILE are needed to decide: not if the record knows of every ID of the feed, and one of them was in
 * the feed at the last check.
 */
export function needsIds({ feed: before, missingIds }: Known, { entries }: Feed): boolean {
  const known = new Set(before?.known);
  const ids = new Set(before?.ids);
  const published = (entries ?? []).filter(({ isScheduled }) => !isScheduled);
  const isUnknown = ({ videoId, isShort }: FeedEntry): boolean =>
    !isShort && !known.has(videoId) && !Object.hasOwn(missingIds, videoId);
  return published.some(isUnknown) || !published.some(({ videoId }) => ids.has(videoId));
}
