import { Failure, toFailure } from '../errors.ts';
import { acquireLock } from '../fs/lock.ts';
import { resolveTarget, type Target } from '../fs/target.ts';
import type { ListingStart } from '../run/run-listing.ts';
import { spent } from '../service/budget.ts';
import { exportFull } from './full.ts';
import {
  completeFile,
  countInterruptedRuns,
  creditsSoFar,
  type ExportJob,
  type ExportRun,
  endConditions,
  fullCost,
  hasOwnMemory,
  identityFor,
  ofReference,
  remember,
  restartCommand,
  warnOnce,
  withRemedy,
} from './job.ts';
import { gone } from './look.ts';
import { type Memory, newerMemory, readMemory, UnusableMemory, writeMemory } from './memory.ts';
import { PartialFile } from './partial-file.ts';
import { checkIdentity, type State } from './state.ts';
import { updateFile } from './update.ts';

/**
 * Exports one reference into its file, under the lock of that file, and notes the result in its memory. Failures are
 * in the receipt; it rejects only on a bug. `locate` returns the file and the ID (or how to request it, once FILE is
 * locked), or null if there is nothing to do.
 */
export async function exportReference(
  run: ExportRun,
  start: ListingStart,
  locate: () => Promise<{ target: Target; id: string | null | (() => Promise<string>) } | null>,
): Promise<void> {
  const { session } = run;
  const { receipt } = start;
  try {
    session.throwIfEnded();
  } catch {
    return;
  }
  receipt.started = true;
  let job: ExportJob | null = null;
  try {
    const place = await locate();
    if (place === null) {
      receipt.status = 'unchanged';
      return;
    }
    const { target, id } = place;
    receipt.file = target.path;
    job = { run, start, receipt, target, id: typeof id === 'function' ? start.id : id, memory: null };
    const lock = await acquireLock(target.real, target.path);
    try {
      // Another run may have replaced the file before it released the lock.
      const now = await resolveTarget(target.path);
      job = { ...job, target: now.real === target.real ? now : target };
      if (typeof id === 'function') {
        receipt.id = await id();
        job = { ...job, id: receipt.id };
      }
      await exportLocked(job);
    } finally {
      await lock.release();
    }
    const { failure, status } = receipt;
    if (failure === null && status !== 'kept' && status !== 'unchecked') session.succeed();
  } catch (error) {
    if (receipt.failure !== null) return;
    session.fail(receipt, job === null ? ofReference({ run }, toFailure(error)) : explain(job, error));
  }
}

/** Does the work while the lock is held, then notes the result in the memory of FILE. */
async function exportLocked(job: ExportJob): Promise<void> {
  const { run, receipt } = job;
  let isUsable = true;
  let isOfOtherService = false;
  if (run.remembers) {
    try {
      job.memory = await readMemory(job.target.real);
      isOfOtherService = job.memory !== null && job.memory.service !== run.session.serviceName;
      if (isOfOtherService) job.memory = null;
    } catch (error) {
      if (!(error instanceof UnusableMemory)) throw error;
      if (error.newer) throw newerMemory();
      isUsable = !error.inTheWay;
      // A folder run has warned before its first request.
      if (run.folder === null)
        run.session.stderr.warn(
          `${error.message}; the export is used as it is, which takes a few more requests`,
        );
    }
  }
  const before = job.memory;
  const finished = job.memory?.finished ?? null;
  try {
    await exportOrUpdate(job);
    noteResult(job, before);
  } catch (error) {
    run.session.fail(receipt, explain(job, error));
    // A run that did not get FILE does not replace what is known of it; the next run has to know of a missing feed.
    if (isOfOtherService && job.memory?.finished == null && job.memory?.feed == null) return;
    noteResult(job, before);
  }
  if (!receipt.isGone) warnOfMoved(job);
  if (!run.remembers || job.memory === null || !isUsable) return;
  if (job.memory === before && receipt.failure !== null) return;
  const { vanished } = job.memory;
  if (receipt.failure === null && vanished !== null) remember(job, () => ({ vanished: null }));
  // Without pages nothing was paid: losing this in a power cut costs one free request.
  const durable = receipt.pages > 0 || job.memory.finished !== finished;
  if (job.memory === before && receipt.failure === null && receipt.status === 'kept') return;
  try {
    await writeMemory(job.target.real, job.memory, durable);
  } catch (error) {
    const { message } = toFailure(error);
    run.session.warn({ label: null, message: `the folder's memory cannot be written: ${message}` });
  }
}

/** The failure of a job, with its scope and the command that repairs it. */
function explain(job: ExportJob, error: unknown): Failure {
  const { receipt } = job;
  let failure = toFailure(error);
  // A channel that was exported before is gone, not misspelled.
  if (failure.code === 'not_found' && !receipt.isGone && job.memory?.checked != null && hasOwnMemory(job))
    failure = gone(job, failure);
  if (failure.code === 'damaged') failure = failure.with({ scope: 'reference' });
  // Once something was spent, no failure is a usage error: FILE may change while pages are bought.
  if (failure.code === 'usage' && spent(receipt.tally.credits) > 0) {
    const { message, hint } = failure;
    failure = new Failure('failed', message, { scope: 'reference', cause: failure, hint });
  }
  return withRemedy(job, ofReference(job, failure));
}

