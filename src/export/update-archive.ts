import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../errors.ts';
import { missingEntries, type Sink, videoIdOf } from '../run/list-pages.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { Archive } from './archive.ts';
import { assertSame } from './assert-unchanged.ts';
import { buyPages } from './buy-pages.ts';
import { decideUpdate, type Feed, needsIds, noLongerExpected } from './decide-update.ts';
import { endRun, removePages } from './end-run.ts';
import { failedExport } from './export-failure.ts';
import { type ExportItem, startPages, timeOf } from './exports.ts';
import { requestFeed } from './latest-feed.ts';
import { adoptedText } from './messages.ts';
import type { PagesFile } from './pages-file.ts';
import type { UpdateRequest } from './pages-format.ts';
import { type ArchiveRecord, changeChecks, checksAfter, noChecks, writeRecord } from './record.ts';

/**
 * Brings FILE up to date (docs/updates.md): requests the feed, decides, and buys pages only if they are needed. `all`: buys
 * every page, and repairs FILE.
 */
export async function updateArchive(run: Run, item: ExportItem, all: boolean): Promise<Result> {
  const { record, exports, name, reference } = item;
  const now = exports.context.clock.now();
  const archive = new Archive(item, all);
  const isChanged = item.existing.file !== 'archive';
  const isPlaylist = exports.operation.name === 'playlist';
  // What needs a page in any case asks for nothing once none can be bought.
  if ((all || isPlaylist) && run.budget.exhausted !== null) throw run.budget.exhausted;
  const buyUpdate = async (
    update: Omit<UpdateRequest, 'file' | 'started'>,
    feed: Feed['entries'],
  ): Promise<Result> => {
    using pages = startPages(item, { ...update, file: archive.mark, started: timeOf(item) });
    return await addNew(run, item, archive, pages, feed);
  };
  // A FILE that is not as recorded is read before anything is sent.
  if (isChanged) await archive.read();
  // A playlist has no feed, and what is new may be anywhere in it.
  if (isPlaylist) return await buyUpdate({ all: true, expected: [], feedProblem: null }, null);
  const { entries } = archive;
  const { feeds } = exports;
  const feed = feeds.waiting.get(reference) ?? (await requestFeed(run, item, entries > 0));
  feeds.note(reference, feed);
  const before = record?.checks ?? noChecks;
  const isRead = all || isChanged || needsIds(before, feed);
  const known = isRead ? await archive.read() : new Set(before.feed?.known);
  const has = (id: string): boolean => known.has(id);
  const decision = decideUpdate(before, feed, now, { all, has });
  /** Clears a recorded failure, and `withoutFeed` once there is a feed. */
  const forgetFailure = (): void =>
    changeChecks(exports.folder, name, item.id, (before) => ({
      ...before,
      failure: null,
      withoutFeed: feed.entries === null ? before.withoutFeed : null,
    }));
  switch (decision.do) {
    case 'unchanged': {
      warnOf(run, item, archive, { all });
      const check = { feed: feed.entries, isWithoutFeed: false, has, expected: [], missing: null };
      const checks = checksAfter(before, { ...check, time: new Date(now).toISOString() });
      recordUnchanged(item, archive, { checks, whole: record?.whole ?? null });
      return resultOf(reference, { status: 'unchanged', entries, added: 0 });
    }
    case 'unchecked':
      forgetFailure();
      return resultOf(reference, { status: 'unchecked', entries, added: 0 });
    case 'fail': {
      const day = new Date(decision.until).toISOString().slice(0, 10);
      const message = `cannot check for new uploads: the "latest" feed is ${feed.problem}`;
      const status = feed.entries === null ? feed.status : null;
      const next = `no action needed: if it is not back by ${day}, an update buys one page instead (1 credit)`;
      throw new Failure('no_feed', message, { status, next });
    }
    case 'buy': {
      if (feed.entries === null && !all && !feeds.mayReplace) {
        feeds.waiting.set(reference, feed);
        return resultOf(reference, { status: 'unchecked', entries, added: 0 });
      }
      // A feed that is back is noted even if no page can be bought.
      if (feed.entries !== null) forgetFailure();
      return await buyUpdate({ all, expected: decision.expected, feedProblem: feed.problem }, feed.entries);
    }
  }
}

/** Buys pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. */
export async function addNew(
  run: Run,
  item: ExportItem,
  archive: Archive,
  pages: PagesFile,
  feed: Feed['entries'] = null,
): Promise<Result> {
  const { record, reference, exports } = item;
  const known = await archive.read();
  const resumed = pages.position.entries;
  const isResumed = pages.position.next !== 'start';
  await setUselessAside(item, archive, pages);
  const bought = await buyWithOneRestart(run, item, archive, pages);
  const { newIds, listed, hasEntriesWithoutId } = bought;
  const facts = { ...bought.facts, entries: archive.entries, added: 0, resumed };
  if (bought.failure !== null) {
    // FILE does not have the entries of this run yet.
    const missing = missingEntries(pages.position.total, facts.pages, archive.entries);
    return failedExport(item, bought.failure, { ...facts, missing });
  }
  const keepWithoutId = !hasEntriesWithoutId && !archive.hasEntriesWithoutId;
  await pages.addAside(known, newIds, keepWithoutId, exports.context.stop);
  const { all, expected, feedProblem, started } = updateRequestOf(pages);
  const checks = checksAfter(record?.checks ?? noChecks, {
    feed,
    isWithoutFeed: feedProblem !== null,
    has: (id) => known.has(id) || newIds.has(id),
    expected,
    missing: facts.missing,
    // Without a feed, the check is as old as the first page.
    time: feed === null ? started : timeOf(item),
  });
  // An interrupted run's feed is outdated.
  if (feedProblem !== null && !isResumed) exports.feeds.replaced.set(reference.label, feedProblem);
  warnOf(run, item, archive, { all, hasEntriesWithoutId, notListed: noLongerExpected(expected, checks) });
  const added = pages.position.entries;
  const after = { checks, whole: all ? started : (record?.whole ?? null) };
  const unlisted = listed === null ? null : unlistedIds(known, listed);
  const result = { ...facts, added, unlisted };
  if (added > 0 || archive.isCut) {
    await endRun(run, item, pages, after, archive);
    return resultOf(reference, { ...result, entries: archive.entries + added });
  }
  recordUnchanged(item, archive, after);
  // Delete the paid pages only after the check is recorded.
  removePages(run, item, pages);
  return resultOf(reference, { ...result, status: 'unchanged' });
}

