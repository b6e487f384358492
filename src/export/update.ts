import { closeSync, openSync } from 'node:fs';
import { Failure, toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { type Listing, videoIdOf } from '../run/listing.ts';
import { type Result, resultOf } from '../run/results.ts';
import { afterRun, type Check } from './after-run.ts';
import { decideUpdate, needsIds } from './decide-update.ts';
import { checkFeed, type Feed, publishedDates } from './feed.ts';
import { fetchPages, newProgress, reopenRows } from './fetch.ts';
import { finish, putInPlace } from './full.ts';
import { type Done, factsOf, failedDone, type Job, save } from './job.ts';
import { unresumable } from './messages.ts';
import { type Contents, readContents } from './read.ts';
import type { Finished, Progress } from './record.ts';
import type { Rows } from './rows.ts';

/**
 * Brings FILE up to date (docs/updates.md): asks for the feed, decides, and fetches pages only if they are needed.
 * `interrupted`: an update that is resumed first.
 */
export async function updateFile(job: Job, interrupted: Progress | null): Promise<Done> {
  return interrupted === null ? await decideAndFetch(job) : await resumeUpdate(job, interrupted);
}

async function decideAndFetch(job: Job): Promise<Done> {
  const { run, item, record, flags, file, fields } = job;
  const entries = file.contents?.entries ?? file.finished?.entries ?? 0;
  let feed: Feed;
  try {
    feed = await checkFeed(run, item.id, entries > 0, item.tally);
  } catch (error) {
    return failedDone(job, record, toFailure(error), { entries });
  }
  let contents = file.contents;
  if (contents === null && (flags.all || needsIds(record, feed))) contents = await readFile(job);
  const known = new Set(record.feed?.known);
  const has = (id: string): boolean => contents?.ids.has(id) ?? known.has(id);
  const decision = decideUpdate(record, feed, flags.now, { all: flags.all, has });
  switch (decision.do) {
    case 'unchanged': {
      const check = { feed, has, expected: [], missing: null, pages: 0 };
      return upToDate(job, { status: 'unchanged', entries }, check);
    }
    case 'unchecked': {
      const next = afterRun(record, { kind: 'unchecked' }, flags.now);
      if (record.failure !== null) save(job, next);
      const facts = { ...factsOf(job), status: 'unchecked', entries, added: 0 } as const;
      return { record: next, result: resultOf(item, facts) };
    }
    case 'fail':
      return failedDone(job, record, noFeed(feed, decision.until), { entries });
    case 'fetch': {
      contents ??= await readFile(job);
      const { expected, why } = decision;
      const published = fields?.some(({ name }) => name === '@published') ? publishedDates(feed) : {};
      const progress = newProgress(job, { isUpdate: true, published, expected, columns: contents.columns });
      const done = await fetchNew(job, progress, null, contents, { feed, why });
      if (feed.entries === null && done.result.failure === null)
        run.warn('no feed', item.label, `checked with a page instead of the feed, which is ${feed.problem}`);
      return done;
    }
  }
}

/** Fetches the remaining pages of an interrupted update. Rows that are damaged or in FILE already: it starts over. */
async function resumeUpdate(job: Job, progress: Progress): Promise<Done> {
  const { record } = job;
  const contents = await readFile(job);
  const opened = await reopenRows(job, progress);
  const isUsable = typeof opened !== 'string' && ![...opened.ids].some((id) => contents.ids.has(id));
  if (isUsable && progress.stopped !== 'loop')
    return await fetchNew(job, progress, opened, contents, { feed: null, why: null });
  if (typeof opened !== 'string') opened.rows.close();
  const why =
    typeof opened === 'string' ? opened : isUsable ? 'the list repeats itself' : 'FILE has its rows already';
  return failedDone(job, record, unresumable(record, new Failure('refused', why)));
}

/** Fetches pages until one ends with an entry that FILE has, and puts the entries that FILE lacks on top. */
async function fetchNew(
  job: Job,
  progress: Progress,
  opened: { readonly rows: Rows; readonly ids: ReadonlySet<string> } | null,
  contents: Contents,
  { feed, why }: { readonly feed: Feed | null; readonly why: string | null },
): Promise<Done> {
  const { run, item, file } = job;
  const { expected } = progress;
  const taken = new Set(opened?.ids);
  const met = { known: false, nameless: false };
  const select = newEntries(contents.ids, taken, met, progress.isAll);
  const fetched = await fetchPages(job, progress, opened?.rows ?? null, select, contents.entries);
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
    if (failure !== null) return failedDone(job, fetched.record, failure, { ...facts, added: 0 });
    if (met.nameless)
      run.warn('no ID', item.label, 'left out entries without a videoId: whether FILE has them is not known');
    if (contents.entries > 0 && pages > 0 && !fetched.hasMore && !met.known)
      run.warn(
        'unlisted',
        item.label,
        `the channel no longer lists any of the entries in ${file.target.path}; keeping them`,
      );
    const has = (id: string): boolean => contents.ids.has(id) || taken.has(id);
    const check = { ...fetched.facts, feed, has, expected };
    if (added === 0 && !isRepair(job)) {
      rows.remove();
      return upToDate({ ...job, record: fetched.record }, { ...facts, status: 'unchanged' }, check);
    }
    return await putInPlace(job, fetched, facts, check, async () => {
      await job.printNew?.print(rows, fetched.progress);
      return [rows, await assemble(job, rows, contents, added)];
    });
  } finally {
    rows.close();
  }
}

