import { existsSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { isEmpty } from '../fs/output-target.ts';
import { pagesName, recordName, temporaryName } from '../fs/private-folder.ts';
import { firstEntries } from '../run/list-pages.ts';
import type { Reference } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { Archive } from './archive.ts';
import { assertUnchanged } from './assert-unchanged.ts';
import { buyPages } from './buy-pages.ts';
import { endRun, recordEnd } from './end-run.ts';
import { failedExport, failureOf } from './export-failure.ts';
import {
  type ExportFolder,
  type ExportItem,
  inspect,
  nameOf,
  newFileName,
  pathOf,
  startPages,
} from './exports.ts';
import { moveAway, refusal } from './messages.ts';
import { nextStep } from './next-step.ts';
import type { PagesFile } from './pages-file.ts';
import { isArchive } from './pages-format.ts';
import { hasStamp, noChecks } from './record.ts';
import { addNew, updateArchive } from './update-archive.ts';

/**
 * Makes one export, or brings it up to date, under its lock. Returns every failure in the result. `given`: its other
 * references.
 */
export async function exportOne(
  run: Run,
  exports: ExportFolder,
  reference: Reference,
  id: string,
  given: readonly Reference[],
): Promise<Result> {
  const { folder, options, operation } = exports;
  const { update, all } = options;
  const name = nameOf(exports, id);
  const attempt = async (all: boolean) => {
    const item = await inspect(exports, reference, id, run.serviceName, given);
    const result = await performStep(run, item, all).catch((error) => failedExport(item, error));
    return { result, resumed: item.interrupted?.header };
  };
  const failed = (error: unknown): Result =>
    resultOf(reference, { failure: failureOf(error, reference.tally, null) });
  try {
    if (!existsSync(folder.path)) throw new Failure('failed', `${folder.path} was removed during this run`);
    using lock = await acquireLock(folder, name, pathOf(exports, id));
    const noLocks = 'this file system has no locks; do not export one file from two runs at once';
    if (lock === null && folder.created) run.warn('no lock', null, `${folder.path}: ${noLocks}`);
    // Left behind by a killed run.
    for (const left of [newFileName(name), temporaryName(pagesName(name)), temporaryName(recordName(name))])
      folder.remove(left);
    const { result, resumed } = await attempt(update && all);
    if (resumed === undefined || !update || result.failure !== null) return result;
    // A playlist update bought every page.
    if (operation.name === 'playlist') return result;
    // A resumed run only finishes old work: update once more. For --all it counts if it read the whole list.
    const isWhole = resumed.update === null || resumed.update.all;
    const next = attempt(all && !isWhole);
    return mergeResults(result, await next.then((second) => second.result, failed));
  } catch (error) {
    return failed(error);
  }
}

/** Decides what to do with an export, and does it. */
async function performStep(run: Run, item: ExportItem, all: boolean): Promise<Result> {
  using interrupted = item.interrupted;
  const { exports, reference, record, existing } = item;
  const step = nextStep(existing, exports.options);
  switch (step) {
    case 'keep':
      run.warn('kept', reference.label, 'kept: already exported; --update adds what is new');
      return resultOf(reference, { status: 'kept', entries: record?.entries ?? 0 });
    case 'export': {
      using pages = startPages(item, null);
      return await exportList(run, item, pages);
    }
    case 'resume':
      if (interrupted === null) throw new Error('nothing to resume');
      interrupted.openToAppend();
      return await resume(run, item, interrupted, all);
    case 'update':
      return await updateArchive(run, item, all);
    default:
      throw refusal(step, item);
  }
}

/** Resumes an interrupted run; one whose new FILE is in its place has only to be recorded. */
async function resume(run: Run, item: ExportItem, pages: PagesFile, all: boolean): Promise<Result> {
  const { end, header, position } = pages;
  const { update } = header;
  if (end === null || !hasStamp(item.target.stats, end)) {
    if (update === null) return await exportList(run, item, pages);
    return await addNew(run, item, new Archive(item, all), pages);
  }
  recordEnd(run, item, pages, end);
  const { entries, next } = position;
  return resultOf(item.reference, {
    status: update === null && next !== 'end' ? 'limited' : 'complete',
    entries: end.record?.entries ?? entries,
    added: update === null ? null : entries,
    resumed: entries,
  });
}

/** Buys the remaining pages of an export, and replaces FILE once all of them are there. */
async function exportList(run: Run, item: ExportItem, pages: PagesFile): Promise<Result> {
  const { target, exports, reference, record, existing } = item;
  const { started, replaces } = pages.header;
  if (!replaces) assertUnchanged(target, null, moveAway(item));
  const resumed = pages.position.entries;
  const select = firstEntries(run, await pages.ids(exports.context.stop));
  const { facts: bought, failure } = await buyPages(run, item, pages, select);
  const { entries, next } = pages.position;
  const facts = { ...bought, entries, resumed };
  if (failure !== null) return failedExport(item, failure, facts);
  if (entries === 0 && target.stats !== null && !isEmpty(target)) {
    pages.remove();
    const message = `the list is empty, but ${target.path} is not: it was not replaced`;
    const next = 'check the reference; if the list is really empty, remove the file';
    return failedExport(item, new Failure('invalid_response', message, { status: 200, next }), facts);
  }
  const isLost = record?.id === item.id && existing.file === 'none' && isArchive(item.request);
  const was = target.stats === null ? 'gone' : 'empty';
  if (isLost && !exports.options.restart)
    run.warn('gone', reference.label, `${target.path} was ${was}: its whole list was exported again`);
  const checks = { ...noChecks, checked: started, missing: bought.missing };
  await endRun(run, item, pages, { checks, whole: started });
  return resultOf(reference, { ...facts, status: next !== 'end' ? 'limited' : 'complete' });
}

/** A resumed run, and the update after it, as one result. */
const mergeResults = (first: Result, second: Result): Result => ({
  ...second,
  entries: second.failure === null ? second.entries : first.entries,
  status: second.status === 'unchanged' && second.failure === null ? first.status : second.status,
  added: first.added === null ? second.added : first.added + (second.added ?? 0),
  pages: first.pages + second.pages,
  resumed: first.resumed,
  missing: second.missing ?? first.missing,
  unlisted: second.unlisted ?? first.unlisted,
});
