import { Failure, toFailure } from '../errors.ts';
import { markOf } from '../fs/output-target.ts';
import { type Listing, videoIdOf } from '../run/list-pages.ts';
import { type Result, resultOf } from '../run/results.ts';
import { count } from '../text/count.ts';
import { Archive } from './archive.ts';
import { buyPages } from './buy-pages.ts';
import { type Check, checksAfter } from './checks.ts';
import { decideUpdate, type Feed, type MissingFeed, needsIds } from './decide-update.ts';
import { endRun } from './end-run.ts';
import { requestFeed } from './latest-feed.ts';
import { beginRun, failedExport, type LockedExport, referenceOf } from './locked-export.ts';
import { adoptedText } from './messages.ts';
import { newRecord, noChecks, writeRecord } from './record.ts';
import type { RunFile } from './run-file.ts';

/**
 * Brings FILE up to date (docs/updates.md): requests the feed, decides, and buys pages only if they are needed. `all`: buys
 * every page. `isSecond`: the pages of a first attempt in this run were dropped.
 */
export async function updateArchive(locked: LockedExport, all: boolean, isSecond = false): Promise<Result> {
  const { item, record, context, warn, folder, name } = locked;
  const now = context.clock.now();
  const archive = new Archive(locked, all);
  const isChanged = locked.existing.file !== 'archive';
  // A FILE that is not as recorded is read before anything is sent.
  if (isChanged) await archive.read();
  const { entries } = archive;
  let feed: Feed;
  try {
    feed = await requestFeed(locked, item.id, entries > 0, item.tally);
  } catch (error) {
    return failedExport(locked, toFailure(error), { entries });
  }
  const before = record?.checks ?? noChecks;
  const isRead = all || isChanged || needsIds(before, feed);
  const known = isRead ? await archive.read() : new Set(before.feed?.known);
  const has = (id: string): boolean => known.has(id);
  const decision = decideUpdate(before, feed, now, { all, has });
  switch (decision.do) {
    case 'unchanged': {
      if (record === null) warn('adopted', item.label, adoptedText);
      const check = { feed: feed.entries, isWithoutFeed: false, has, expected: [], missing: null };
      return unchanged(locked, archive, { ...check, time: new Date(now).toISOString() }, {});
    }
    case 'unchecked':
      if (record !== null && before.failure !== null)
        writeRecord(folder, name, { ...record, checks: { ...before, failure: null } });
      return resultOf(item, { status: 'unchecked', entries, added: 0 });
    case 'fail':
      return failedExport(locked, noFeed(decision.feed, decision.until), { entries });
    case 'buy': {
      using run = beginRun(locked, { all, expected: decision.expected, feedProblem: feed.problem });
      return await buyNew(locked, archive, run, feed.entries, isSecond);
    }
  }
}

/** Buys the remaining pages of an interrupted update. `all`: the run that resumes it buys every page afterwards. */
export async function resumeUpdate(locked: LockedExport, run: RunFile, all: boolean): Promise<Result> {
  const archive = new Archive(locked, all || run.header.update?.all === true);
  return await buyNew(locked, archive, run, null, false);
}

