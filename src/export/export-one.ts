import { existsSync } from 'node:fs';
import type { PagesFile } from '../archive/pages-file.ts';
import { isArchive } from '../archive/pages-format.ts';
import { noChecks } from '../archive/record.ts';
import { Failure } from '../errors.ts';
import { newFileName, pagesName, recordName } from '../fs/archive-names.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { isEmpty } from '../fs/output-target.ts';
import { temporaryName } from '../fs/private-folder.ts';
import { firstEntriesSelector } from '../run/list-pages.ts';
import type { Reference } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { addNewEntries } from './add-new-entries.ts';
import { buyPages } from './buy-pages.ts';
import { failedExport, failureOf } from './export-failure.ts';
import { type ExportFolder, type ExportItem, nameOf, pathOf, readItem, startPages } from './export-item.ts';
import { finishExport, recordFinished } from './finish-export.ts';
import { moveAwayStep } from './messages.ts';
import { planExport } from './plan.ts';
import { updateArchive } from './update-archive.ts';
import { assertUnchanged, readIntact } from './updated-file.ts';

/** Makes one export, or brings it up to date, under its lock. Returns every failure in the result. */
export async function exportOne(
  run: Run,
  exportFolder: ExportFolder,
  reference: Reference,
  id: string,
): Promise<Result> {
  const { options, operation, feeds } = exportFolder;
  const attempt = async (buysAll: boolean) => {
    using item = await readItem(exportFolder, { reference, id, buysAll });
    const result = await carryOutPlan(run, item).catch((error) => failedExport(item, error));
    return { result, resumed: item.interrupted };
  };
  const failed = (error: unknown): Result =>
    resultOf(reference, { failure: failureOf(error, reference.tally, null) });
  try {
    using _lock = await lockExport(run, exportFolder, id);
    removeLeftovers(exportFolder, id);
    // A deferred reference has already read its whole list, by resuming an `--all`.
    const buysAll = options.update && options.all && !feeds.deferred.has(id);
    const { result, resumed } = await attempt(buysAll);
    // A resumed run only finishes old work, so update once more. But an update of a playlist has bought every page.
    const isDone = resumed === null || operation.name === 'playlist';
    if (!options.update || isDone || result.failure !== null) return result;
    // `--all` is done if the resumed run has read the whole list, even if only because it had to start over.
    const second = await attempt(buysAll && !readsWholeList(resumed)).then((done) => done.result, failed);
    return mergeResults(result, second);
  } catch (error) {
    return failed(error);
  }
}

/** Whether a run has read all of its list: an export, or an update of every page. */
const readsWholeList = ({ header: { update } }: PagesFile): boolean => update === null || update.all;

/** Locks FILE for this process. Returns null on a file system without locks, with a warning the first time. */
export async function lockExport(
  run: Run,
  exportFolder: ExportFolder,
  id: string,
): Promise<Disposable | null> {
  const { privateFolder } = exportFolder;
  if (!existsSync(privateFolder.path))
    throw new Failure('failed', `${privateFolder.path} was removed during this run`);
  const lock = await acquireLock(privateFolder, nameOf(exportFolder, id), pathOf(exportFolder, id));
  const noLocks = 'this file system has no locks; do not export one file from two runs at once';
  if (lock === null && privateFolder.created) run.warn('no lock', null, `${privateFolder.path}: ${noLocks}`);
  return lock;
}

/** Deletes the temporary files of a run that was killed. */
function removeLeftovers(exportFolder: ExportFolder, id: string): void {
  const name = nameOf(exportFolder, id);
  for (const file of [newFileName(name), temporaryName(pagesName(name)), temporaryName(recordName(name))])
    exportFolder.privateFolder.remove(file);
}

async function carryOutPlan(run: Run, item: ExportItem): Promise<Result> {
  const { reference, record } = item;
  const plan = planExport(item);
  if (plan.action === 'keep') {
    run.warn('kept', reference.label, 'kept: already exported; --update adds what is new');
    return resultOf(reference, { status: 'kept', entries: record?.entries ?? 0 });
  }
  const { pages } = plan;
  if (pages !== null) {
    pages.openToAppend();
    if (plan.action === 'finish') return recordResumed(run, item, pages);
    if (plan.action === 'update') return await addNewEntries(run, item, await readIntact(item), pages);
    return await exportList(run, item, pages);
  }
  if (plan.action === 'update') return await updateArchive(run, item);
  using newPages = startPages(item, null);
  return await exportList(run, item, newPages);
}

/** Writes the record of a FILE that an interrupted run has replaced. */
function recordResumed(run: Run, item: ExportItem, pages: PagesFile): Result {
  const { end, header, position } = pages;
  if (end === null) throw new Error('a run that has not ended');
  recordFinished(run, item, pages, end);
  const isUpdate = header.update !== null;
  const { entries, next } = position;
  return resultOf(item.reference, {
    status: isUpdate || next === 'end' ? 'complete' : 'limited',
    entries: end.record?.entries ?? entries,
    added: isUpdate ? entries : null,
    resumed: entries,
  });
}

/** Buys the remaining pages of an export, then replaces FILE. */
async function exportList(run: Run, item: ExportItem, pages: PagesFile): Promise<Result> {
  const { target, exportFolder, reference, record, onDisk } = item;
  const { started, foundFile } = pages.header;
  if (!foundFile) assertUnchanged(target, null, moveAwayStep(item));
  const resumed = pages.position.entries;
  const select = firstEntriesSelector(run, (await pages.readIds(exportFolder.context.stop)).ids);
  const { facts: bought, failure } = await buyPages(run, item, pages, select);
  const { entries, next } = pages.position;
  const facts = { ...bought, entries, resumed };
  if (failure !== null) return failedExport(item, failure, facts);
  if (entries === 0 && target.stats !== null && !isEmpty(target)) {
    pages.remove();
    const message = `the list is empty, but ${target.path} is not: it was not replaced`;
    const advice = 'check the reference; if the list is really empty, remove the file';
    const failure = new Failure('invalid_response', message, { status: 200, step: advice });
    return failedExport(item, failure, facts);
  }
  const hasVanished = record !== null && onDisk.file === 'none' && isArchive(item.request);
  const was = target.stats === null ? 'gone' : 'empty';
  if (hasVanished && !exportFolder.options.restart)
    run.warn('vanished', reference.label, `${target.path} was ${was}: its whole list was exported again`);
  const checks = { ...noChecks, checked: started, missing: bought.missing };
  await finishExport(run, item, pages, { checks, whole: started });
  return resultOf(reference, { ...facts, status: next !== 'end' ? 'limited' : 'complete' });
}

/** Merges the results of two attempts for one reference: the resumed run, and the update after it. */
export const mergeResults = (first: Result, second: Result): Result => ({
  ...second,
  entries: second.failure === null ? second.entries : first.entries,
  status: second.status === 'unchanged' && first.status !== 'unchecked' ? first.status : second.status,
  added: first.added === null ? second.added : first.added + (second.added ?? 0),
  pages: first.pages + second.pages,
  resumed: first.resumed,
  missing: second.missing ?? first.missing,
  unlisted: second.unlisted ?? first.unlisted,
});