/** Sets interrupted pages aside if `--all` buys more than they were for, or if FILE has since got entries of them. */
async function setUselessAside(item: ExportItem, archive: Archive, pages: PagesFile): Promise<void> {
  const update = updateOf(pages, archive, timeOf(item));
  if (update !== pages.header.update) return pages.setAside(update, 'start');
  const [known, ids] = [await archive.read(), await pages.ids(item.exports.context.stop)];
  if ([...ids].some((id) => known.has(id)))
    pages.setAside(update, pages.position.next === 'end' ? 'end' : 'start');
}

/** Returns the update to continue: the one of the pages or, with `--all`, a new one that buys every page. */
export function updateOf(pages: PagesFile, { all, mark }: Archive, started: string): UpdateRequest {
  const update = updateRequestOf(pages);
  const isWhole = update.all && isDeepStrictEqual(update.file, mark);
  return all && !isWhole ? { ...update, all, started, file: mark } : update;
}

function updateRequestOf({ header: { update } }: PagesFile): UpdateRequest {
  if (update === null) throw new Error('not an update');
  return update;
}

/** What the pages that an update has bought held. */
interface BoughtUpdate extends Awaited<ReturnType<typeof buyPages>> {
  /** The IDs of entries that FILE lacks. */
  readonly newIds: Set<string>;
  /** The IDs of entries that FILE has; null unless all of the list was read now. */
  readonly listed: ReadonlySet<string> | null;
  readonly hasEntriesWithoutId: boolean;
}

/** Buys pages; once more from the first one if the list cannot be continued. Its pages are counted together. */
async function buyWithOneRestart(
  run: Run,
  item: ExportItem,
  archive: Archive,
  pages: PagesFile,
): Promise<BoughtUpdate> {
  const first = await buyNew(run, item, archive, pages);
  if (first.failure?.code !== 'unresumable') return first;
  pages.setAside({ ...updateRequestOf(pages), started: timeOf(item) }, 'start');
  const second = await buyNew(run, item, archive, pages);
  return { ...second, facts: { ...second.facts, pages: first.facts.pages + second.facts.pages } };
}

/** Buys pages, from where the list continues. */
async function buyNew(run: Run, item: ExportItem, archive: Archive, pages: PagesFile): Promise<BoughtUpdate> {
  const { all } = updateRequestOf(pages);
  const isWhole = all && pages.position.next === 'start';
  const newIds = await pages.ids(item.exports.context.stop);
  const { select, seen } = selectNew(await archive.read(), newIds, archive.hasEntriesWithoutId, all);
  const bought = await buyPages(run, item, pages, select, archive.entries);
  const { knownIds, hasEntriesWithoutId } = seen;
  return { ...bought, newIds, listed: isWhole ? knownIds : null, hasEntriesWithoutId };
}

/**
 * Rule 2: selects the entries that FILE lacks, each once; ends with a page whose last ID FILE has. Entries without an ID cannot
 * be distinguished: they are selected if FILE has none (`hasWithoutId`). `newIds`: those selected so far. `seen`: what the
 * pages held.
 */
function selectNew(known: ReadonlySet<string>, newIds: Set<string>, hasWithoutId: boolean, all: boolean) {
  const seen = { knownIds: new Set<string>(), hasEntriesWithoutId: false };
  const select: Sink['select'] = ({ entries }) => {
    let last: string | null = null;
    const fresh = entries.filter((entry) => {
      const id = videoIdOf(entry);
      if (id === null) {
        seen.hasEntriesWithoutId = true;
        return !hasWithoutId;
      }
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

/** Warns of what an update has found out about FILE, its feed and its list. */
function warnOf(
  run: Run,
  { record, reference: { label }, target: { path } }: ExportItem,
  archive: Archive,
  notes: {
    readonly all: boolean;
    readonly hasEntriesWithoutId?: boolean;
    readonly notListed?: readonly string[];
  },
): void {
  const { all, hasEntriesWithoutId = false, notListed = [] } = notes;
  if (record === null && !all) run.warn('adopted', label, adoptedText);
  if (archive.change !== null) run.warn('repaired', label, `${path}: ${archive.change}`);
  if (hasEntriesWithoutId && archive.hasEntriesWithoutId)
    run.stderr.note(`${label}: skipped entries without a videoId; ${path} may already have them`);
  const missed = `in the feed, but missing from the list in two checks: ${notListed.join(', ')}`;
  if (notListed.length > 0)
    run.warn('not listed', label, `${missed}; no longer expected: --update --all buys every page`);
}

/** FILE stays: records what is known of it, and FILE as it is now. Throws as `assertSame`. */
function recordUnchanged(
  item: ExportItem,
  archive: Archive,
  known: Pick<ArchiveRecord, 'checks' | 'whole'>,
): void {
  const { id, exports, name, recordIdentity } = item;
  assertSame(item);
  const { entries, checksum, mark } = archive;
  writeRecord(exports.folder, name, { ...recordIdentity, id, ...mark, checksum, entries, ...known });
}
