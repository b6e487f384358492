import { closeSync, fstatSync, openSync } from 'node:fs';
import { Failure, toFailure } from '../errors.ts';
import { moveInto } from '../fs/atomic.ts';
import { JsonText } from '../json/json-text.ts';
import { createFormat } from '../output/formats.ts';
import { creditsLeft, firstEntries } from '../run/listing.ts';
import { type Result, resultOf } from '../run/results.ts';
import { withEstimate } from '../service/budget.ts';
import { afterRun, type Check, withProgress } from './after-run.ts';
import { checkFeed, publishedDates } from './feed.ts';
import { type Fetched, fetchPages, itemOf, newProgress, reopenRows } from './fetch.ts';
import { digestOf, markOf } from './inspect.ts';
import { type Done, factsOf, failedDone, type Job, save } from './job.ts';
import { damagedRows, emptyList, unresumable } from './messages.ts';
import { readContents } from './read.ts';
import { type Finished, type Progress, writeRecord } from './record.ts';
import { Rows } from './rows.ts';

/**
 * Exports all pages of a list into FILE; `interrupted`: from where an earlier run was interrupted. FILE is replaced once
 * all pages are there.
 */
export async function exportPages(job: Job, interrupted: Progress | null): Promise<Done> {
  const { operation, record, flags, file, several } = job;
  const resumed = interrupted?.entries ?? 0;
  const progress = interrupted ?? newProgress(job, { isUpdate: false, published: await datesFor(job) });
  const opened = interrupted === null ? null : await reopenRows(job, interrupted);
  if (typeof opened === 'string') return failedDone(job, record, damagedRows(record, opened), { resumed });
  if (progress.stopped === 'loop') {
    opened?.rows.close();
    const failure = unresumable(record, new Failure('loop', 'the list repeats itself', { status: 200 }));
    return failedDone(job, record, failure, { resumed, entries: progress.entries });
  }
  const written = operation.distinct ? new Set(opened?.ids) : null;
  const { limit } = flags.request;
  const select = firstEntries(operation, limit, written);
  const fetched = await fetchPages(job, progress, opened?.rows ?? null, select);
  const { rows, failure } = fetched;
  const { entries } = fetched.progress;
  const facts = { ...fetched.facts, entries, resumed };
  try {
    if (failure !== null) {
      const needed = several ? 0 : (creditsLeft(fetched.progress, limit) ?? 0);
      const shown = failure.code === 'budget' ? withEstimate(failure, needed) : failure;
      return failedDone(job, fetched.record, shown, facts);
    }
    if (entries === 0 && (file.finished ?? file.contents ?? { entries: 0 }).entries > 0) {
      rows.remove();
      const without = withProgress(fetched.record, null);
      save(job, without);
      return failedDone(job, without, emptyList(file.target.path), facts);
    }
    return await putInPlace(job, fetched, facts, nothingChecked, () => complete(job, fetched));
  } finally {
    rows.close();
  }
}

/** `@published` needs the dates before the first page: those of the feed, and those in FILE. */
async function datesFor({ operation, fields, run, item, file, flags }: Job): Promise<Record<string, string>> {
  if (operation.name !== 'uploads' || !fields?.some(({ name }) => name === '@published')) return {};
  const dates = publishedDates(await checkFeed(run, item.id, false, item.tally));
  if (file.state === 'none') return dates;
  const { format, fields: names } = file.record?.request ?? flags.request;
  const fd = openSync(file.target.real, 'r');
  try {
    const { published } = await readContents(fd, { format, fields: names, parse: true });
    return { ...dates, ...Object.fromEntries(published) };
  } finally {
    closeSync(fd);
  }
}

/** The rows as the new FILE; json is written as a document of its own. */
async function complete(job: Job, { rows, progress }: Fetched): Promise<[Rows, Finished]> {
  const { operation, fields, folder, name, format, run } = job;
  let whole = rows;
  if (format === 'json') {
    const writer = await createFormat('json', { operation, fields, several: false, terminal: null });
    const item = itemOf(job, progress);
    const { hasMore, token, info } = progress;
    whole = Rows.create(folder, name);
    whole.append(writer.head() + writer.open(item, info === null ? null : JsonText.of(info)));
    whole.appendElements(rows);
    whole.append(
      writer.close(item, { hasMore, token: hasMore ? token : null, failure: null }) + writer.tail(),
    );
  }
  const { entries, pages, hasMore: isCut } = progress;
  // The last page of a limited export is not taken whole.
  const pageSize = pages > 0 && entries > 0 && !isCut ? entries / pages : null;
  const exported = new Date(run.context.clock.now()).toISOString();
  return [whole, await finish(whole, { entries, isCut, pageSize, exported })];
}

/** Makes a new FILE durable, and describes it. */
export async function finish(
  rows: Rows,
  facts: Pick<Finished, 'entries' | 'isCut' | 'pageSize' | 'exported'>,
): Promise<Finished> {
  const fd = rows.finished();
  const digest = await digestOf(fd);
  return { ...markOf(fstatSync(fd)), digest, ...facts };
}

/** Nothing is known of feed and list but that all pages were fetched. */
const nothingChecked: Check = { feed: null, has: () => false, expected: [], missing: null, pages: 0 };

/**
 * Completes a new FILE (`build`), notes that all that is left is to replace FILE, and replaces it. A failure leaves FILE
 * and the progress as they are.
 */
export async function putInPlace(
  job: Job,
  { record, progress, rows, facts: { pages, missing } }: Fetched,
  facts: Partial<Result>,
  check: Check,
  build: () => Promise<[Rows, Finished]>,
): Promise<Done> {
  try {
    const [whole, result] = await build();
    const next = withProgress(record, { ...progress, rows: whole.name, result });
    writeRecord(job.folder, job.name, next);
    if (whole !== rows) {
      whole.close();
      rows.remove();
    }
    return publish(
      { ...job, record: next },
      { ...facts, entries: result.entries },
      { ...check, pages, missing },
    );
  } catch (error) {
    return failedDone(job, record, toFailure(error), facts);
  }
}

/** Puts a complete new FILE in place: of this run, or of an earlier one that died before it could. Costs nothing. */
export function publish(job: Job, facts: Partial<Result> = {}, check: Check = nothingChecked): Done {
  const { folder, item, record, file, flags, run } = job;
  const { progress } = record;
  const finished = progress?.result;
  if (!progress || !finished) throw new Error('nothing to publish');
  if (file.pending === 'file') folder.remove(progress.rows);
  else {
    const problem = moveInto(folder, progress.rows, file.target);
    // What fails now is no failure of the export.
    if (problem !== null) run.warn('cleanup', item.label, `the export is complete, but: ${problem.message}`);
  }
  // What a feed did not confirm is as old as the run's first page.
  const time = check.feed === null ? Date.parse(progress.started) : flags.now;
  const next = afterRun(record, { kind: 'replaced', progress, finished, check }, time);
  save(job, next);
  const result = resultOf(item, {
    ...factsOf(job),
    status: finished.isCut ? 'limited' : 'complete',
    entries: finished.entries,
    added: progress.isUpdate ? progress.entries : null,
    resumed: file.pending === null ? 0 : progress.entries,
    ...facts,
  });
  return { record: next, result };
}
