import { Failure, toFailure } from '../../errors.ts';
import { markOf } from '../../fs/output-target.ts';
import type { JsonText } from '../../json/json-text.ts';
import { type Listing, videoIdOf } from '../../run/list-pages.ts';
import { type Result, resultOf } from '../../run/results.ts';
import { decideUpdate, type Feed, type MissingFeed, needsIds, whyResumed } from '../decide/decide-update.ts';
import type { Ids } from '../inspect/id-set.ts';
import { finishedOf, isIntact, readFile } from '../inspect/inspect-export.ts';
import type { Contents } from '../inspect/read-archive.ts';
import { type LockedExport, loadContents, saveRecord } from '../locked-export.ts';
import { refusal } from '../messages.ts';
import { afterRun, type Check } from '../record/after-run.ts';
import { newProgress, type Progress } from '../record/export-record.ts';
import { fetchRows } from './fetch-rows.ts';
import { needsDates, publishedDates, requestFeed } from './latest-feed.ts';
import { putInPlace } from './put-in-place.ts';
import { recordFailure } from './record-failure.ts';

/** Brings FILE up to date (docs/updates.md): asks for the feed, decides, and fetches pages only if they are needed. */
export async function updateArchive(locked: LockedExport): Promise<Result> {
  const { item, record, flags, operation, fields } = locked;
  const { entries } = locked.file;
  let feed: Feed;
  try {
    feed = await requestFeed(locked, item.id, entries > 0, item.tally);
  } catch (error) {
    return recordFailure(locked, toFailure(error), { entries });
  }
  if (flags.all || needsIds(record, feed)) await assertIntact(locked);
  const known = new Set(record.feed?.known);
  const has = (id: string): boolean => locked.file.contents?.ids.has(id) ?? known.has(id);
  const decision = decideUpdate(record, feed, flags.now, { all: flags.all, has });
  const facts = {
    published: needsDates(operation, fields) ? publishedDates(feed) : {},
    feedProblem: feed.problem,
  };
  switch (decision.do) {
    case 'unchanged': {
      const before = newUpdate(locked, { ...facts, hasMore: false });
      if (before.olderBytes > 0) {
        await assertIntact(locked);
        return await fetchNew(locked, before, feed.entries, null);
      }
      const check = { feed: feed.entries, isWithoutFeed: false, has, expected: [], missing: null };
      return await recordCheck(locked, { status: 'unchanged', entries }, check);
    }
    case 'unchecked':
      saveRecord(locked, afterRun(record, { kind: 'unchecked' }, flags.now));
      return resultOf(item, { status: 'unchecked', entries, added: 0 });
    case 'fail':
      return recordFailure(locked, noFeed(decision.feed, decision.until), { entries });
    case 'fetch': {
      await assertIntact(locked);
      const { expected, why } = decision;
      const before = newUpdate(locked, { ...facts, expected });
      return await fetchNew(locked, before, feed.entries, why);
    }
  }
}

/** Fetches the remaining pages of an interrupted update. */
export async function resumeUpdate(locked: LockedExport, progress: Progress): Promise<Result> {
  await assertIntact(locked);
  return await fetchNew(locked, progress, null, whyResumed(progress));
}

/** The progress of an update that starts now: behind the rows of one that it starts over. */
function newUpdate({ file, flags }: LockedExport, facts: Partial<Progress>): Progress {
  const { stats } = file.target;
  const progress = file.rowsDamage === null && file.progress?.kind === 'update' ? file.progress : null;
  const older = progress && { rows: progress.rows, bytes: progress.bytes, olderBytes: progress.bytes };
  const fileAtStart = stats === null ? null : markOf(stats);
  const published = { ...facts.published, ...progress?.published };
  return newProgress(flags, { kind: 'update', fileAtStart, ...facts, ...older, published });
}

/** Reads FILE. Throws `lost` or `damaged` if it is not intact, which only `--all` repairs. */
async function assertIntact(locked: LockedExport): Promise<void> {
  await loadContents(locked);
  const { state } = locked.file;
  if (!isIntact(locked.file) && !locked.flags.all)
    throw refusal(state === 'lost' ? 'lost' : 'damaged', locked);
}

/**
 * Fetches pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top.
 */
