import { Failure, toFailure } from '../errors.ts';
import { operations } from '../service/contract.ts';
import { resolvedId } from '../service/references.ts';
import type { ExistingExport } from './existing-export.ts';
import { type Feed, readFeed } from './feed.ts';
import { type ExportJob, remember } from './job.ts';
import type { Memory } from './memory.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
/** A nightly run may start a little early, and 23 hours after the last one: pauses of days end this much earlier (ms). */
const slack = 2 * hour;
/** Days before the next look for an ID that the bought pages did not hold, after each look (rule 4). */
const soughtPauses = [1, 2, 4, 8];
/** Days before the next page is bought for a missing feed, after each one; the last pause repeats (rule 3). */
const feedPauses = [1, 2, 4, 8];
/** Consecutive missing feeds that mean that the feed is down. */
const feedOutage = 5;
/** Maximum number of IDs looked for in vain that a memory keeps. */
const maxSought = 200;

type Look =
  | { readonly feed: Feed; readonly problem: null }
  | { readonly feed: null; readonly problem: string };

/**
 * Asks `latest` (free). A feed that is empty, unreadable or of another channel, a 404 or 5xx count as missing. Throws if
 * the channel is gone.
 */
export async function lookAtFeed(
  job: ExportJob,
  existing: ExistingExport,
  remembered: boolean,
): Promise<Look> {
  const { run, receipt, start } = job;
  const { session } = run;
  let problem: string;
  try {
    const channel = job.id ?? start.value ?? '';
    const body = await session.client.call(operations.latest, { channel }, receipt.tally);
    const feed = readFeed(body, session.context.clock.now());
    if (feed !== null) {
      const isForeign = feed.channelId !== null && job.id !== null && feed.channelId !== job.id;
      const entries = remembered ? (job.memory?.entries ?? 0) : (await existing.ids()).entries;
      if (!isForeign && (feed.entries.length > 0 || entries === 0)) {
        remember(job, () => ({ vanished: null }));
        return { feed, problem: null };
      }
      problem = isForeign ? `that of another channel (${feed.channelId})` : 'empty';
    } else problem = 'unreadable';
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'not_found') {
      await refuseGone(job, failure);
      problem = 'not found (404)';
    } else if (failure.code === 'bad_answer') problem = 'unreadable';
    else if (failure.code === 'unavailable' && failure.scope === 'reference')
      problem = failure.status === null ? 'not available' : `not available (${failure.status})`;
    else throw failure;
  }
  return { feed: null, problem };
}

/** Throws if the channel is gone: `resolve` (free) does not find its reference either. */
async function refuseGone(job: ExportJob, failure: Failure): Promise<void> {
  const { run, receipt, start } = job;
  // This run has resolved it already: to another ID, or to none.
  if (run.moved.has(start.value ?? '')) throw gone(job, failure);
  try {
    const input = start.value ?? job.id ?? '';
    const body = await run.session.client.call(operations.resolve, { input }, receipt.tally);
    if (resolvedId(body) === job.id || job.id === null) return;
  } catch (error) {
    const { code } = toFailure(error);
    if (code !== 'not_found') {
      if (toFailure(error).scope === 'run') throw error;
      return;
    }
  }
  throw gone(job, failure);
}

/** The failure for a channel that was exported before and is no longer found; notes it in the memory. */
export function gone(job: ExportJob, failure: Failure): Failure {
  const { receipt, run } = job;
  const lastSeen = job.memory?.checked?.slice(0, 10) ?? null;
  receipt.isGone = true;
  receipt.isReported = job.memory?.vanished != null;
  const now = new Date(run.session.context.clock.now()).toISOString();
  remember(job, ({ vanished }) => ({ vanished: vanished ?? now }));
  return failure.with({
    message: lastSeen === null ? 'gone: exported before, no longer found' : `gone: last seen on ${lastSeen}`,
    hint: 'its export is kept; if it is gone for good, remove its line from the list',
  });
}

