import { Failure } from '../errors.ts';
import { missingEntries, type Sink, videoIdOf } from '../run/list-pages.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { count } from '../text/count.ts';
import { Archive } from './archive.ts';
import { buyPages } from './buy-pages.ts';
import { decideUpdate, type Feed, needsIds } from './decide-update.ts';
import { endRun, failedExport } from './end-run.ts';
import { beginRun, type Export } from './exports.ts';
import { requestFeed } from './latest-feed.ts';
import { adoptedText } from './messages.ts';
import { type Check, checksAfter, markOf, noChecks, writeRecord } from './record.ts';
import type { RunFile } from './run-file.ts';

/**
 * Brings FILE up to date (docs/updates.md): requests the feed, decides, and buys pages only if they are needed. `all`: buys
 * every page. `isSecond`: the pages of a first attempt in this run were dropped.
 */
export async function updateArchive(run: Run, one: Export, all: boolean, isSecond = false): Promise<Result> {
  const { record, context, folder, name } = one;
  const now = context.clock.now();
  const archive = new Archive(one, all);
  const isChanged = one.existing.file !== 'archive';
  // A FILE that is not as recorded is read before anything is sent.
  if (isChanged) await archive.read();
  const { entries } = archive;
  const feed = await requestFeed(run, one, entries > 0);
  const before = record?.checks ?? noChecks;
  const isRead = all || isChanged || needsIds(before, feed);
  const known = isRead ? await archive.read() : new Set(before.feed?.known);
  const has = (id: string): boolean => known.has(id);
  const decision = decideUpdate(before, feed, now, { all, has });
  switch (decision.do) {
    case 'unchanged': {
      if (record === null) run.warn('adopted', one.label, adoptedText);
      const check = { feed: feed.entries, isWithoutFeed: false, has, expected: [], missing: null };
      return unchanged(one, archive, { ...check, time: new Date(now).toISOString() }, {});
    }
    case 'unchecked':
      if (record !== null && before.failure !== null)
        writeRecord(folder, name, { ...record, checks: { ...before, failure: null } });
      return resultOf(one, { status: 'unchecked', entries, added: 0 });
    case 'fail': {
      const { problem, status } = decision.feed;
      const day = new Date(decision.until).toISOString().slice(0, 10);
      const message = `cannot check for new uploads: the "latest" feed is ${problem}`;
      const next = `no action needed: if it is not back by ${day}, an update buys one page instead (1 credit)`;
      throw new Failure('no_feed', message, { status, next });
    }
    case 'buy': {
      using newRun = beginRun(one, { all, expected: decision.expected, feedProblem: feed.problem });
      return await buyNew(run, one, archive, newRun, feed.entries, isSecond);
    }
  }
}

/** Buys the remaining pages of an interrupted update. `all`: the run that resumes it buys every page afterwards. */
export async function resumeUpdate(run: Run, one: Export, runFile: RunFile, all: boolean): Promise<Result> {
  const archive = new Archive(one, all || runFile.header.update?.all === true);
  return await buyNew(run, one, archive, runFile, null, false);
}

/** Buys pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. */
async function buyNew(
  run: Run,
  one: Export,
  archive: Archive,
  runFile: RunFile,
  feed: Feed['entries'],
  isSecond: boolean,
): Promise<Result> {
  const { label, record, context, target } = one;
  const { update, started } = runFile.header;
  if (update === null) throw new Error('the run is no update');
  const { all, expected, feedProblem } = update;
  const known = await archive.read();
  const { pages: pagesBefore, entries: resumed } = runFile.position;
  const newIds = await runFile.ids(context.stop);
  if ([...newIds].some((id) => known.has(id))) {
    // FILE has got entries of this run meanwhile: they would be there twice.
    runFile.remove();
    return await updateArchive(run, one, all, true);
  }
  const { select, seen } = selectNew(known, newIds, archive.hasEntriesWithoutId, all);
  const { facts: bought, failure } = await buyPages(run, one, runFile, select, archive.entries);
  if (failure?.code === 'unresumable') {
    runFile.remove();
    if (!isSecond) return await updateArchive(run, one, all, true);
  }
  const { entries } = archive;
  const facts: Partial<Result> = { ...bought, entries, added: 0, resumed };
  if (failure !== null) {
    // FILE does not have the entries of this run yet.
    const missing = missingEntries(runFile.position.total, bought.pages, entries);
    return failedExport(run, one, failure, { ...facts, missing });
  }
  if (record === null && !all) run.warn('adopted', label, adoptedText);
  if (feedProblem !== null)
    run.warn('no feed', label, `checked with a page instead of the feed, which is ${feedProblem}`);
  if (seen.isWithoutId && archive.hasEntriesWithoutId)
    run.stderr.note(`${label}: skipped entries without a videoId; ${target.path} may already have them`);
  const { badLines, damage } = archive.leftOut;
  if (badLines > 0)
    run.warn(
      'repaired',
      label,
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
  const added = runFile.position.entries;
  if (added === 0 && badLines === 0) {
    const result = unchanged(one, archive, check, { ...facts, unlisted });
    // What it has paid for goes only once that is recorded.
    runFile.remove();
    return result;
  }
  await endRun(run, one, runFile, checksAfter(record?.checks ?? noChecks, check), archive);
  return resultOf(one, { ...facts, entries: archive.entries + added, added, unlisted });
}

/**
 * Rule 2: selects the entries that FILE lacks, each once; ends with a page whose last ID FILE has. Entries without an ID cannot
 * be distinguished: they are selected if FILE has none (`hasWithoutId`). `newIds`: those selected so far. `seen`: what the
 * pages held.
 */
function selectNew(known: ReadonlySet<string>, newIds: Set<string>, hasWithoutId: boolean, all: boolean) {
  const seen = { knownIds: new Set<string>(), isWithoutId: false, isListEnd: false };
  const select: Sink['select'] = ({ entries, hasMore }) => {
    seen.isListEnd = !hasMore;
    let last: string | null = null;
    const fresh = entries.filter((entry) => {
      const id = videoIdOf(entry);
      if (id === null) seen.isWithoutId = true;
      if (id === null) return !hasWithoutId;
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
function unchanged(one: Export, { entries }: Archive, check: Check, facts: Partial<Result>): Result {
  const { id, record, target, folder, name, keptReference: reference } = one;
  if (target.stats === null) throw new Error('an archive without a file');
  const checks = checksAfter(record?.checks ?? noChecks, check);
  writeRecord(folder, name, { reference, id, ...markOf(target.stats), entries, checks });
  return resultOf(one, { ...facts, status: 'unchanged', entries, added: 0 });
}
