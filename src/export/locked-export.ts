import type { Failure } from '../errors.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Run } from '../run/open.ts';
import { type Result, resultOf } from '../run/results.ts';
import { checksAfterFailure } from './checks.ts';
import type { ExportSetup, ExportState } from './inspect.ts';
import { gone, sameCommand } from './messages.ts';
import { writeRecord } from './record.ts';
import { RunFile } from './run-file.ts';
import type { RunHeader } from './run-header.ts';

/** What only a run that writes has. */
export interface ExportRun extends ExportSetup, Omit<Run, 'operation'> {
  readonly folder: PrivateFolder;
}

/** An export under its lock. */
export type LockedExport = ExportRun & ExportState;

/** The reference that a record keeps: the last one given, but a handle or URL rather than the ID itself. */
export function referenceOf({ item, record, run }: LockedExport): string {
  const reference = item.reference ?? item.id;
  if (item.value !== item.id) return reference;
  if (run instanceof RunFile && run.header.request.id === item.id) return run.header.reference;
  return record?.id === item.id ? record.reference : reference;
}

/** Begins an export (`update` null) or an update. */
export function beginRun(locked: LockedExport, update: RunHeader['update']): RunFile {
  const { folder, name, request, existing, context } = locked;
  const reference = referenceOf(locked);
  const started = new Date(context.clock.now()).toISOString();
  return RunFile.create(folder, name, {
    ...{ request, reference, started, update },
    replaces: existing.file !== 'none',
  });
}

/** The result of an export that failed, which the record of an archive notes. */
export function failedExport(locked: LockedExport, cause: Failure, facts: Partial<Result>): Result {
  const { isNothingAllowed, item, context, folder, name } = locked;
  // That of another ID is about what FILE still is.
  const record = locked.record?.id === item.id ? locked.record : null;
  const checked = record?.checks.checked ?? null;
  const failure = cause.code === 'not_found' && checked !== null ? gone(checked, cause) : cause;
  const checks = record && checksAfterFailure(record.checks, failure, context.clock.now());
  if (record !== null && checks !== null) writeRecord(folder, name, { ...record, checks });
  const isResumable =
    failure.scope !== 'reference' &&
    failure.code !== 'usage' &&
    !(failure.code === 'budget' && isNothingAllowed);
  const next = isResumable ? `run ${sameCommand(locked)} to resume` : null;
  return resultOf(item, { ...facts, failure, next });
}
