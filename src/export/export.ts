import { basename } from 'node:path';
import { type Failure, toFailure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { resolveTarget } from '../fs/output-target.ts';
import { type Result, resultOf } from '../run/results.ts';
import { afterRun, withReferences } from './after-run.ts';
import { exportPages, publish } from './full.ts';
import { type ExportFile, inspect, type Snapshot } from './inspect.ts';
import { type ExportItem, type ExportRun, exportFlags, type LockedExport, note } from './locked-export.ts';
import { adoptedText, keptText, refusal, unknownText } from './messages.ts';
import { type ExportFlags, flagsLeft, type Kept, nextStep, type Step } from './next-step.ts';
import { type ExportRecord, newRecord, readRecord, stampOf } from './record.ts';
import { leftovers } from './rows.ts';
import { resumeUpdate, updateFile } from './update.ts';

/** Exports one item, or brings it up to date: inspect, decide, perform. Returns every failure in the result. */
export async function exportItem(exports: ExportRun, item: ExportItem): Promise<Result> {
  const { path, real } = item.snapshot.target;
  const name = basename(real);
  try {
    const release = await acquireLock(exports.folder, name, path);
    if (release === null && exports.folder.created)
      exports.run.warn(
        'no lock',
        null,
        `${exports.folder.path}: this file system cannot hold locks; do not let two runs write one file`,
      );
    try {
      return await exportLocked(exports, item, name);
    } finally {
      release?.();
    }
  } catch (error) {
    return failed(item, toFailure(error));
  }
}

async function exportLocked(exports: ExportRun, item: ExportItem, name: string): Promise<Result> {
  const { run, folder, names } = exports;
  const { serviceName: service, subjects, context } = run;
  const asked = { id: item.id, service, several: subjects.length > 1, now: context.clock.now() };
  const flags = exportFlags(exports, asked);
  const snapshot = currentSnapshot(exports, item, name);
  if (snapshot.isRecordDamaged)
    run.warn('record', item.label, `its record in ${folder.path} is damaged; ${unknownText}`);
  const before = snapshot.record ?? newRecord(item.reference, flags.request);
  for (const leftover of leftovers(names, name, before.progress)) folder.remove(leftover);
  const record = withReferences(before, item.reference, item.references);
  const result = await performSteps(exports, item, flags, { ...snapshot, record }).catch((error) =>
    failed(item, toFailure(error)),
  );
  const { failure } = result;
  if (failure === null || failure.exit !== 2 || item.tally.paidRequests === 0) return result;
  // A wrong folder that is found after a page was paid is no usage error.
  return { ...result, failure: failure.with({ exit: 1 }) };
}

/** What was read before the lock, read again if another run has written since. */
function currentSnapshot({ folder, options }: ExportRun, { snapshot }: ExportItem, name: string): Snapshot {
  if (stampOf(folder, name) === snapshot.stamp) return snapshot;
  return {
    ...readRecord(folder, name),
    target: resolveTarget(snapshot.target.path, { onlyFiles: options.outputDir !== null }),
  };
}

/** Inspect, decide, perform; after an interrupted run has been dealt with, once more for what is left to do. */
async function performSteps(
  exports: ExportRun,
  item: ExportItem,
  flags: ExportFlags,
  snapshot: Snapshot & { readonly record: ExportRecord },
): Promise<Result> {
  const { target, record } = snapshot;
  const file = await inspect(exports.folder, snapshot, flags.request, exports.run.context.stop);
  const step = nextStep(file, flags);
  const locked: LockedExport = { ...exports, item, flags, file, record, name: basename(target.real) };
  const result = await perform(step, locked);
  const left = flagsLeft(step, record.progress, result.failure?.code ?? null, flags);
  if (left === null) return result;
  const present = resolveTarget(target.path, { onlyFiles: flags.isFolder });
  const after = { ...snapshot, target: present, record: locked.record };
  return together(result, await performSteps(exports, item, left, after));
}

async function perform(step: Step, locked: LockedExport): Promise<Result> {
  const { run, item, file, flags, record } = locked;
  switch (step.do) {
    case 'refuse':
      return failed(item, refusal(step.why, locked), file);
    case 'keep':
      return keep(step.why, locked);
    case 'publish':
      return publish(locked);
    case 'full':
      return await exportPages(locked, null);
    case 'resume':
      return record.progress?.isUpdate
        ? await resumeUpdate(locked, record.progress)
        : await exportPages(locked, record.progress);
    case 'update':
      if (file.state === 'unrecorded' && !file.isRecordDamaged && !flags.all)
        run.warn('adopted', item.label, adoptedText);
      return await updateFile(locked);
  }
}

function keep(why: Kept, locked: LockedExport): Result {
  const { run, item, file, flags, record } = locked;
  const { finished, entries } = file;
  run.warn(`kept: ${why}`, item.label, keptText(why, file, flags));
  if (why === 'adopted' && finished !== null)
    note(locked, afterRun(record, { kind: 'adopted', finished, request: flags.request }, flags.now));
  else if (Object.keys(item.references).length > 0) note(locked, record);
  return resultOf(item, { status: 'kept', entries });
}

/** What is refused of one export stops only that one. */
const failed = (item: ExportItem, failure: Failure, { entries }: Partial<ExportFile> = {}): Result =>
  resultOf(item, {
    failure: failure.code === 'usage' ? failure.with({ scope: 'reference' }) : failure,
    entries: entries ?? 0,
  });

/** Two steps of one export as one result. */
const together = (first: Result, second: Result): Result => ({
  ...second,
  status: second.status === 'unchanged' && first.failure === null ? first.status : second.status,
  added: second.added === null ? first.added : second.added + (first.added ?? 0),
  pages: first.pages + second.pages,
  resumed: first.failure === null ? first.resumed : second.resumed,
  missing: second.missing ?? first.missing,
  why: first.why ?? second.why,
});
