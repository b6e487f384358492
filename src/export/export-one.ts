import { basename } from 'node:path';
import { type Failure, toFailure } from '../errors.ts';
import { assertUnchanged } from '../fs/atomic.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { hasMark } from '../fs/output-target.ts';
import { recordName, temporaryName } from '../fs/private-folder.ts';
import { firstEntries } from '../run/list-pages.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { buyPages } from './buy-pages.ts';
import { endRun, failedExport, recordEnd } from './end-run.ts';
import { beginRun, type Export, type ExportState, flagsOf, inspect, referenceToKeep } from './inspect.ts';
import { emptyList, keptText, moveAway, refusal, sameCommand } from './messages.ts';
import { nextStep, type Step } from './next-step.ts';
import { noChecks, writeRecord } from './record.ts';
import { RunFile } from './run-file.ts';
import { newFileName, type RunHeader, runName } from './run-header.ts';
import { resumeUpdate, updateArchive } from './update-archive.ts';

/** Makes one export, or brings it up to date, under its lock. Returns every failure in the result. */
export async function exportOne(run: Run, one: Export): Promise<Result> {
  const { folder, options, target } = one;
  const { update, all } = options;
  const name = basename(target.real);
  try {
    using lock = await acquireLock(folder, name, target.path);
    if (lock === null && folder.created)
      run.warn('no lock', null, `${folder.path}: no locks here; do not let two runs write one file`);
    // What a killed run has left.
    for (const left of [newFileName(name), temporaryName(runName(name)), temporaryName(recordName(name))])
      folder.remove(left);
    const [result, resumed] = await inspectAndPerform(run, one, update && all);
    if (resumed === null || !update || result.failure !== null) return result;
    // It still has to look for what is new; `--all` is done, unless that was an update without it.
    const [next] = await inspectAndPerform(run, one, all && resumed.update?.all === false);
    return mergeResults(result, next);
  } catch (error) {
    return failedResult(one, toFailure(error));
  }
}

/** Inspects, decides and performs. Returns the result, and the interrupted run that was resumed. */
async function inspectAndPerform(run: Run, one: Export, all: boolean): Promise<[Result, RunHeader | null]> {
  const state = await inspect(one);
  const step = nextStep(state.existing, flagsOf(one.options));
  using runFile = state.interrupted instanceof RunFile ? state.interrupted : null;
  const result = await perform(run, state, step, runFile, all).catch((error) =>
    failedResult(one, toFailure(error), state.record?.entries),
  );
  return [result, step === 'resume' && runFile !== null ? runFile.header : null];
}

async function perform(
  run: Run,
  state: ExportState,
  step: Step,
  runFile: RunFile | null,
  all: boolean,
): Promise<Result> {
  const { record, operation, folder, name } = state;
  switch (step) {
    case 'keep': {
      const reference = referenceToKeep(state);
      if (record !== null && record.reference !== reference)
        writeRecord(folder, name, { ...record, reference });
      run.warn('kept', state.label, keptText(operation.name));
      return resultOf(state, { status: 'kept', entries: record?.entries ?? 0 });
    }
    case 'export': {
      using newRun = beginRun(state, null);
      return await exportList(run, state, newRun);
    }
    case 'resume':
      if (runFile === null) throw new Error('nothing to resume');
      return await resume(run, state, runFile, all);
    case 'update':
      return await updateArchive(run, state, all);
    default:
      throw refusal(step, state);
  }
}

/** Resumes an interrupted run; one whose new FILE is in its place has only to be recorded. */
async function resume(run: Run, state: ExportState, runFile: RunFile, all: boolean): Promise<Result> {
  const { end, header, position } = runFile;
  const isUpdate = header.update !== null;
  if (end === null || !hasMark(state.target.stats, end))
    return await (isUpdate ? resumeUpdate(run, state, runFile, all) : exportList(run, state, runFile));
  recordEnd(state, runFile, end);
  const { entries, hasMore } = position;
  return resultOf(state, {
    status: !isUpdate && hasMore ? 'limited' : 'complete',
    entries: end.record?.entries ?? entries,
    added: isUpdate ? entries : null,
    resumed: entries,
  });
}

/** Buys the remaining pages of an export, and replaces FILE once all of them are there. */
async function exportList(run: Run, state: ExportState, runFile: RunFile): Promise<Result> {
  const { target, context } = state;
  const { started, replaces } = runFile.header;
  if (!replaces) assertUnchanged(target, null, moveAway(state));
  const resumed = runFile.position.entries;
  const select = firstEntries(run, await runFile.lastPageIds(context.stop));
  const { facts: bought, failure } = await buyPages(run, state, runFile, select);
  const { entries, hasMore } = runFile.position;
  const facts = { ...bought, entries, resumed };
  if (failure !== null) return failedExport(run, state, failure, facts);
  if (entries === 0 && target.stats !== null && target.stats.size > 0) {
    runFile.remove();
    return failedExport(run, state, emptyList(target.path), facts);
  }
  await endRun(run, state, runFile, { ...noChecks, checked: started, missing: bought.missing });
  return resultOf(state, { ...facts, status: hasMore ? 'limited' : 'complete' });
}

/** The result of an export that failed: it stops that one only, and after a paid page it is no usage error. */
function failedResult(one: Export, failure: Failure, entries = 0): Result {
  const isPaid = one.tally.paidRequests > 0;
  const changes = { scope: 'reference' as const, ...(isPaid && { exit: 1 as const }) };
  const next = isPaid && failure.scope === 'run' ? `run ${sameCommand(one)} to resume` : null;
  return resultOf(one, {
    failure: failure.code === 'usage' ? failure.with(changes) : failure,
    entries,
    next,
  });
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
