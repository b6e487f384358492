import { toFailure } from '../../errors.ts';
import { acquireLock } from '../../fs/file-lock.ts';
import { resolveTarget } from '../../fs/output-target.ts';
import { type Result, resultOf } from '../../run/results.ts';
import type { Kept, Step } from '../decide/next-step.ts';
import { exportOne, failedResult, nameOf, type Performer } from '../export-one.ts';
import { finishedOf, inspect, readFile } from '../inspect/inspect-export.ts';
import {
  type ExportItem,
  type ExportRun,
  exportFlags,
  type LockedExport,
  saveRecord,
} from '../locked-export.ts';
import { adoptedText, keptText, leftToPay, unfetchedText } from '../messages.ts';
import { afterRun, withReferences } from '../record/after-run.ts';
import { newRecord, readRecord, writeRecord } from '../record/export-record.ts';
import { rowsNames } from '../record/rows-name.ts';
import { exportList } from './export-list.ts';
import { recordReplaced } from './put-in-place.ts';
import { resumeUpdate, updateArchive } from './update-archive.ts';

/** Writes what was resolved to the ID of an item into its record, in case the run ends before its export. */
export async function rememberReferences(exports: ExportRun, item: ExportItem): Promise<void> {
  if (Object.keys(item.references).length === 0) return;
  const { folder, context } = exports;
  const name = nameOf(item.snapshot);
  try {
    using _lock = await acquireLock(folder, name, item.snapshot.target.path);
    const { record, unusable } = readRecord(folder, name);
    const { request } = exportFlags(exports, item.id, context.clock.now());
    const isOther = record?.request.id !== item.id;
    if (unusable !== null || (isOther && (record?.finished ?? record?.progress ?? null) !== null)) return;
    const known = record === null || isOther ? newRecord(item.reference, request) : record;
    writeRecord(folder, name, withReferences(known, item.reference, item.references), { durable: false });
  } catch {
    // The export itself fails in the same way, and reports it.
  }
}

/** Exports one item under its lock. Returns every failure in the result. */
export async function exportItem(exports: ExportRun, item: ExportItem): Promise<Result> {
  const { folder, warn } = exports;
  const name = nameOf(item.snapshot);
  try {
    using lock = await acquireLock(folder, name, item.snapshot.target.path);
    if (lock === null && folder.created)
      warn(
        'no lock',
        null,
        `${folder.path}: this file system cannot hold locks; do not let two runs write one file`,
      );
    return await exportOne(exports, item, performer);
  } catch (error) {
    return failedResult(item, toFailure(error));
  }
}

const performer: Performer<ExportRun> = {
  perform: performStep,
  inspectAgain: (_step, { folder, file, record, stamp, context, flags }) => {
    const target = resolveTarget(file.target.path, { onlyFiles: flags.isFolder });
    return inspect(folder, { target, record, unusable: null, stamp }, { stop: context.stop });
  },
};

/** Does a step of an export. */
async function performStep(step: Step, locked: LockedExport): Promise<Result> {
  const { warn, item, file, flags, folder, names, name } = locked;
  const { progress } = file;
  // Rows that the record does not name are leftovers of killed runs.
  if (!file.hasUnrecordedRows)
    for (const rows of rowsNames(names, name)) if (rows !== progress?.rows) folder.remove(rows);
  switch (step.do) {
    case 'refuse':
      throw new Error('a refused export is not performed');
    case 'keep':
      return await keep(step.why, locked);
    case 'export':
      return await exportList(locked, null);
    case 'record':
      return recordReplaced(locked, null);
    case 'resume': {
      if (progress === null) throw new Error('nothing to resume');
      const isRequested = progress.kind === 'restart' ? flags.restart : flags.all;
      const rest = isRequested ? null : leftToPay(locked);
      if (rest !== null) warn('resumed', item.label, `finishing its interrupted ${progress.kind}: ${rest}`);
      return progress.kind === 'update'
        ? await resumeUpdate(locked, progress)
        : await exportList(locked, progress);
    }
    case 'adopt':
      if (!flags.all) warn('adopted', item.label, adoptedText);
      await adopt(locked);
      return await updateArchive(locked);
    case 'update':
      if (progress?.isAll && !flags.all) warn('not all', item.label, unfetchedText(locked));
      return await updateArchive(locked);
  }
}

async function keep(why: Kept, locked: LockedExport): Promise<Result> {
  const { warn, item, file, flags } = locked;
  warn(`kept: ${why}`, item.label, keptText(why, file, flags));
  if (why === 'adopted') await adopt(locked);
  else if (file.record?.progress != null) saveRecord(locked, locked.record);
  return resultOf(item, { status: 'kept', entries: file.entries });
}

/** Gives FILE a record: it is an archive of this request from now on. */
async function adopt(locked: LockedExport): Promise<void> {
  const { file, flags, context } = locked;
  const exported = new Date(0).toISOString();
  const finished = await readFile(file.target, (fd) => finishedOf(fd, file.entries, exported, context.stop));
  saveRecord(
    locked,
    afterRun(locked.record, { kind: 'adopted', finished, request: flags.request }, flags.now),
  );
  locked.file = { ...file, record: locked.record, state: 'recorded' };
}