/** Resumes, exports or updates FILE, depending on what is there. */
async function exportOrUpdate(job: ExportJob): Promise<void> {
  const { run, target, receipt, memory, start } = job;
  const { operation, options } = run.task;
  // One that cannot be read is reported below, unless --restart replaces it.
  const state = await PartialFile.peek(target).catch(() => null);
  if (state !== null) countInterruptedRuns(job, state);
  if (options.restart) return await exportFull(job, true);
  const interrupted = await unfinishedExport(job);
  if (interrupted?.header.mode === 'update' && !target.exists && memory?.finished != null)
    throw missingFile(job);
  if (interrupted !== null && (interrupted.header.mode === 'export' || !options.update || !target.exists)) {
    const isDropped = interrupted.header.mode === 'update' && options.update;
    await exportFull(job, isDropped || (interrupted.progress.pages === 0 && interrupted.isVersion1));
    if (!options.update) return;
    const { resumed } = receipt;
    const again = { ...job, target: await resolveTarget(target.path) };
    try {
      await updateFile(again);
    } finally {
      job.memory = again.memory;
    }
    receipt.resumed = resumed;
    if (receipt.status === 'unchanged') receipt.status = 'complete';
    return;
  }
  if (!target.exists) {
    if (memory?.finished != null) throw missingFile(job);
    return await exportFull(job, false);
  }
  if (options.update) return await updateFile(job);
  const { stat } = await import('node:fs/promises');
  const isEmpty = (await stat(target.real)).size === 0;
  // An empty file that a memory describes is a complete export, which a folder keeps.
  const isReplaced = isEmpty && (memory?.finished == null || (run.folder === null && memory.entries === 0));
  if (isReplaced || (run.folder === null && !operation.updatable)) return await exportFull(job, false);
  if (run.folder === null) throw completeFile(target, memory?.entries ?? null, run.task, start);
  receipt.status = 'kept';
  receipt.entries = memory?.entries ?? 0;
}

/**
 * The state of an interrupted export of FILE. One that has all its pages is finished here if its arguments are not
 * those of this run: nothing of it is open. Without a state, rows of a run that died before its first page are removed.
 */
async function unfinishedExport(job: ExportJob): Promise<State | null> {
  const { target, run } = job;
  const state = await PartialFile.peek(target);
  if (state === null) {
    await PartialFile.removeLeftover(target);
    return null;
  }
  if (state.progress.result === null) return state;
  const { mode, identity } = state.header;
  try {
    const own = mode === 'export' || run.task.options.update ? mode : 'export';
    checkIdentity(state, own, await identityFor(job, state), target.path);
    return state;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'usage') throw error;
  }
  const now = run.session.context.clock.now();
  const file = await PartialFile.open(target, identity, { mode, restart: false, now, digest: false });
  await file.close();
  return file.finished === null ? state : null;
}

/** The failure for an export that is remembered as finished but is not there: the folder may not be mounted. */
function missingFile(job: ExportJob): Failure {
  const { memory, target, run, start } = job;
  const changed = memory?.changed ? `on ${memory.changed.slice(0, 10)}` : 'by an earlier run';
  const command = restartCommand(run.task, start, target);
  return new Failure(
    'damaged',
    `${target.path} is not there, but was exported ${changed} (is its folder mounted?)`,
    {
      hint: `nothing was bought; to export it again (${fullCost(memory?.entries ?? null)}): ${command}`,
      scope: 'reference',
    },
  );
}

/** Warns of a reference that now resolves to another ID or to none, and names the line to change. */
function warnOfMoved(job: ExportJob): void {
  const { run, start, id } = job;
  const value = start.value ?? '';
  if (!run.moved.has(value)) {
    if (run.resolved.has(value)) endConditions(job, 'moved ');
    return;
  }
  const to = run.moved.get(value) ?? null;
  const condition = `moved ${to}`;
  if (!job.memory?.reported.includes(condition)) endConditions(job, 'moved ');
  const where =
    to === null ? 'no longer leads to a channel' : `now leads to ${to}, for which nothing is bought`;
  warnOnce(
    job,
    condition,
    `the reference ${where}; ${id} is still kept up to date`,
    `change its line to ${id}`,
  );
}

/**
 * Notes in the memory how the run ended; `before`: the memory as it was. A memory describes FILE: a run that did not
 * replace it notes nothing about another reference.
 */
function noteResult(job: ExportJob, before: Memory | null): void {
  const { run, start, receipt } = job;
  const { failure } = receipt;
  const succeeded = failure === null;
  const isReplaced = job.memory !== null && job.memory.finished !== (before?.finished ?? null);
  if (!succeeded && !isReplaced) {
    const isOwn = before === null || hasOwnMemory({ ...job, memory: before });
    // An ID that is misspelled names no export, and arguments that do not fit FILE are not those of FILE.
    const isTypo = failure.code === 'not_found' && !receipt.isGone && spent(receipt.tally.credits) === 0;
    if (!isOwn || (before === null && (failure.code === 'usage' || isTypo))) {
      job.memory = before;
      return;
    }
  }
  const value = start.value;
  const resolved = value === null ? null : (run.resolved.get(value) ?? null);
  remember(job, (memory) => {
    const known =
      value === null || value === memory.id ? {} : { [value]: resolved ?? memory.references[value] ?? null };
    const isOfCall = failure !== null && failure.scope !== 'reference';
    return {
      references: { ...memory.references, ...known },
      credits: creditsSoFar({ ...job, memory }),
      interrupted: isOfCall || (!succeeded && receipt.pages > 0),
      failures: succeeded
        ? receipt.status === 'unchecked'
          ? memory.failures
          : 0
        : memory.failures + (isOfCall ? 0 : 1),
      // The pages of an interrupted run say nothing about the finished FILE.
      ...(receipt.missing !== null &&
        (succeeded || memory.finished === null) && {
          missing: receipt.missing,
          disappeared: receipt.disappeared,
        }),
    };
  });
}
