import { Failure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { recordName, temporaryName } from '../fs/private-folder.ts';
import { firstEntries } from '../run/list-pages.ts';
import type { Reference } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { buyPages } from './buy-pages.ts';
import { assertUnchanged, endRun, failedExport, recordEnd } from './end-run.ts';
import { beginRun, type Export, type Exports, inspect, nameOf, pathOf } from './exports.ts';
import { moveAway, refusal } from './messages.ts';
import { nextStep } from './next-step.ts';
import { hasMark, noChecks } from './record.ts';
import type { RunFile } from './run-file.ts';
import { isArchive, newFileName, type RunHeader, runName } from './run-header.ts';
import { resumeUpdate, updateArchive } from './update-archive.ts';

/** Makes one export, or brings it up to date, under its lock. Returns every failure in the result. */
export async function exportOne(
  run: Run,
  exports: Exports,
  reference: Reference,
  id: string,
): Promise<Result> {
  const { folder, options } = exports;
  const { update, all } = options;
  const name = nameOf(exports, id);
  const failed = (error: unknown) =>
    failedExport(run, { ...exports, ...reference, id, name, record: null }, error);
  try {
    using lock = await acquireLock(folder, name, pathOf(exports, id));
    if (lock === null && folder.created)
      run.warn('no lock', null, `${folder.path}: no locks here; do not let two runs write one file`);
    // What a killed run has left.
    for (const left of [newFileName(name), temporaryName(runName(name)), temporaryName(recordName(name))])
      folder.remove(left);
    const perform = async (all: boolean): Promise<readonly [Result, RunHeader | null]> => {
      const one = await inspect(exports, reference, id, run.serviceName);
      return await performStep(run, one, all).catch((error) => [failedExport(run, one, error), null]);
    };
    const [result, resumed] = await perform(update && all);
    if (resumed === null || !update || result.failure !== null) return result;
    // It still has to look for what is new; `--all` is done, unless that was an update without it.
    const next = perform(all && resumed.update?.all === false).then(([second]) => second);
    return mergeResults(result, await next.catch(failed));
  } catch (error) {
    return failed(error);
  }
}

/** Decides what to do with an export, and does it. Returns the result, and the interrupted run that was resumed. */
async function performStep(
  run: Run,
  one: Export,
  all: boolean,
): Promise<readonly [Result, RunHeader | null]> {
  using runFile = one.interrupted;
  const step = nextStep(one.existing, one.options);
  switch (step) {
    case 'keep':
      run.warn(
        'kept',
        one.label,
        one.operation.name === 'uploads'
          ? 'kept: already exported; --update adds new uploads'
          : 'kept: already exported; --restart exports it again',
      );
      return [resultOf(one, { status: 'kept', entries: one.record?.entries ?? 0 }), null];
    case 'export': {
      using newRun = beginRun(one, null);
      return [await exportList(run, one, newRun), null];
    }
    case 'resume':
      if (runFile === null) throw new Error('nothing to resume');
      return [await resume(run, one, runFile, all), runFile.header];
    case 'update':
      return [await updateArchive(run, one, all), null];
    default:
      throw refusal(step, one);
  }
}

/** Resumes an interrupted run; one whose new FILE is in its place has only to be recorded. */
async function resume(run: Run, one: Export, runFile: RunFile, all: boolean): Promise<Result> {
  const { end, header, position } = runFile;
  const isUpdate = header.update !== null;
  if (end === null || !hasMark(one.target.stats, end))
    return await (isUpdate ? resumeUpdate(run, one, runFile, all) : exportList(run, one, runFile));
  recordEnd(one, runFile, end);
  const { entries, hasMore } = position;
  return resultOf(one, {
    status: !isUpdate && hasMore ? 'limited' : 'complete',
    entries: end.record?.entries ?? entries,
    added: isUpdate ? entries : null,
    resumed: entries,
  });
}

/** Buys the remaining pages of an export, and replaces FILE once all of them are there. */
async function exportList(run: Run, one: Export, runFile: RunFile): Promise<Result> {
  const { target, context } = one;
  const { started, replaces } = runFile.header;
  if (!replaces) assertUnchanged(target, null, moveAway(one));
  const resumed = runFile.position.entries;
  const select = firstEntries(run, await runFile.lastPageIds(context.stop));
  const { facts: bought, failure } = await buyPages(run, one, runFile, select);
  const { entries, hasMore } = runFile.position;
  const facts = { ...bought, entries, resumed };
  if (failure !== null) return failedExport(run, one, failure, facts);
  if (entries === 0 && target.stats !== null && target.stats.size > 0) {
    runFile.remove();
    const message = `the list is empty, but ${target.path} is not: it was not replaced`;
    const next = 'check the reference; if the list is really empty, remove the file';
    return failedExport(run, one, new Failure('invalid_response', message, { status: 200, next }), facts);
  }
  const isLost = one.record?.id === one.id && one.existing.file === 'none' && isArchive(one.request);
  const was = target.stats === null ? 'gone' : 'empty';
  if (isLost && !one.options.restart)
    run.warn('gone', one.label, `${target.path} was ${was}: its whole list was exported again`);
  await endRun(run, one, runFile, { ...noChecks, checked: started, missing: bought.missing });
  return resultOf(one, { ...facts, status: hasMore ? 'limited' : 'complete' });
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
