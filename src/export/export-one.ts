import { type Failure, toFailure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { hasMark } from '../fs/output-target.ts';
import { recordName, temporaryName } from '../fs/private-folder.ts';
import { type Result, resultOf } from '../run/results.ts';
import { recordEnd } from './end-run.ts';
import { exportList, resumeExport } from './export-list.ts';
import { type ExportItem, flagsOf, inspect, nameOf } from './inspect.ts';
import { type ExportRun, type LockedExport, referenceOf } from './locked-export.ts';
import { keptText, refusal, sameCommand } from './messages.ts';
import { nextStep, type Step } from './next-step.ts';
import { writeRecord } from './record.ts';
import { RunFile } from './run-file.ts';
import { newFileName, type RunHeader, runName } from './run-header.ts';
import { resumeUpdate, updateArchive } from './update-archive.ts';

/** Exports one item, or brings it up to date, under its lock. Returns every failure in the result. */
export async function exportOne(exports: ExportRun, item: ExportItem): Promise<Result> {
  const { folder, warn, options } = exports;
  const { update, all } = options;
  const name = nameOf(item);
  try {
    using lock = await acquireLock(folder, name, item.target.path);
    if (lock === null && folder.created)
      warn('no lock', null, `${folder.path}: no locks here; do not let two runs write one file`);
    // What a killed run has left.
    for (const left of [runName(name), recordName(name)]) folder.remove(temporaryName(left));
    folder.remove(newFileName(name));
    const [result, resumed] = await inspectAndPerform(exports, item, update && all);
    if (resumed === null || !update || result.failure !== null) return result;
    // It still has to look for what is new; `--all` is done, unless that was an update without it.
    const [next] = await inspectAndPerform(exports, item, all && resumed.update?.all === false);
    return mergeResults(result, next);
  } catch (error) {
    return failedResult(exports, item, toFailure(error));
  }
}

/** Inspects, decides and performs. Returns the result, and the interrupted run that was resumed. */
async function inspectAndPerform(
  exports: ExportRun,
  item: ExportItem,
  all: boolean,
): Promise<[Result, RunHeader | null]> {
  const state = await inspect(exports, item);
  const step = nextStep(state.existing, flagsOf(exports.options));
  using run = state.run instanceof RunFile ? state.run : null;
  const result = await perform(step, { ...exports, ...state }, run, all).catch((error) =>
    failedResult(exports, item, toFailure(error), state.record?.entries),
  );
  return [result, step === 'resume' && run !== null ? run.header : null];
}

async function perform(step: Step, locked: LockedExport, run: RunFile | null, all: boolean): Promise<Result> {
  const { item, record, warn, operation, folder, name } = locked;
  switch (step) {
    case 'keep': {
      const reference = referenceOf(locked);
      if (record !== null && record.reference !== reference)
        writeRecord(folder, name, { ...record, reference });
      warn('kept', item.label, keptText(operation.name));
      return resultOf(item, { status: 'kept', entries: record?.entries ?? 0 });
    }
    case 'export':
      return await exportList(locked);
    case 'resume':
      if (run === null) throw new Error('nothing to resume');
      return await resume(locked, run, all);
    case 'update':
      return await updateArchive(locked, all);
    default:
      throw refusal(step, locked);
  }
}

/** Resumes an interrupted run; one whose new FILE is in its place has only to be recorded. */
async function resume(locked: LockedExport, run: RunFile, all: boolean): Promise<Result> {
  const { item, target } = locked;
  const { end, header, position } = run;
  if (end === null || !hasMark(target.stats, end))
    return header.update === null ? await resumeExport(locked, run) : await resumeUpdate(locked, run, all);
  recordEnd(locked, run, end);
  const { entries, hasMore } = position;
  return resultOf(item, {
    status: header.update === null && hasMore ? 'limited' : 'complete',
    entries: end.record?.entries ?? entries,
    added: header.update === null ? null : entries,
    resumed: entries,
  });
}

/** The result of an export that failed: it stops that one only, and after a paid page it is no usage error. */
function failedResult({ options }: ExportRun, item: ExportItem, failure: Failure, entries = 0): Result {
  const isUsage = failure.code === 'usage';
  const isPaid = item.tally.paidRequests > 0;
  const changes = { scope: 'reference' as const, ...(isPaid && { exit: 1 as const }) };
  const next = isPaid && failure.scope === 'run' ? `run ${sameCommand({ options, item })} to resume` : null;
  return resultOf(item, { failure: isUsage ? failure.with(changes) : failure, entries, next });
}

/** A resumed run, and the update after it, as one result. */
const mergeResults = (first: Result, second: Result): Result => ({
  ...second,
  status: second.status === 'unchanged' && second.failure === null ? first.status : second.status,
  added: first.added === null ? second.added : first.added + (second.added ?? 0),
  pages: first.pages + second.pages,
  resumed: first.resumed,
  missing: second.missing ?? first.missing,
  unlisted: second.unlisted ?? first.unlisted,
});
