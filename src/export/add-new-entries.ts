import type { PagesFile } from '../archive/pages-file.ts';
import type { UpdateRequest } from '../archive/pages-format.ts';
import { type ArchiveRecord, type CheckHistory, checksAfter, noChecks } from '../archive/record.ts';
import type { JsonText } from '../json/json-text.ts';
import { missingCount, type Sink } from '../run/list-pages.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { videoIdOf } from '../service/page.ts';
import { count } from '../text/count.ts';
import { type BoughtPages, buyPages } from './buy-pages.ts';
import { type Feed, noLongerExpected } from './decide-update.ts';
import { failedExport } from './export-failure.ts';
import { currentTime, type ExportItem } from './export-item.ts';
import { finishExport, removePages } from './finish-export.ts';
import { type ArchiveContents, fingerprintOf, recordUnchanged, warnAboutFile } from './updated-file.ts';

/** Buys pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. */
export async function addNewEntries(
  run: Run,
  item: ExportItem,
  contents: ArchiveContents,
  pages: PagesFile,
  feed: Feed['entries'] = null,
): Promise<Result> {
  const { feeds, context } = item.exportFolder;
  const resumed = pages.position.entries;
  const isResumed = pages.position.next !== 'start';
  await preparePages(item, contents, pages);
  const bought = await buyWithOneRestart(run, item, contents, pages);
  const facts = { ...bought.facts, entries: contents.entries, added: 0, resumed };
  if (bought.failure !== null) {
    // FILE does not have the entries of this run yet.
    const missing = missingCount(pages.position.total, facts.pages, contents.entries);
    return failedExport(item, bought.failure, { ...facts, missing });
  }
  const keepWithoutId = !bought.hasEntriesWithoutId && !contents.hasEntriesWithoutId;
  await pages.addAside(contents.ids, bought.newIds, keepWithoutId, context.stop);
  const { all, feedProblem, expected, started } = updateOf(pages);
  // The feed of an interrupted run is outdated.
  if (feedProblem !== null && !isResumed) feeds.boughtInstead.set(item.id, feedProblem);
  const checks = checksOf(item, pages, contents.ids, bought, feed);
  const isEmpty = bought.newIds.size === 0 && !bought.hasEntriesWithoutId;
  if (bought.sharesNothing && (isEmpty || !all))
    run.warn('nothing in common', item.reference.label, nothingInCommon(item, contents, isEmpty));
  warnAboutList(
    run,
    item,
    bought.hasEntriesWithoutId && contents.hasEntriesWithoutId,
    noLongerExpected(expected, checks),
  );
  const unlisted = bought.stillListed && unlistedIds(contents.ids, bought.stillListed);
  // If the list may have been cut short, FILE may lack entries. Null makes `--update --all` read this list first.
  const wholeBefore = bought.sharesNothing ? null : (item.record?.whole ?? null);
  const recordChanges = { checks, whole: all ? started : wholeBefore };
  const result = await finishUpdate(run, item, contents, pages, recordChanges, { ...facts, unlisted });
  warnAboutFile(run, item, contents, all);
  return result;
}

/** Returns the warning that a list has no entry of FILE: the list may have been cut short. */
function nothingInCommon(
  { target: { path } }: ExportItem,
  { entries }: ArchiveContents,
  isEmpty: boolean,
): string {
  const kept = `the ${count(entries, 'entry', 'entries')} of ${path}`;
  return isEmpty
    ? `the list is empty; ${kept} were kept`
    : `the list ended without any of ${kept}: entries between them may be missing; --update --all buys every page`;
}

/** Warns about entries that FILE may lack. `notListed`: IDs that are no longer expected. */
function warnAboutList(
  run: Run,
  { reference: { label }, target }: ExportItem,
  skipsWithoutId: boolean,
  notListed: readonly string[],
): void {
  if (skipsWithoutId)
    run.stderr.note(`${label}: skipped entries without a videoId; ${target.path} may already have them`);
  if (notListed.length === 0) return;
  const missed = `in the feed, but missing from the list in two checks: ${notListed.join(', ')}`;
  run.warn('not listed', label, `${missed}; no longer expected: --update --all buys every page`);
}

/** Replaces FILE if there are entries to add or bad lines to drop, and records the check. */
async function finishUpdate(
  run: Run,
  item: ExportItem,
  contents: ArchiveContents,
  pages: PagesFile,
  recordChanges: Pick<ArchiveRecord, 'checks' | 'whole'>,
  facts: Partial<Result>,
): Promise<Result> {
  const { reference } = item;
  const added = pages.position.entries;
  if (added > 0 || contents.dropsBadLines) {
    await finishExport(run, item, pages, recordChanges, contents);
    return resultOf(reference, { ...facts, added, entries: contents.entries + added });
  }
  recordUnchanged(item, contents, recordChanges);
  // Delete the paid pages only after the check is recorded.
  removePages(run, item, pages);
  return resultOf(reference, { ...facts, added, status: 'unchanged' });
}

function updateOf({ header: { update } }: PagesFile): UpdateRequest {
  if (update === null) throw new Error('not an update');
  return update;
}

/**
 * Whether an update can continue with these pages. `checksum`: the checksum of FILE now. If `--all` bought the pages, FILE
 * must not have changed since. An update with `--all` can continue only such pages.
 */
