import { resolveTarget } from '../../fs/output-target.ts';
import { type Result, resultOf } from '../../run/results.ts';
import type { Kept, Step } from '../decide/next-step.ts';
import { finishedOf, inspect, readFile } from '../inspect/inspect-export.ts';
import { type ExportRun, type LockedExport, type Performer, saveRecord } from '../locked-export.ts';
import { adoptedText, keptText, leftToPay, unfetchedText } from '../messages.ts';
import { afterRun } from '../record/after-run.ts';
import { rowsNames } from '../record/rows-name.ts';
import { exportList } from './export-list.ts';
import { recordReplaced } from './put-in-place.ts';
import { resumeUpdate, updateArchive } from './update-archive.ts';

/** Performs the steps of a run. */
export const performer: Performer<ExportRun> = {
  perform: performStep,
  inspectAgain: (_step, { folder, file, record, stamp, context, flags }) => {
    const target = resolveTarget(file.target.path, { onlyFiles: flags.isFolder });
    return inspect(folder, { target, record, unusable: null, stamp }, { stop: context.stop });
  },
};

/** Does a step of an export. */
async function performStep(step: Exclude<Step, { do: 'refuse' }>, locked: LockedExport): Promise<Result> {
  const { warn, item, file, flags, folder, names, name } = locked;
  const { progress } = file;
  // Rows that the record does not name are leftovers of killed runs.
  if (!file.hasUnrecordedRows)
    for (const rows of rowsNames(names, name)) if (rows !== progress?.rows) folder.remove(rows);
  switch (step.do) {
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