/** Rule 2: takes the entries that FILE lacks, each once; ends with a page whose last entry FILE has. */
function newEntries(
  known: ReadonlySet<string>,
  taken: Set<string>,
  met: { known: boolean; nameless: boolean },
  isAll: boolean,
): Listing['select'] {
  const isNew = (entry: JsonText): boolean => {
    const id = videoIdOf(entry);
    met.nameless ||= id === null;
    if (id === null) return false;
    met.known ||= known.has(id);
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
const isRepair = ({ file }: Job): boolean => file.contents?.damage != null || file.state === 'lost';

async function readFile({ file, record, flags }: Job): Promise<Contents> {
  if (file.contents !== null) return file.contents;
  const { format, fields } = record.finished === null ? flags.request : record.request;
  const fd = openSync(file.target.real, 'r');
  try {
    return await readContents(fd, { format, fields, parse: false });
  } finally {
    closeSync(fd);
  }
}

/** FILE needs no change: notes the check, and FILE as it is now. */
function upToDate(job: Job, facts: Partial<Result>, check: Check): Done {
  const { record, file, flags, item } = job;
  const finished = file.finished ?? record.finished;
  if (finished === null) throw new Error('a check without a file');
  const next = afterRun(record, { kind: 'checked', finished, check }, flags.now);
  save(job, next);
  return { record: next, result: resultOf(item, { ...factsOf(job), added: 0, ...facts }) };
}

/** Copies FILE behind the new rows: its bytes, without the header of csv; of a damaged one the lines that parse. */
async function assemble(job: Job, rows: Rows, contents: Contents, added: number): Promise<Finished> {
  const { file, record, flags } = job;
  const { format, fields } = record.finished === null ? flags.request : record.request;
  let isHeader = contents.columns !== null;
  const onRecord = (line: Buffer): void => {
    if (!isHeader) rows.append(line);
    isHeader = false;
  };
  const fd = openSync(file.target.real, 'r');
  try {
    if (contents.damage === null) await rows.appendFile(fd, isHeader);
    else await readContents(fd, { format, fields, parse: true, onRecord });
  } finally {
    closeSync(fd);
  }
  const exported = record.finished?.exported ?? new Date(0).toISOString();
  const pageSize = record.finished?.pageSize ?? null;
  return await finish(rows, { entries: contents.entries + added, isCut: false, pageSize, exported });
}

/** Rule 3: there is no feed, and no page is due yet. */
function noFeed(feed: Feed, until: number): Failure {
  if (feed.entries !== null) throw new Error('there is a feed');
  const day = new Date(until).toISOString().slice(0, 10);
  const message = `cannot check for new uploads: the "latest" feed is ${feed.problem}`;
  const hint = `if that has not changed by ${day}, one page is fetched instead (1 credit)`;
  return new Failure(feed.isAbsent ? 'no_feed' : 'unavailable', message, { status: feed.status, hint });
}
