import type { UpdateRequest } from '../archive/pages-format.ts';
import { type ArchiveRecord, changeRecord, checksAfter, noChecks } from '../archive/record.ts';
import { Failure } from '../errors.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { addNewEntries } from './add-new-entries.ts';
import { decideUpdate, type Feed, type FeedEntry, needsIds } from './decide-update.ts';
import { currentTime, type ExportItem, startPages } from './export-item.ts';
import { requestFeed } from './latest-feed.ts';
import {
  type ArchiveContents,
  fingerprintOf,
  readIntact,
  recordUnchanged,
  warnAboutFile,
} from './updated-file.ts';

/** What is known of FILE: its record or, once FILE has been read, its content. */
type KnownFile = ArchiveRecord | ArchiveContents;

const isRead = (file: KnownFile): file is ArchiveContents => 'ids' in file;

/** Brings FILE up to date (docs/updates.md): requests the feed, decides, and buys pages only if they are needed. */
export async function updateArchive(run: Run, item: ExportItem): Promise<Result> {
  const { id, record, onDisk, exportFolder, reference, buysAll: all } = item;
  const { feeds, context, operation } = exportFolder;
  const now = context.clock.now();
  const isPlaylist = operation.name === 'playlist';
  // `--all` and playlists always need a page: if none can be bought, do not request the feed either.
  if ((all || isPlaylist) && run.budget.exhausted !== null) throw run.budget.exhausted;
  // Read a FILE that is not as recorded before anything is sent, and any other FILE only when its content is needed.
  const recorded = onDisk.file === 'archive' ? record : null;
  let file: KnownFile = recorded ?? (await readIntact(item));
  // A playlist has no feed, and new entries may be anywhere in it.
  if (isPlaylist)
    return await buyUpdate(run, item, file, { all: true, expected: [], feedProblem: null }, null);
  const feed = feeds.deferred.get(id) ?? (await requestFeed(run, item, file.entries > 0));
  feeds.add(id, feed);
  if (feed.entries !== null) warnAboutClock(run, item, feed.entries);
  const before = record?.checks ?? noChecks;
  if (recorded !== null && (all || needsIds(before, feed))) file = await readIntact(item);
  const known = isRead(file) ? file.ids : new Set(before.feed?.known);
  const has = (videoId: string): boolean => known.has(videoId);
  const decision = decideUpdate(before, feed, now, { all, has });
  switch (decision.action) {
    case 'unchanged': {
      const check = { feed: feed.entries, isWithoutFeed: false, has, expected: [], missing: null };
      const checks = checksAfter(before, { ...check, time: new Date(now).toISOString() });
      warnAboutFile(run, item, isRead(file) ? file : null, false);
      recordUnchanged(item, file, { checks, whole: record?.whole ?? null });
      return resultOf(reference, { status: 'unchanged', entries: file.entries, added: 0 });
    }
    case 'unchecked':
      clearFailure(item, feed);
      return resultOf(reference, { status: 'unchecked', entries: file.entries, added: 0 });
    case 'fail':
      throw noFeed(feed, decision.until);
    case 'buy': {
      if (feed.entries === null && !all && !feeds.deferred.has(id)) {
        feeds.deferred.set(id, feed);
        return resultOf(reference, { status: 'unchecked', entries: file.entries, added: 0 });
      }
      // Record that the feed is back, even if no page can be bought.
      if (feed.entries !== null) clearFailure(item, feed);
      const { expected } = decision;
      return await buyUpdate(run, item, file, { all, expected, feedProblem: feed.problem }, feed.entries);
    }
  }
}

/** Do not suspect the clock for fewer scheduled entries: a channel may have no others. */
const minScheduled = 5;

/** Warns if every entry of a feed is in the future, so that none of them is expected. */
function warnAboutClock(run: Run, { reference }: ExportItem, entries: readonly FeedEntry[]): void {
  const message = 'every entry of its feed is dated in the future; check the clock of this machine';
  if (entries.length >= minScheduled && entries.every(({ isScheduled }) => isScheduled))
    run.warn('clock', reference.label, message);
}

async function buyUpdate(
  run: Run,
  item: ExportItem,
  file: KnownFile,
  update: Omit<UpdateRequest, 'file' | 'started'>,
  feed: Feed['entries'],
): Promise<Result> {
  const contents = isRead(file) ? file : await readIntact(item);
  using pages = startPages(item, { ...update, file: fingerprintOf(contents), started: currentTime(item) });
  return await addNewEntries(run, item, contents, pages, feed);
}

/** Failures that end when there is a feed again. */
const feedFailureCodes: readonly (string | undefined)[] = ['no_feed', 'gone', 'unauthorized'];

/** Clears the recorded failure. If there is a feed, clears only a failure in `feedFailureCodes`, and also `withoutFeed`. */
function clearFailure({ exportFolder, name, id }: ExportItem, { entries }: Feed): void {
  changeRecord(exportFolder.privateFolder, name, id, ({ checks }) => {
    if (entries === null) return { checks: { ...checks, failure: null } };
    const failure = feedFailureCodes.includes(checks.failure?.code) ? null : checks.failure;
    return { checks: { ...checks, failure, withoutFeed: null } };
  });
}

/** Returns the failure of a channel without a feed. `until`: when a page may replace the feed. */
function noFeed(feed: Feed, until: number): Failure {
  const day = new Date(until).toISOString().slice(0, 10);
  const problem = `cannot check for new uploads: the "latest" feed is ${feed.problem}`;
  const then = `if it is not back by ${day}, an update buys one page instead (1 credit)`;
  return new Failure('no_feed', `${problem}; ${then}`, {
    status: feed.entries === null ? feed.status : null,
    step: 'no action needed',
  });
}
