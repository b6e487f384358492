import { Failure, toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { type Listing, videoIdOf } from '../run/listing.ts';
import { type Result, resultOf } from '../run/results.ts';
import { afterRun, type Check, withProgress } from './after-run.ts';
import { decideUpdate, needsIds } from './decide-update.ts';
import { checkFeed, type Feed, type MissingFeed, publishedDates } from './feed.ts';
import { fetchPages, newProgress, reopenRows } from './fetch.ts';
import { finish, putInPlace } from './full.ts';
import { formatOf, type LockedExport, recordFailure, type StepResult, save } from './locked-export.ts';
import { unresumable } from './messages.ts';
import { type Contents, readFileContents } from './read.ts';
import type { Finished, Progress } from './record.ts';
import type { Rows } from './rows.ts';

/** Brings FILE up to date (docs/updates.md): asks for the feed, decides, and fetches pages only if they are needed. */
export async function updateFile(locked: LockedExport): Promise<StepResult> {
  const { run, item, record, flags, file, fields } = locked;
  const entries = file.contents?.entries ?? file.finished?.entries ?? 0;
  let feed: Feed;
  try {
    feed = await checkFeed(run, item.id, entries > 0, item.tally);
  } catch (error) {
    return recordFailure(locked, record, toFailure(error), { entries });
  }
  let contents = file.contents;
  if (contents === null && (flags.all || needsIds(record, feed))) contents = await contentsOf(locked);
  const known = new Set(record.feed?.known);
  const has = (id: string): boolean => contents?.ids.has(id) ?? known.has(id);
  const decision = decideUpdate(record, feed, flags.now, { all: flags.all, has });
  switch (decision.do) {
    case 'unchanged': {
      const check = { feed, has, expected: [], missing: null };
      return recordCheck(locked, { status: 'unchanged', entries }, check);
    }
    case 'unchecked': {
      const next = afterRun(record, { kind: 'unchecked' }, flags.now);
      if (record.failure !== null) save(locked, next);
      return { record: next, result: resultOf(item, { status: 'unchecked', entries, added: 0 }) };
    }
    case 'fail':
      return recordFailure(locked, record, noFeed(decision.feed, decision.until), { entries });
    case 'fetch': {
      contents ??= await contentsOf(locked);
      const { expected, why } = decision;
      const published = fields?.some(({ name }) => name === '@published') ? publishedDates(feed) : {};
      const progress = newProgress(locked, {
        isUpdate: true,
        published,
        expected,
        columns: contents.columns,
      });
      const done = await fetchNew(locked, progress, null, contents, { feed, why });
      if (feed.entries === null && done.result.failure === null)
        run.warn('no feed', item.label, `checked with a page instead of the feed, which is ${feed.problem}`);
      return done;
    }
  }
}

/** Fetches the remaining pages of an interrupted update. Rows that are damaged or in FILE already: it is broken. */
export async function resumeUpdate(locked: LockedExport, progress: Progress): Promise<StepResult> {
  const { record } = locked;
  const contents = await contentsOf(locked);
  const opened = await reopenRows(locked, progress);
  let why = 'FILE has its rows already';
  if (typeof opened === 'string') why = opened;
  else if ([...opened.ids].some((id) => contents.ids.has(id))) opened.rows.close();
  else return await fetchNew(locked, progress, opened, contents, { feed: null, why: null });
  const broken = withProgress(record, { ...progress, broken: 'damaged' });
  return recordFailure(locked, broken, unresumable(locked, record, new Failure('damaged', why)));
}

/** Fetches pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. */
async function fetchNew(
  locked: LockedExport,
  progress: Progress,
  opened: { readonly rows: Rows; readonly ids: ReadonlySet<string> } | null,
  contents: Contents,
  { feed, why }: { readonly feed: Feed | null; readonly why: string | null },
): Promise<StepResult> {
  const { run, item, file } = locked;
  const { expected } = progress;
  const taken = new Set(opened?.ids);
  const reached = { known: false, nameless: false };
  const select = newEntries(contents.ids, taken, reached, progress.isAll);
  const fetched = await fetchPages(locked, progress, opened?.rows ?? null, select, contents.entries);
  const { rows, failure } = fetched;
  const { pages } = fetched.facts;
  const added = fetched.progress.entries;
  const isUnexplained = pages > 0 && expected.length > 0 && !expected.some((id) => taken.has(id));
  const lacks = `the feed shows videos that the list does not contain: ${expected.slice(0, 3).join(', ')}`;
  const facts: Partial<Result> = {
    ...fetched.facts,
    entries: contents.entries,
    added,
    resumed: opened?.ids.size ?? 0,
    why: why ?? (isUnexplained ? lacks : null),
  };
  try {
    if (failure !== null) return recordFailure(locked, fetched.record, failure, { ...facts, added: 0 });
    if (reached.nameless)
      run.warn('no ID', item.label, 'left out entries without a videoId: whether FILE has them is not known');
    if (contents.entries > 0 && pages > 0 && !fetched.hasMore && !reached.known)
      run.warn(
        'unlisted',
        item.label,
        `the channel no longer lists any of the entries in ${file.target.path}; keeping them`,
      );
    const has = (id: string): boolean => contents.ids.has(id) || taken.has(id);
    const check = { feed, has, expected, missing: fetched.facts.missing };
    if (added === 0 && !isRepair(locked)) {
      rows.remove();
      return recordCheck({ ...locked, record: fetched.record }, { ...facts, status: 'unchanged' }, check);
    }
    return await putInPlace(locked, fetched, facts, check, async () => {
      await locked.printNew?.print(rows, fetched.progress);
      return [rows, await assemble(locked, rows, contents, added)];
    });
  } finally {
    rows.close();
  }
}

/** Rule 2: selects the entries that FILE lacks, each once; ends with a page whose last entry FILE has. */
function newEntries(
  known: ReadonlySet<string>,
  taken: Set<string>,
  reached: { known: boolean; nameless: boolean },
  isAll: boolean,
): Listing['select'] {
  const isNew = (entry: JsonText): boolean => {
    const id = videoIdOf(entry);
    reached.nameless ||= id === null;
    if (id === null) return false;
    reached.known ||= known.has(id);
    if (known.has(id) || taken.has(id)) return false;
    taken.add(id);
    return true;
  };
  return ({ entries }) => {
    const fresh = entries.filter(isNew);
    const end = entries.map(videoIdOf).findLast((id) => id !== null);
    return { entries: fresh, done: !isAll && end != null && known.has(end), isWhole: true };
  };
}

/** Whether FILE has lines that are no records, which an update of every page leaves out. */
const isRepair = ({ file }: LockedExport): boolean => file.contents?.damage != null || file.state === 'lost';

const contentsOf = async (locked: LockedExport): Promise<Contents> =>
  locked.file.contents ??
  (await readFileContents(locked.file.target.real, { ...formatOf(locked), parse: false }));

/** FILE needs no change: notes the check, and FILE as it is now. */
function recordCheck(locked: LockedExport, facts: Partial<Result>, check: Check): StepResult {
  const { record, file, flags, item } = locked;
  const finished = file.finished ?? record.finished;
  if (finished === null) throw new Error('a check without a file');
  const next = afterRun(record, { kind: 'checked', finished, check }, flags.now);
  save(locked, next);
  return { record: next, result: resultOf(item, { added: 0, ...facts }) };
}

/** Copies FILE behind the new rows: its bytes, without the header of csv; of a damaged one the lines that parse. */
async function assemble(
  locked: LockedExport,
  rows: Rows,
  contents: Contents,
  added: number,
): Promise<Finished> {
  const { file, record } = locked;
  let isHeader = contents.columns !== null;
  const onRecord = (line: Buffer): void => {
    if (!isHeader) rows.append(line);
    isHeader = false;
  };
  if (contents.damage === null) await rows.appendFile(file.target.real, isHeader);
  else await readFileContents(file.target.real, { ...formatOf(locked), parse: true, onRecord });
  const exported = record.finished?.exported ?? new Date(0).toISOString();
  const pageSize = record.finished?.pageSize ?? null;
  return await finish(rows, { entries: contents.entries + added, isCut: false, pageSize, exported });
}

/** Rule 3: there is no feed, and no page is due yet. */
function noFeed({ problem, isAbsent, status }: MissingFeed, until: number): Failure {
  const day = new Date(until).toISOString().slice(0, 10);
  const message = `cannot check for new uploads: the "latest" feed is ${problem}`;
  const hint = `nothing to do: if it is not back by ${day}, one page is fetched instead (1 credit)`;
  return new Failure(isAbsent ? 'no_feed' : 'unavailable', message, { status, hint });
}