export function canContinueUpdate(pages: PagesFile, item: ExportItem, checksum: number): boolean {
  const update = updateOf(pages);
  // FILE was built from these pages.
  if (pages.end?.record?.checksum === checksum) return true;
  return update.all ? update.file.checksum === checksum : !item.buysAll;
}

/** Sets aside pages that this update cannot continue with; `addAside` later adds the entries on them that FILE lacks. */
async function preparePages(item: ExportItem, contents: ArchiveContents, pages: PagesFile): Promise<void> {
  const update = updateOf(pages);
  if (!canContinueUpdate(pages, item, contents.checksum)) {
    const fullUpdate = { ...update, all: true, started: currentTime(item), file: fingerprintOf(contents) };
    pages.setAside(fullUpdate, 'start');
    return;
  }
  const { ids } = await pages.readIds(item.exportFolder.context.stop);
  // Another run has since added some of these entries to FILE.
  const isPartlyInFile = [...ids].some((id) => contents.ids.has(id));
  if (isPartlyInFile) return pages.setAside(update, pages.position.next === 'end' ? 'end' : 'start');
  // The pages lack entries that FILE had then. If FILE has since lost entries (restored or damaged), read the list again.
  if (contents.entries < update.file.entries)
    pages.setAside({ ...update, started: currentTime(item), file: fingerprintOf(contents) }, 'start');
}

interface BoughtEntries extends BoughtPages {
  /** IDs of entries that FILE lacks. */
  readonly newIds: Set<string>;
  /** IDs that both FILE and the list have; null unless this run has read the whole list. */
  readonly stillListed: ReadonlySet<string> | null;
  /** Whether the list was read to its end, and has no entry of FILE. */
  readonly sharesNothing: boolean;
  readonly hasEntriesWithoutId: boolean;
}

/** Buys the remaining pages. If the list cannot be continued, starts once more from its first page. */
async function buyWithOneRestart(
  run: Run,
  item: ExportItem,
  contents: ArchiveContents,
  pages: PagesFile,
): Promise<BoughtEntries> {
  const first = await buyNewEntries(run, item, contents, pages);
  if (first.failure?.code !== 'unresumable') return first;
  pages.setAside({ ...updateOf(pages), started: currentTime(item) }, 'start');
  const second = await buyNewEntries(run, item, contents, pages);
  return { ...second, facts: { ...second.facts, pages: first.facts.pages + second.facts.pages } };
}

/**
 * Buys pages and keeps the entries that FILE lacks, each once, up to a page whose last ID FILE has (rule 2). Entries without an
 * ID cannot be distinguished: they are kept only if FILE has none.
 */
async function buyNewEntries(
  run: Run,
  item: ExportItem,
  file: ArchiveContents,
  pages: PagesFile,
): Promise<BoughtEntries> {
  const { all } = updateOf(pages);
  const isFromStart = pages.position.next === 'start';
  const stored = await pages.readIds(item.exportFolder.context.stop);
  const newIds = stored.ids;
  let { hasEntriesWithoutId } = stored;
  const stillListed = new Set<string>();
  const select: Sink['select'] = ({ entries }) => {
    const selected: JsonText[] = [];
    let lastIsKnown = false;
    for (const entry of entries) {
      const id = videoIdOf(entry);
      if (id === null) {
        hasEntriesWithoutId = true;
        if (!file.hasEntriesWithoutId) selected.push(entry);
        continue;
      }
      lastIsKnown = file.ids.has(id);
      if (lastIsKnown) stillListed.add(id);
      else if (!newIds.has(id)) selected.push(entry);
      if (!lastIsKnown) newIds.add(id);
    }
    if (stillListed.size > 0) pages.meetsFile = true;
    return { entries: selected, done: !all && lastIsKnown, takesWholePage: true };
  };
  const bought = await buyPages(run, item, pages, select, file.entries);
  const isFinished = bought.failure === null && bought.facts.pages > 0;
  return {
    ...bought,
    newIds,
    stillListed: isFromStart && all ? stillListed : null,
    sharesNothing: isFinished && !pages.meetsFile && file.ids.size > 0,
    hasEntriesWithoutId,
  };
}

/** Returns what is known of an archive once an update has bought its pages. */
function checksOf(
  item: ExportItem,
  pages: PagesFile,
  known: ReadonlySet<string>,
  { newIds, facts, sharesNothing }: BoughtEntries,
  feed: Feed['entries'],
): CheckHistory {
  const { feedProblem, expected, started } = updateOf(pages);
  return checksAfter(item.record?.checks ?? noChecks, {
    feed,
    isWithoutFeed: feedProblem !== null,
    has: (id) => known.has(id) || newIds.has(id),
    // A list that may have been cut short does not show that an ID is missing.
    expected: sharesNothing ? [] : expected,
    missing: facts.missing,
    // Without a feed, the check is as old as the first page.
    time: feed === null ? started : currentTime(item),
  });
}

/** Maximum number of IDs of unlisted entries in a result. */
const maxUnlisted = 1000;

function unlistedIds(known: ReadonlySet<string>, stillListed: ReadonlySet<string>): Result['unlisted'] {
  const unlisted = [...known].filter((id) => !stillListed.has(id));
  return { count: unlisted.length, ids: unlisted.slice(0, maxUnlisted) };
}