async function fetchNew(
  locked: LockedExport,
  before: Progress,
  feed: Check['feed'],
  why: string | null,
): Promise<Result> {
  const { warn, item } = locked;
  const { expected, feedProblem } = before;
  const contents = await loadContents(locked);
  const { rowIds, olderIds } = locked.file;
  const resumed = rowIds.size + olderIds.size;
  /** Those in the rows that this run appends to: none, if the update starts now. */
  const selectedIds = new Set(before.entries === 0 ? [] : rowIds);
  const { select, seen } = selectNew(contents.ids, selectedIds, before.isAll);
  const fetched = await fetchRows(locked, before, select, contents.entries);
  using _rows = fetched.rows;
  const { failure, progress } = fetched;
  const { pages } = fetched.facts;
  const isUnexplained = expected.length > 0 && !expected.some((id) => selectedIds.has(id));
  const mismatch = `the feed shows videos that the list does not contain: ${expected.slice(0, 3).join(', ')}`;
  // What the list no longer contains is known only if this run has read all of it.
  const isListRead = before.pages === 0 && pages > 0 && seen.isListEnd;
  const facts: Partial<Result> = {
    ...fetched.facts,
    entries: contents.entries,
    added: failure === null ? progress.entries : 0,
    resumed,
    why: pages === 0 ? null : (why ?? (isUnexplained ? mismatch : null)),
    unlisted: failure === null && isListRead ? unlistedIds(contents, seen.knownIds) : null,
  };
  if (failure !== null) return recordFailure(locked, failure, facts);
  if (feedProblem !== null)
    warn('no feed', item.label, `checked with a page instead of the feed, which is ${feedProblem}`);
  if (seen.isEntryWithoutId)
    warn(
      'no ID',
      item.label,
      `skipped entries without a videoId: ${locked.file.target.path} may already have them; no action needed`,
    );
  const has = (id: string): boolean =>
    [contents.ids, selectedIds, rowIds, olderIds].some((ids) => ids.has(id));
  const isWithoutFeed = feedProblem !== null;
  const check = { feed, isWithoutFeed, has, expected, missing: fetched.facts.missing };
  if (progress.entries === 0 && progress.olderBytes === 0 && isIntact(locked.file)) {
    return await recordCheck(locked, { ...facts, status: 'unchanged' }, check);
  }
  return await putInPlace(locked, fetched, facts, check);
}

/**
 * Rule 2: selects the entries that FILE lacks, each once; ends with a page whose last entry FILE has. `seen`: what the
 * pages so far contained, of IDs those that FILE has.
 */
function selectNew(known: Ids, selectedIds: Set<string>, isAll: boolean) {
  const seen = { knownIds: new Set<string>(), isEntryWithoutId: false, isListEnd: false };
  const select: Listing['select'] = ({ entries, hasMore }) => {
    seen.isListEnd = !hasMore;
    let end: string | null = null;
    const fresh = entries.filter((entry: JsonText) => {
      const id = videoIdOf(entry);
      seen.isEntryWithoutId ||= id === null;
      if (id === null) return false;
      end = id;
      if (known.has(id)) seen.knownIds.add(id);
      if (known.has(id) || selectedIds.has(id)) return false;
      selectedIds.add(id);
      return true;
    });
    const done = !isAll && end !== null && known.has(end);
    return { entries: fresh, done, isWhole: true };
  };
  return { select, seen };
}

/** Most IDs of entries that the list no longer contains in a result. */
const maxUnlisted = 1000;

function unlistedIds({ ids }: Contents, listed: ReadonlySet<string>): Result['unlisted'] {
  const unlisted = [...ids].filter((id) => !listed.has(id));
  return { count: unlisted.length, ids: unlisted.slice(0, maxUnlisted) };
}

/** FILE needs no change: notes the check, and FILE as it is now. */
async function recordCheck(locked: LockedExport, facts: Partial<Result>, check: Check): Promise<Result> {
  const { record, file, flags, item, context, folder } = locked;
  const { finished, progress } = record;
  if (finished === null) throw new Error('a check without a file');
  const { exported } = finished;
  const present =
    file.state === 'changed'
      ? await readFile(file.target, (fd) => finishedOf(fd, file.entries, exported, context.stop))
      : finished;
  saveRecord(locked, afterRun(record, { kind: 'checked', finished: present, check }, flags.now));
  if (progress !== null) folder.remove(progress.rows);
  return resultOf(item, { added: 0, ...facts });
}

/** Rule 3: there is no feed, and no page is due yet. */
function noFeed({ problem, isAbsent, status }: MissingFeed, until: number): Failure {
  const day = new Date(until).toISOString().slice(0, 10);
  const message = `cannot check for new uploads: the "latest" feed is ${problem}`;
  const hint = `no action needed: if it is not back by ${day}, one page is fetched instead (1 credit)`;
  return new Failure(isAbsent ? 'no_feed' : 'unavailable', message, { status, hint });
}
