import { Failure, toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { type Listing, videoIdOf } from '../run/listing.ts';
import { type Result, resultOf } from '../run/results.ts';
import { afterRun, type Check } from './after-run.ts';
import { decideUpdate, needsIds, whyResumed } from './decide-update.ts';
import { type Feed, type MissingFeed, publishedDates, requestFeed } from './feed.ts';
import { fetchPages } from './fetch.ts';
import { putInPlace } from './full.ts';
import { neverExported } from './inspect.ts';
import { type LockedExport, loadContents, note, noteFailure, readOptions } from './locked-export.ts';
import { refusal, unresumable } from './messages.ts';
import { type Contents, readFileContents } from './read.ts';
import { type Finished, newProgress, type Progress } from './record.ts';
import { type Rows, readRows } from './rows.ts';

/** Brings FILE up to date (docs/updates.md): asks for the feed, decides, and fetches pages only if they are needed. */
export async function updateFile(locked: LockedExport): Promise<Result> {
  const { run, item, record, flags, fields } = locked;
  const { entries } = locked.file;
  let feed: Feed;
  try {
    feed = await requestFeed(run, item.id, entries > 0, item.tally);
  } catch (error) {
    return noteFailure(locked, toFailure(error), { entries });
  }
  if (flags.all || needsIds(record, feed)) await loadSoundContents(locked);
  const known = new Set(record.feed?.known);
  const has = (id: string): boolean => locked.file.contents?.ids.has(id) ?? known.has(id);
  const decision = decideUpdate(record, feed, flags.now, { all: flags.all, has });
  switch (decision.do) {
    case 'unchanged': {
      const check = { feed: feed.entries, isWithoutFeed: false, has, expected: [], missing: null };
      return noteCheck(locked, { status: 'unchanged', entries }, check);
    }
    case 'unchecked':
      if (record.failure !== null) note(locked, afterRun(record, { kind: 'unchecked' }, flags.now));
      return resultOf(item, { status: 'unchecked', entries, added: 0 });
    case 'fail':
      return noteFailure(locked, noFeed(decision.feed, decision.until), { entries });
    case 'fetch': {
      const { columns } = await loadSoundContents(locked);
      const { expected, why } = decision;
      const published = fields?.some(({ name }) => name === '@published') ? publishedDates(feed) : {};
      const facts = { isUpdate: true, published, expected, columns, feedProblem: feed.problem };
      return await fetchNew(locked, newProgress(flags, facts), new Set(), feed.entries, why);
    }
  }
}

/** Fetches the remaining pages of an interrupted update, unless its rows are damaged, or in FILE already. */
export async function resumeUpdate(locked: LockedExport, progress: Progress): Promise<Result> {
  const { ids } = await loadSoundContents(locked);
  const rows = await readRows(locked.folder, progress, locked.run.context.stop);
  if (typeof rows === 'string') return noteFailure(locked, unresumable(locked, rows));
  if ([...rows.ids].some((id) => ids.has(id)))
    return noteFailure(locked, unresumable(locked, 'FILE has its rows already'));
  return await fetchNew(locked, progress, new Set(rows.ids), null, whyResumed(progress));
}

/** What FILE contains. Throws `damaged` for a line that is no record, which only `--all` leaves out. */
async function loadSoundContents(locked: LockedExport): Promise<Contents> {
  const contents = await loadContents(locked);
  if (contents.damage !== null && !locked.flags.all) throw refusal('damaged', locked);
  return contents;
}

/**
 * Fetches pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. `taken`: the IDs
 * in the rows of an interrupted run.
 */
async function fetchNew(
  locked: LockedExport,
  before: Progress,
  taken: Set<string>,
  feed: Check['feed'],
  why: string | null,
): Promise<Result> {
  const { run, item } = locked;
  const { expected, feedProblem } = before;
  const contents = await loadContents(locked);
  const resumed = taken.size;
  const { select, met } = newEntries(contents.ids, taken, before.isAll);
  const fetched = await fetchPages(locked, before, select, contents.entries);
  const { rows, failure, progress } = fetched;
  const { pages } = fetched.facts;
  const isUnexplained = expected.length > 0 && !expected.some((id) => taken.has(id));
  const lacks = `the feed shows videos that the list does not contain: ${expected.slice(0, 3).join(', ')}`;
  const facts: Partial<Result> = {
    ...fetched.facts,
    entries: contents.entries,
    added: failure === null ? progress.entries : 0,
    resumed,
    why: pages === 0 ? null : (why ?? (isUnexplained ? lacks : null)),
  };
  try {
    if (failure !== null) return noteFailure(locked, failure, facts);
    if (feedProblem !== null)
      run.warn('no feed', item.label, `checked with a page instead of the feed, which is ${feedProblem}`);
    if (met.nameless)
      run.warn(
        'no ID',
        item.label,
        `left out entries without a videoId, which ${locked.file.target.path} may have already; nothing to do`,
      );
    if (contents.entries > 0 && pages > 0 && resumed === 0 && !progress.hasMore && !met.known)
      run.warn(
        'unlisted',
        item.label,
        `the channel no longer lists any of the entries in ${locked.file.target.path}; keeping them`,
      );
    const has = (id: string): boolean => contents.ids.has(id) || taken.has(id);
    const isWithoutFeed = feedProblem !== null;
    const check = { feed, isWithoutFeed, has, expected, missing: fetched.facts.missing };
    if (progress.entries === 0 && !isRepair(locked)) {
      rows.remove();
      return noteCheck(locked, { ...facts, status: 'unchanged' }, check);
    }
    return await putInPlace(locked, fetched, facts, check, async () => {
      await locked.printNew?.print(rows, progress, run.context.stop);
      return [rows, await assemble(locked, rows, contents, progress.entries)];
    });
  } finally {
    rows.close();
  }
}

/** Entries on the pages so far: one that FILE has, and one without an ID. */
interface Met {
  readonly known: boolean;
  readonly nameless: boolean;
}

/** Rule 2: selects the entries that FILE lacks, each once; ends with a page whose last entry FILE has. */
function newEntries(
  known: ReadonlySet<string>,
  taken: Set<string>,
  isAll: boolean,
): { readonly select: Listing['select']; readonly met: Met } {
  const met = { known: false, nameless: false };
  const isNew = (entry: JsonText): boolean => {
    const id = videoIdOf(entry);
    met.nameless ||= id === null;
    if (id === null) return false;
    met.known ||= known.has(id);
    if (known.has(id) || taken.has(id)) return false;
    taken.add(id);
    return true;
  };
  const select: Listing['select'] = ({ entries }) => {
    const fresh = entries.filter(isNew);
    const end = entries.map(videoIdOf).findLast((id) => id !== null);
    return { entries: fresh, done: !isAll && end != null && known.has(end), isWhole: true };
  };
  return { select, met };
}

/** Whether FILE is replaced even if nothing is new: it has lines that are no records, or fewer entries than recorded. */
const isRepair = ({ file }: LockedExport): boolean => file.contents?.damage != null || file.state === 'lost';

/** FILE needs no change: notes the check, and FILE as it is now. */
function noteCheck(locked: LockedExport, facts: Partial<Result>, check: Check): Result {
  const { record, file, flags, item } = locked;
  const finished = file.finished ?? record.finished;
  if (finished === null) throw new Error('a check without a file');
  note(locked, afterRun(record, { kind: 'checked', finished, check }, flags.now));
  return resultOf(item, { added: 0, ...facts });
}

/** Copies FILE behind the new rows: its bytes, without the header of csv; of a damaged one the lines that parse. */
async function assemble(
  locked: LockedExport,
  rows: Rows,
  { damage, header, entries }: Contents,
  added: number,
): Promise<Finished> {
  const options = readOptions(locked);
  const { target } = locked.file;
  if (damage === null) await rows.appendFile(target, header, options.stop);
  else await readFileContents(target, { ...options, onRecord: (line) => rows.append(line) });
  const { pageSize, exported } = locked.record.finished ?? neverExported;
  return await rows.finished({ entries: entries + added, isCut: false, pageSize, exported }, options.stop);
}

/** Rule 3: there is no feed, and no page is due yet. */
function noFeed({ problem, isAbsent, status }: MissingFeed, until: number): Failure {
  const day = new Date(until).toISOString().slice(0, 10);
  const message = `cannot check for new uploads: the "latest" feed is ${problem}`;
  const hint = `nothing to do: if it is not back by ${day}, one page is fetched instead (1 credit)`;
  return new Failure(isAbsent ? 'no_feed' : 'unavailable', message, { status, hint });
}
