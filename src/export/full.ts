import { fstatSync } from 'node:fs';
import { toFailure } from '../errors.ts';
import { moveInto } from '../fs/atomic.ts';
import { JsonText } from '../json/json-text.ts';
import { createFormat } from '../output/formats.ts';
import { creditsLeft, firstEntries } from '../run/listing.ts';
import { type Result, resultOf } from '../run/results.ts';
import { afterRun, type Check, withProgress } from './after-run.ts';
import { checkFeed, publishedDates } from './feed.ts';
import { type Fetched, fetchPages, itemOf, newProgress, reopenRows } from './fetch.ts';
import { digestOf, markOf } from './inspect.ts';
import { formatOf, type LockedExport, recordFailure, type StepResult, save } from './locked-export.ts';
import { damagedRows, emptyList } from './messages.ts';
import { readFileContents } from './read.ts';
import { type Finished, type Progress, writeRecord } from './record.ts';
import { Rows } from './rows.ts';

/**
 * Exports all pages of a list into FILE; `interrupted`: from where an earlier run was interrupted. FILE is replaced once
 * all pages are there.
 */
export async function exportPages(locked: LockedExport, interrupted: Progress | null): Promise<StepResult> {
  const { operation, record, flags, file } = locked;
  const resumed = interrupted?.entries ?? 0;
  const progress =
    interrupted ?? newProgress(locked, { isUpdate: false, published: await fetchDates(locked) });
  const opened = interrupted === null ? null : await reopenRows(locked, interrupted);
  if (typeof opened === 'string') {
    const broken = withProgress(record, { ...progress, broken: 'damaged' });
    return recordFailure(locked, broken, damagedRows(locked, opened), { resumed });
  }
  const written = operation.distinct ? new Set(opened?.ids) : null;
  const { limit } = flags.request;
  const select = firstEntries(operation, limit, written);
  const fetched = await fetchPages(locked, progress, opened?.rows ?? null, select);
  const { rows, failure } = fetched;
  const { entries } = fetched.progress;
  const facts = { ...fetched.facts, entries, resumed };
  try {
    if (failure !== null) {
      const left = creditsLeft(fetched.progress, limit);
      return recordFailure(locked, fetched.record, failure, { ...facts, creditsLeft: left });
    }
    if (entries === 0 && (file.finished ?? file.contents ?? { entries: 0 }).entries > 0) {
      rows.remove();
      const without = withProgress(fetched.record, null);
      save(locked, without);
      return recordFailure(locked, without, emptyList(file.target.path), facts);
    }
    const check = { ...nothingChecked, missing: fetched.facts.missing };
    return await putInPlace(locked, fetched, facts, check, () => buildFile(locked, fetched));
  } finally {
    rows.close();
  }
}

/** `@published` needs the dates before the first page: those of the feed, and those in FILE. */
async function fetchDates(locked: LockedExport): Promise<Record<string, string>> {
  const { operation, fields, run, item, file } = locked;
  if (operation.name !== 'uploads' || !fields?.some(({ name }) => name === '@published')) return {};
  const dates = publishedDates(await checkFeed(run, item.id, false, item.tally));
  if (file.state === 'none') return dates;
  const { published } = await readFileContents(file.target.real, { ...formatOf(locked), parse: true });
  return { ...dates, ...Object.fromEntries(published) };
}

/** The rows as the new FILE; json is written as a document of its own. */
async function buildFile(locked: LockedExport, { rows, progress }: Fetched): Promise<[Rows, Finished]> {
  const { operation, fields, folder, name, format, run } = locked;
  let whole = rows;
  if (format === 'json') {
    const writer = await createFormat('json', { operation, fields, several: false, terminal: null });
    const item = itemOf(locked, progress);
    const { hasMore, token, info } = progress;
    whole = Rows.create(folder, name);
    whole.append(writer.head() + writer.open(item, info === null ? null : JsonText.of(info)));
    whole.appendElements(rows);
    whole.append(
      writer.close(item, { hasMore, token: hasMore ? token : null, failure: null }) + writer.tail(),
    );
  }
  const { entries, pages, hasMore: isCut } = progress;
  // A limited export has only a part of its last page.
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
const nothingChecked: Check = { feed: null, has: () => false, expected: [], missing: null };

/**
 * Completes a new FILE (`build`), records that it has only to replace FILE, and replaces it. A failure leaves FILE
 * and the progress as they are.
 */
export async function putInPlace(
  locked: LockedExport,
  { record, progress, rows }: Fetched,
  facts: Partial<Result>,
  check: Check,
  build: () => Promise<[Rows, Finished]>,
): Promise<StepResult> {
  let known = record;
  try {
    const [whole, result] = await build();
    known = withProgress(record, { ...progress, rows: whole.name, result });
    writeRecord(locked.folder, locked.name, known);
    if (whole !== rows) {
      whole.close();
      rows.remove();
    }
    return publish({ ...locked, record: known }, { ...facts, entries: result.entries }, check);
  } catch (error) {
    return recordFailure(locked, known, toFailure(error), facts);
  }
}

/** Puts a complete new FILE in place: of this run, or of an earlier one that died before it could. Costs nothing. */
export function publish(
  locked: LockedExport,
  facts: Partial<Result> = {},
  check: Check = nothingChecked,
): StepResult {
  const { folder, item, record, file, flags } = locked;
  const { progress } = record;
  const finished = progress?.result;
  if (!progress || !finished) throw new Error('nothing to publish');
  if (file.pending === 'file') folder.remove(progress.rows);
  else moveInto(folder, progress.rows, file.target);
  // What a feed did not confirm is as old as the run's first page.
  const time = check.feed === null ? Date.parse(progress.started) : flags.now;
  const next = afterRun(record, { kind: 'replaced', progress, finished, check }, time);
  save(locked, next);
  const result = resultOf(item, {
    status: finished.isCut ? 'limited' : 'complete',
    entries: finished.entries,
    added: progress.isUpdate ? progress.entries : null,
    resumed: file.pending === null ? 0 : progress.entries,
    ...facts,
  });
  return { record: next, result };
}
