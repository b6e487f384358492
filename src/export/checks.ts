import type { Failure } from '../errors.ts';
import type { Checks } from './record.ts';

/** What a successful check saw. */
export interface Check {
  /** Null: there is none, or it was not requested. */
  readonly feed: readonly { readonly videoId: string }[] | null;
  /** The feed was requested, and is missing. */
  readonly isWithoutFeed: boolean;
  /** Whether FILE has an ID now. */
  readonly has: (id: string) => boolean;
  /** The IDs that the pages should hold. */
  readonly expected: readonly string[];
  /** numVideos less entries; null if no page was bought, or it is unknown: what was known before counts. */
  readonly missing: number | null;
  /** When it was made (ISO 8601). */
  readonly time: string;
}

/** Longest feed, and most missing IDs, that a record keeps. */
const maxIds = 200;

/** What is known of an archive after a successful check. Pure. */
export function checksAfter(before: Checks, check: Check): Checks {
  const { feed, isWithoutFeed, has, time, missing } = check;
  const ids = (feed ?? []).map(({ videoId }) => videoId).slice(0, maxIds);
  return {
    checked: time,
    missing: missing ?? before.missing,
    feed: feed === null ? null : { ids, known: ids.filter(has) },
    missingIds: missingAfter(before.missingIds, check),
    withoutFeed: isWithoutFeed ? time : null,
    failure: null,
  };
}

/** The same after a failure of this archive alone; null: nothing changes. `now`: milliseconds since 1970. */
export function checksAfterFailure(before: Checks, { code, scope }: Failure, now: number): Checks | null {
  if (scope !== 'reference' || before.failure?.code === code) return null;
  return { ...before, failure: { code, since: new Date(now).toISOString() } };
}

/** Rule 4: the expected IDs that FILE still lacks. */
function missingAfter(before: Checks['missingIds'], { expected, has, time }: Check): Checks['missingIds'] {
  const next = new Map(Object.entries(before).filter(([id]) => !has(id)));
  for (const id of expected) {
    if (has(id)) continue;
    const checks = (next.get(id)?.checks ?? 0) + 1;
    next.delete(id);
    next.set(id, { checks, last: time });
  }
  return Object.fromEntries([...next].slice(-maxIds));
}
