import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { operations } from '../api/contract.ts';
import { budgetSpent } from '../api/credits.ts';
import { resolvedId } from '../api/resolved-id.ts';
import { Failure, systemCode, toFailure, usage } from '../errors.ts';
import { nodeFileOps } from '../fs/file-ops.ts';
import { acquireLock } from '../fs/lock.ts';
import { readProblem } from '../fs/read-input.ts';
import { resolveFile, type Target } from '../fs/target.ts';
import { sharedProgress } from '../output/progress.ts';
import type { ListStart } from '../run/listing-plan.ts';
import type { Receipt } from '../run/receipts.ts';
import type { Call } from '../run/session.ts';
import { count } from '../text/count.ts';
import { exportReference } from './export-reference.ts';
import { type FolderJournal, openFolderJournal } from './folder-journal.ts';
import { PartialFile } from './partial-file.ts';
import type { ExportSettings } from './task.ts';

/** Exports each reference into a file of its own, several side by side. */
export async function exportFolder(call: Call, settings: ExportSettings, folder: string): Promise<void> {
  const { starts, options } = settings.listing;
  await makeFolder(folder);
  const journal = await openJournal(call, settings, folder);
  const shared = { ...call, progress: sharedProgress(call.progress) };
  const seen = new Set<string>();
  /** Files that an interrupted run has finished. */
  let there = 0;
  const targetOf = async (start: ListStart, receipt: Receipt): Promise<Target | null> => {
    const id = await idOf(call, start, receipt);
    const target = await resolveFile(join(folder, `${id}.${settings.format}`));
    receipt.file = target.path;
    if (seen.has(id)) return null;
    seen.add(id);
    if (journal === null || !target.exists || !journal.has(id)) return target;
    // One that is not in its place yet goes on.
    if (!options.restart && (await PartialFile.peek(target)) !== null) return target;
    await removeStaleLock(target);
    there++;
    return null;
  };
  const work = (start: ListStart): Promise<Receipt> =>
    exportReference(
      shared,
      settings,
      start,
      (receipt) => targetOf(start, receipt),
      async (receipt) => {
        if (receipt.id !== null) await journal?.add(receipt.id);
      },
    );

  const receipts: Receipt[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < starts.length; at = next++) {
      const start = starts[at];
      if (start !== undefined) receipts[at] = await work(start);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, starts.length) }, worker));
  for (const receipt of receipts) call.receipts.push(receipt);
  let halted: Failure | null = null;
  try {
    call.checkHalted();
  } catch (error) {
    halted = toFailure(error);
  }
  // A list that fails again on the run that was to mend it must not keep the others from being exported anew.
  const left = halted !== null || (there === 0 && receipts.some(canGoOn));
  await journal?.close(left ? null : seen);
  if (there > 0) {
    const files = count(there, 'file was', 'files were');
    call.stderr.note(
      `${folder}: ${files} finished by the interrupted run, begun ${journal?.begun}; --restart exports all anew`,
    );
  }
  const finished = receipts.filter(({ failure }) => failure === null).length;
  const again = options.restart ? 'the same command without --restart' : 'the same command';
  if (halted !== null) {
    const next = `${finished} of ${starts.length} done: ${again} continues with the rest`;
    const told = halted.code === 'budget' ? allNeeded(call, receipts) : halted;
    call.tell(told, { reference: null, tally: call.budget.total, next });
    throw told;
  }
  if (left && journal !== null && finished > 0) {
    call.stderr.warn(
      `${folder}: ${again} continues with the rest, and does not export the ${finished} finished again`,
    );
  }
}

/** The stop by a budget, with what the lists need together that it has stopped; of those not begun nobody knows. */
function allNeeded(call: Call, receipts: readonly Receipt[]): Failure {
  const stopped = receipts.filter(({ failure }) => failure?.code === 'budget');
  const begun = stopped.flatMap(({ needed }) => needed ?? []);
  const others = stopped.length - begun.length;
  if (begun.length === 0) return budgetSpent(call.budget);
  const which = begun.length === 1 ? 'the one begun' : `the ${begun.length} begun`;
  return budgetSpent(call.budget, {
    credits: begun.reduce((sum, credits) => sum + credits, 0),
    ...(others > 0 && { of: ` for ${which}, and more for ${others} not begun` }),
  });
}

/** With --update no journal is needed: that a file is up to date is told for free. */
async function openJournal(
  call: Call,
  { listing, format, fields }: ExportSettings,
  folder: string,
): Promise<FolderJournal | null> {
  const { operation, options, starts } = listing;
  if (options.update || starts.length === 1) return null;
  const names = fields?.map(({ name }) => name) ?? null;
  const identity = JSON.stringify([operation.name, format, names, call.serviceName, options.limit]);
  return await openFolderJournal(folder, identity, options.restart, call.context.clock.now());
}

/** Failed in such a way that another run may get through. */
function canGoOn({ failure }: Receipt): boolean {
  return failure !== null && !['not_found', 'refused', 'usage'].includes(failure.code);
}

/** A run that died between the end of a file and its own may have left the lock. */
async function removeStaleLock({ real, path }: Target): Promise<void> {
  if ((await nodeFileOps.lstat(`${real}.lock`)) !== null) await (await acquireLock(real, path)).release();
}

/** The canonical ID that names a reference's file; a handle costs one free call (service specification, 4.1). */
async function idOf(call: Call, start: ListStart, receipt: Receipt): Promise<string> {
  if (start.id !== null) return start.id;
  const answer = await call.client.call(operations.resolve, { input: start.value ?? '' }, receipt.tally);
  const id = resolvedId(answer);
  if (id === null || !/^[A-Za-z0-9_-]+$/.test(id)) {
    throw new Failure('bad_answer', 'the channel ID from the service cannot name a file', { status: 200 });
  }
  receipt.id = id;
  return id;
}

/** The names of new folders are durable before anything is paid. */
async function makeFolder(folder: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return;
    const top = dirname(resolve(first));
    for (let at = dirname(resolve(folder)); ; at = dirname(at)) {
      await nodeFileOps.syncFolder(at);
      if (at === top || at === dirname(at)) break;
    }
  } catch (error) {
    const taken = ['EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '');
    const why = taken ? 'something that is not a folder has its name' : readProblem(error);
    throw usage(`the folder ${folder} cannot be made: ${why}`, 'choose another --output-dir');
  }
}
