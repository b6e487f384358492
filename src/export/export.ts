import { basename } from 'node:path';
import { type Failure, toFailure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { resolveTarget } from '../fs/output-target.ts';
import { type Result, resultOf } from '../run/results.ts';
import { afterRun, withProgress, withReferences } from './after-run.ts';
import { exportPages, publish } from './full.ts';
import { type ExportFile, inspect, type Sighting, sight, stampOf } from './inspect.ts';
import { type Done, type ExportItem, type ExportRun, factsOf, flagsOf, type Job, save } from './job.ts';
import { keptText, refusal } from './messages.ts';
import { nextStep, type Step } from './next-step.ts';
import { type ExportRecord, newRecord } from './record.ts';
import { leftovers } from './rows.ts';
import { updateFile } from './update.ts';

/** Exports one item, or brings it up to date: inspect, decide, perform. Returns every failure in the result. */
export async function exportItem(exports: ExportRun, item: ExportItem): Promise<Result> {
  const { path, real } = item.sighting.target;
  const name = basename(real);
  try {
    const lock = await acquireLock(exports.folder, name, path);
    if (!lock.isHeld && exports.folder.created)
      exports.run.warn(
        'no lock',
        null,
        `${exports.folder.path}: this file system cannot hold locks; do not let two runs write one file`,
      );
    try {
      return await exportLocked(exports, item, name);
    } finally {
      lock.release();
    }
  } catch (error) {
    return failed(item, toFailure(error));
  }
}

async function exportLocked(exports: ExportRun, item: ExportItem, name: string): Promise<Result> {
  const { run, folder, names } = exports;
  const now = run.context.clock.now();
  const flags = flagsOf(exports, { id: item.id, service: run.serviceName, now });
  const { request } = flags;
  const sighting = refreshed(exports, item, name);
  if (sighting.isRecordDamaged)
    run.warn(
      'record',
      item.label,
      `its record in ${folder.path} is damaged: FILE counts as one without a record`,
    );
  const file = await inspect(folder, sighting, request);
  for (const leftover of leftovers(names, name, file.record?.progress ?? null)) folder.remove(leftover);
  const known = file.record ?? newRecord(item.reference, request);
  const record = withReferences(known, item.reference, item.references);
  const job: Job = { ...exports, item, flags, file, record, name };
  const result = await performSteps(job);
  const { failure } = result;
  if (failure === null || failure.exit !== 2 || item.tally.paidRequests === 0) return result;
  // A wrong folder that is found after a page was paid is no usage error.
  return { ...result, failure: failure.with({ exit: 1 }) };
}

/** What was read before the lock, read again if another run has written since. */
function refreshed({ folder, isFolder }: ExportRun, { sighting }: ExportItem, name: string): Sighting {
  if (stampOf(folder, name) === sighting.stamp) return sighting;
  return sight(folder, resolveTarget(sighting.target.path, { onlyFiles: isFolder }));
}

/** Performs steps until the flags are satisfied: what was interrupted first, then the update. */
async function performSteps(first: Job): Promise<Result> {
  let job = first;
  let before: Result | null = null;
  let hasStartedOver = false;
  for (;;) {
    const step = nextStep(job.file, job.flags);
    const { progress } = job.file.record ?? {};
    const { record, result } = await perform(step, job);
    const merged: Result = before === null ? result : together(before, result);
    const { failure } = result;
    if (failure !== null) {
      const canStartOver =
        progress != null && (progress.isUpdate || (progress.isRestart && job.flags.restart));
      const isUnusable = failure.code === 'refused' || failure.code === 'damaged';
      if (!canStartOver || hasStartedOver || step.do !== 'resume' || !isUnusable) return merged;
      hasStartedOver = true;
      // The rows stay until the first new page is durable.
      job = { ...job, record, file: { ...job.file, record: withProgress(record, null), pending: null } };
      continue;
    }
    const isRestarted = job.flags.restart && progress?.isRestart === true;
    const isInterrupted = step.do === 'resume' || step.do === 'publish';
    if (!isInterrupted || isRestarted || !(job.flags.update || job.flags.restart)) return merged;
    before = merged;
    // An update of every page was resumed: its pages are not fetched twice.
    const all = job.flags.all && !progress?.isAll;
    job = withRecord({ ...job, flags: { ...job.flags, all } }, record);
  }
}

/** The same job with the record that is on disk now, and the FILE that it describes. */
function withRecord(job: Job, record: ExportRecord): Job {
  const isReplaced = record.finished !== job.file.finished;
  const { finished } = record;
  const file: ExportFile = isReplaced
    ? {
        ...job.file,
        record,
        state: finished === null ? 'none' : 'recorded',
        contents: null,
        finished,
        pending: null,
      }
    : { ...job.file, record, pending: null };
  return { ...job, record, file };
}

async function perform(step: Step, job: Job): Promise<Done> {
  const { item, file, flags, record } = job;
  switch (step.do) {
    case 'refuse':
      return { record, result: failed(item, refusal(step.why, file, flags), file) };
    case 'keep':
      return keep(step.why, job);
    case 'publish':
      return publish(job);
    case 'full':
      return await exportPages(job, null);
    case 'resume':
      return record.progress?.isUpdate
        ? await updateFile(job, record.progress)
        : await exportPages(job, record.progress);
    case 'update':
      return await updateFile(job, null);
  }
}

function keep(why: Extract<Step, { do: 'keep' }>['why'], job: Job): Done {
  const { run, item, file, flags, record } = job;
  const { finished } = file;
  run.warn(`kept: ${why}`, item.label, keptText(why, file, flags));
  let next = record;
  if (why === 'adopted' && finished !== null) {
    next = afterRun(record, { kind: 'adopted', finished, request: flags.request }, flags.now);
    save(job, next);
  }
  return {
    record: next,
    result: resultOf(item, { ...factsOf(job), status: 'kept', entries: finished?.entries ?? 0 }),
  };
}

const failed = (item: ExportItem, failure: Failure, file?: ExportFile): Result =>
  resultOf(item, {
    ...factsOf({ item }),
    failure,
    entries: file?.contents?.entries ?? file?.finished?.entries ?? 0,
  });

/** Two steps of one export as one result. */
const together = (first: Result, second: Result): Result => ({
  ...second,
  status: second.status === 'unchanged' ? first.status : second.status,
  added: second.added === null ? first.added : second.added + (first.added ?? 0),
  pages: first.pages + second.pages,
  resumed: first.resumed,
  missing: second.missing ?? first.missing,
  why: first.why ?? second.why,
});
