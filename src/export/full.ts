import { toFailure } from '../errors.ts';
import { moveInto } from '../fs/atomic.ts';
import { JsonText } from '../json/json-text.ts';
import type { Field } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { creditsLeft, firstEntries } from '../run/listing.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { afterRun, type Check } from './after-run.ts';
import { publishedDates, requestFeed } from './feed.ts';
import { type Fetched, fetchPages, itemOf } from './fetch.ts';
import { commit, type LockedExport, loadContents, note, noteFailure } from './locked-export.ts';
import { emptyList, unresumable } from './messages.ts';
import { type Finished, newProgress, type Progress, positionOf } from './record.ts';
import { Rows, readRows } from './rows.ts';

/**
 * Exports all pages of a list into FILE; `interrupted`: from where an earlier run was interrupted. FILE is replaced once
 * all pages are there.
 */
export async function exportPages(locked: LockedExport, interrupted: Progress | null): Promise<Result> {
  const { operation, flags, file, folder, run } = locked;
  const resumed = interrupted?.entries ?? 0;
  const found = interrupted === null ? null : await readRows(folder, interrupted, run.context.stop);
  if (typeof found === 'string')
    return noteFailure(locked, unresumable(locked, found, { exit: 1 }), { resumed });
  const progress = interrupted ?? newProgress(flags, { published: await fetchDates(locked) });
  const written = operation.distinct ? new Set(found?.ids) : null;
  const { limit } = flags.request;
  const fetched = await fetchPages(locked, progress, firstEntries(operation, limit, written));
  const { rows, failure } = fetched;
  const { entries } = fetched.progress;
  const facts = { ...fetched.facts, entries, resumed };
  try {
    if (failure !== null)
      return noteFailure(locked, failure, {
        ...facts,
        creditsLeft: creditsLeft(positionOf(fetched.progress), limit),
      });
    if (entries === 0 && file.entries > 0) {
      rows.remove();
      note(locked, { ...locked.record, progress: null });
      return noteFailure(locked, emptyList(file.target.path), facts);
    }
    const check = { ...nothingChecked, missing: facts.missing };
    return await putInPlace(locked, fetched, facts, check, () => buildFile(locked, fetched));
  } finally {
    rows.close();
  }
}

/** Whether an export has `@published`, whose dates only the feed has. */
export const needsDates = ({ name }: PagedOperation, fields: readonly Field[] | null): boolean =>
  name === 'uploads' && (fields?.some((field) => field.name === '@published') ?? false);

/** `@published` needs the dates before the first page: those of the feed, and those in FILE. */
async function fetchDates(locked: LockedExport): Promise<Record<string, string>> {
  const { operation, fields, run, item, file } = locked;
  if (!needsDates(operation, fields)) return {};
  const dates = publishedDates(await requestFeed(run, item.id, false, item.tally));
  if (file.state === 'none') return dates;
  const { published } = await loadContents(locked);
  return { ...dates, ...Object.fromEntries(published) };
}

/** The rows as the new FILE; json is written as a document of its own. */
async function buildFile(locked: LockedExport, { rows, progress }: Fetched): Promise<[Rows, Finished]> {
  const { operation, fields, folder, name, format, run } = locked;
  const { clock, stop } = run.context;
  const { entries, pages, hasMore, token, info } = progress;
  let whole = rows;
  if (format === 'json') {
    const writer = await createFormat('json', { operation, fields, several: false, terminal: null });
    const item = itemOf(locked, progress);
    const end = { hasMore, token: hasMore ? token : null, failure: null };
    whole = Rows.create(folder, name);
    whole.append(writer.head() + writer.open(item, info === null ? null : JsonText.of(info)));
    await whole.appendElements(rows, stop);
    whole.append(writer.close(item, end) + writer.tail());
  }
  const pageSize = pages > 0 && entries > 0 ? entries / pages : null;
  const exported = new Date(clock.now()).toISOString();
  return [whole, await whole.finished({ entries, isCut: hasMore, pageSize, exported }, stop)];
}

/** Nothing is known of feed and list but that all pages were fetched. */
export const nothingChecked: Check = {
  feed: null,
  isWithoutFeed: false,
  has: () => false,
  expected: [],
  missing: null,
};

/**
 * Completes a new FILE (`build`), records that it has only to replace FILE, and replaces it. A failure leaves FILE
 * and the progress as they are.
 */
export async function putInPlace(
  locked: LockedExport,
  { progress, rows }: Fetched,
  facts: Partial<Result>,
  check: Check,
  build: () => Promise<[Rows, Finished]>,
): Promise<Result> {
  try {
    const [whole, result] = await build();
    commit(locked, { ...locked.record, progress: { ...progress, rows: whole.name, result } });
    if (whole !== rows) {
      whole.close();
      rows.remove();
    }
    return publish(locked, { ...facts, entries: result.entries }, check);
  } catch (error) {
    return noteFailure(locked, toFailure(error), facts);
  }
}

/** Puts a complete new FILE in place: of this run, or of an earlier one that died before it could. Costs nothing. */
export function publish(
  locked: LockedExport,
  facts: Partial<Result> = {},
  checked: Check | null = null,
): Result {
  const { folder, item, record, file, flags } = locked;
  const { progress } = record;
  const finished = progress?.result;
  if (!progress || !finished) throw new Error('nothing to publish');
  const check = checked ?? { ...nothingChecked, isWithoutFeed: progress.feedProblem !== null };
  if (file.pending === 'file') folder.remove(progress.rows);
  else moveInto(folder, progress.rows, file.target);
  note(locked, afterRun(record, { kind: 'replaced', progress, finished, check }, flags.now));
  return resultOf(item, {
    status: finished.isCut ? 'limited' : 'complete',
    entries: finished.entries,
    added: progress.isUpdate ? progress.entries : null,
    resumed: file.pending === null ? 0 : progress.entries,
    ...facts,
  });
}