/**
 * Why one page is bought while the feed is missing; null if none is due. Throws the first time, which is neither
 * "nothing new" nor a successful look (rule 3).
 */
export async function whyPageWithoutFeed(
  job: ExportJob,
  problem: string,
  now: number,
): Promise<string | null> {
  const { feeds } = job.run;
  feeds.isDown ||= ++feeds.missingInRow >= feedOutage;
  const feed = job.memory?.feed ?? null;
  const since = new Date(now).toISOString();
  if (feed === null) {
    remember(job, () => ({ feed: { since, looks: 0, last: since } }));
    throw new Failure(
      'unavailable',
      `the feed of latest is ${problem}, so new uploads cannot be seen; nothing was bought`,
      {
        hint: 'if that has not changed by tomorrow, one page is bought instead (1 credit)',
      },
    );
  }
  const pause = feedPauses[Math.min(feed.looks, feedPauses.length - 1)] ?? 8;
  if (feeds.isDown || !isOver(feed.last, pause, now)) return null;
  return `the feed has been ${problem} since ${feed.since.slice(0, 10)}`;
}

/** Notes that a page was bought because the feed is missing. */
export function noteFeedLook(job: ExportJob, now: number): void {
  const last = new Date(now).toISOString();
  remember(job, ({ feed }) => (feed === null ? {} : { feed: { ...feed, looks: feed.looks + 1, last } }));
}

/**
 * The IDs of the feed that FILE lacks and the list should hold. Shorts, scheduled videos and IDs looked for in vain
 * that are not due again are not expected (rules 1 and 4).
 */
export async function expectedIds(
  job: ExportJob,
  existing: ExistingExport,
  feed: Feed,
  remembered: boolean,
  now: number,
): Promise<string[]> {
  const { memory } = job;
  const seen = new Set(remembered ? memory?.seen : []);
  const candidates = feed.entries.filter(
    ({ videoId, unlisted }) => !unlisted && !seen.has(videoId) && isDue(memory, videoId, now),
  );
  if (candidates.length === 0) return [];
  const ids = await existing.ids();
  return [...new Set(candidates.map(({ videoId }) => videoId).filter((id) => !ids.has(id)))];
}

function isDue(memory: Memory | null, id: string, now: number): boolean {
  const sought = memory !== null && Object.hasOwn(memory.sought, id) ? memory.sought[id] : undefined;
  if (sought === undefined) return true;
  const pause = soughtPauses[sought.looks - 1];
  return pause !== undefined && isOver(sought.last, pause, now);
}

/**
 * Whether a pause of so many days since `last` is over. It is, too, if `last` is in the future: the clock was wrong
 * then, and nothing may wait until that time comes.
 */
function isOver(last: string, days: number, now: number): boolean {
  const elapsed = now - Date.parse(last);
  return elapsed >= days * day - slack || elapsed < -slack;
}

/** Notes the expected IDs that the bought pages did not hold, and removes those that they held. */
export function noteSought(
  job: ExportJob,
  expected: readonly string[],
  found: ReadonlySet<string>,
  now: number,
): void {
  const last = new Date(now).toISOString();
  remember(job, ({ sought }) => {
    const next = new Map(Object.entries(sought).filter(([id]) => !found.has(id)));
    for (const id of expected) {
      if (found.has(id)) continue;
      const looks = (next.get(id)?.looks ?? 0) + 1;
      next.delete(id);
      next.set(id, { looks, last });
    }
    return { sought: Object.fromEntries([...next].slice(-maxSought)) };
  });
}

/** The IDs of the feed that FILE has after an update, for the memory. `found`: those on the bought pages. */
export function seenIds(
  feed: Feed | null,
  found: ReadonlySet<string>,
  memory: Memory | null,
  expected: readonly string[],
): string[] {
  const before = new Set(memory?.seen);
  const vain = new Set(expected);
  return (feed?.entries ?? [])
    .map(({ videoId }) => videoId)
    .filter((id) => found.has(id) || (before.has(id) && !vain.has(id)));
}
