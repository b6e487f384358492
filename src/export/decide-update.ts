import { type CheckHistory, maxIds } from '../archive/record.ts';
import { dayMs, hourMs } from '../text/duration.ts';

/** An entry of the feed that `latest` returns. */
export interface FeedEntry {
  readonly videoId: string;
  /** A Short: never in the uploads list. */
  readonly isShort: boolean;
  /** Published in the future: not yet in the uploads list. */
  readonly isScheduled: boolean;
}

/** Why a channel has no feed (rule 3). */
export interface MissingFeed {
  readonly entries: null;
  readonly problem: string;
  /** HTTP status of the response; null if there was no response. */
  readonly status: number | null;
}

export type Feed = { readonly entries: readonly FeedEntry[]; readonly problem: null } | MissingFeed;

/** What an update does (docs/updates.md, rules 1 to 4). */
type UpdateDecision =
  /** Nothing new. */
  | { readonly action: 'unchanged' }
  /** No feed, but a page was fetched instead less than seven days ago. */
  | { readonly action: 'unchecked' }
  /** No feed; from `until` on (milliseconds since 1970), one page is fetched instead. */
  | { readonly action: 'fail'; readonly until: number }
  /** Buy pages, until one ends with a known entry. */
  | { readonly action: 'buy'; readonly expected: readonly string[] };

/** Waits measured in days are this much shorter, so that a run that starts early does not slip to the next night (ms). */
const earlyStartMs = 2 * hourMs;
/** Rule 3: days after the last successful check, and after a page without a feed, until a page is fetched. */
export const daysWithoutFeed = 7;
/** Rule 4: how many times an ID that no fetched page contained is expected, and the days between. */
const maxChecks = 2;
const daysBetweenChecks = 1;

/**
 * Decides what an update buys. `has`: whether FILE contains an ID. `now`: milliseconds since 1970. Pure; the rules
 * are those of docs/updates.md.
 */
export function decideUpdate(
  before: CheckHistory,
  feed: Feed,
  now: number,
  { all, has }: { readonly all: boolean; readonly has: (id: string) => boolean },
): UpdateDecision {
  const expected = feed.entries === null ? [] : expectedIds(before, feed.entries, now, has);
  if (all) return { action: 'buy', expected };
  if (feed.entries === null) return decideWithoutFeed(before, now);
  if (expected.length > 0) return { action: 'buy', expected };
  // No ID is expected; but if none of the feed is known, more than a feed of uploads may be new.
  const published = feed.entries.filter(({ isScheduled }) => !isScheduled);
  const lastIds = new Set(before.feed?.ids);
  const isConnected = published.some(({ videoId }) => has(videoId) || lastIds.has(videoId));
  return published.length === 0 || isConnected ? { action: 'unchanged' } : { action: 'buy', expected };
}

/** Decides without a feed (rule 3). */
function decideWithoutFeed(before: CheckHistory, now: number): UpdateDecision {
  const { failure, withoutFeed: lastPage, checked } = before;
  const buy = { action: 'buy', expected: [] } as const;
  if (failure?.code === 'gone') return buy;
  if (lastPage !== null)
    return haveDaysPassed(lastPage, daysWithoutFeed, now) ? buy : { action: 'unchecked' };
  if (checked === null || haveDaysPassed(checked, daysWithoutFeed, now)) return buy;
  return { action: 'fail', until: Date.parse(checked) + daysWithoutFeed * dayMs };
}

/** Returns the IDs of the feed that FILE lacks and the list should contain (rules 1 and 4). */
function expectedIds(
  { missingIds }: CheckHistory,
  entries: readonly FeedEntry[],
  now: number,
  has: (id: string) => boolean,
): string[] {
  const expected = entries.filter(({ videoId, isShort, isScheduled }) => {
    if (isShort || isScheduled || has(videoId)) return false;
    const earlier = Object.hasOwn(missingIds, videoId) ? missingIds[videoId] : undefined;
    if (earlier === undefined) return true;
    return earlier.checks < maxChecks && haveDaysPassed(earlier.last, daysBetweenChecks, now);
  });
  return [...new Set(expected.map(({ videoId }) => videoId))].slice(0, maxIds);
}

/** Returns the IDs that are no longer expected after this check (rule 4). */
export const noLongerExpected = (expected: readonly string[], { missingIds }: CheckHistory): string[] =>
  expected.filter((id) => Object.hasOwn(missingIds, id) && (missingIds[id]?.checks ?? 0) >= maxChecks);

/** Whether `days` days, less `earlyStartMs`, have passed since `time`. True for a future time: nothing waits for it. */
function haveDaysPassed(time: string, days: number, now: number): boolean {
  const elapsed = now - Date.parse(time);
  return elapsed < 0 || elapsed >= days * dayMs - earlyStartMs;
}

/**
 * Whether the decision needs the IDs of FILE. It does not if the record knows every ID of the feed, and one of these IDs
 * was in the feed at the last check.
 */
export function needsIds({ feed: before, missingIds }: CheckHistory, { entries }: Feed): boolean {
  const known = new Set(before?.known);
  const ids = new Set(before?.ids);
  const published = (entries ?? []).filter(({ isScheduled }) => !isScheduled);
  const isUnknown = ({ videoId, isShort }: FeedEntry): boolean =>
    !isShort && !known.has(videoId) && !Object.hasOwn(missingIds, videoId);
  return published.some(isUnknown) || !published.some(({ videoId }) => ids.has(videoId));
}