/** Buys pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. */
async function buyNew(
  locked: LockedExport,
  archive: Archive,
  run: RunFile,
  feed: Feed['entries'],
  isSecond: boolean,
): Promise<Result> {
  const { warn, item, record, context, target } = locked;
  const { update, started } = run.header;
  if (update === null) throw new Error('the run is no update');
  const { all, expected, feedProblem } = update;
  const known = await archive.read();
  const { pages: pagesBefore, entries: resumed } = run.position;
  const newIds = await run.ids(context.stop);
  if ([...newIds].some((id) => known.has(id))) {
    // FILE has got entries of this run meanwhile: they would be there twice.
    run.remove();
    return await updateArchive({ ...locked, run: null }, all, true);
  }
  const { select, seen } = selectNew(known, newIds, all);
  const { facts: bought, failure } = await buyPages(locked, run, select, archive.entries);
  if (failure?.code === 'unresumable') {
    run.remove();
    if (!isSecond) return await updateArchive({ ...locked, run: null }, all, true);
  }
  const facts: Partial<Result> = { ...bought, entries: archive.entries, added: 0, resumed };
  if (failure !== null) return failedExport(locked, failure, facts);
  if (record === null && !all) warn('adopted', item.label, adoptedText);
  if (feedProblem !== null)
    warn('no feed', item.label, `checked with a page instead of the feed, which is ${feedProblem}`);
  if (seen.isEntryWithoutId)
    warn('no ID', item.label, `skipped entries without a videoId: ${target.path} may already have them`);
  const { badLines, damage } = archive.leftOut;
  if (badLines > 0)
    warn(
      'repaired',
      item.label,
      `${target.path}: left out ${count(badLines, 'line', 'lines')}; the first: ${damage}`,
    );
  const check: Check = {
    feed,
    isWithoutFeed: feedProblem !== null,
    has: (id) => known.has(id) || newIds.has(id),
    expected,
    missing: bought.missing,
    // Without a feed, the check is as old as the first page.
    time: feed === null ? started : new Date(context.clock.now()).toISOString(),
  };
  // What the list no longer has is known only if this run has read all of it.
  const isListRead = all && pagesBefore === 0 && seen.isListEnd;
  const unlisted = isListRead ? unlistedIds(known, seen.knownIds) : null;
  const added = run.position.entries;
  if (added === 0 && badLines === 0) {
    const result = unchanged(locked, archive, check, { ...facts, unlisted });
    // What it has paid for goes only once that is recorded.
    run.remove();
    return result;
  }
  await endRun(locked, run, checksAfter(record?.checks ?? noChecks, check), archive);
  return resultOf(item, { ...facts, entries: archive.entries + added, added, unlisted });
}

/**
 * Rule 2: selects the entries that FILE lacks, each once; ends with a page whose last entry FILE has. `newIds`: those
 * selected so far. `seen`: what the pages held.
 */
function selectNew(known: ReadonlySet<string>, newIds: Set<string>, all: boolean) {
  const seen = { knownIds: new Set<string>(), isEntryWithoutId: false, isListEnd: false };
  const select: Listing['select'] = ({ entries, hasMore }) => {
    seen.isListEnd = !hasMore;
    let last: string | null = null;
    const fresh = entries.filter((entry) => {
      const id = videoIdOf(entry);
      seen.isEntryWithoutId ||= id === null;
      if (id === null) return false;
      last = id;
      if (known.has(id)) seen.knownIds.add(id);
      if (known.has(id) || newIds.has(id)) return false;
      newIds.add(id);
      return true;
    });
    const done = !all && last !== null && known.has(last);
    return { entries: fresh, done, isWhole: true };
  };
  return { select, seen };
}

/** Most IDs of entries that the list no longer has in a result. */
const maxUnlisted = 1000;

function unlistedIds(known: ReadonlySet<string>, listed: ReadonlySet<string>): Result['unlisted'] {
  const unlisted = [...known].filter((id) => !listed.has(id));
  return { count: unlisted.length, ids: unlisted.slice(0, maxUnlisted) };
}

/** FILE stays: records the check, and FILE as it is now. */
function unchanged(locked: LockedExport, { entries }: Archive, check: Check, facts: Partial<Result>): Result {
  const { item, record, target, folder, name } = locked;
  if (target.stats === null) throw new Error('an archive without a file');
  const checks = checksAfter(record?.checks ?? noChecks, check);
  const reference = referenceOf(locked);
  const { id } = item;
  writeRecord(folder, name, newRecord({ reference, id, ...markOf(target.stats), entries, checks }));
  return resultOf(item, { ...facts, status: 'unchanged', entries, added: 0 });
}

/** Rule 3: there is no feed, and no page is due yet. */
function noFeed({ problem, status }: MissingFeed, until: number): Failure {
  const day = new Date(until).toISOString().slice(0, 10);
  const message = `cannot check for new uploads: the "latest" feed is ${problem}`;
  const hint = `no action needed: if it is not back by ${day}, one page is bought instead (1 credit)`;
  return new Failure('no_feed', message, { status, hint });
}
