import type { ListingOptions } from '../cli/options.ts';
import { Failure, toFailure } from '../errors.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Field } from '../output/format.ts';
import type { FileFormat } from '../output/formats.ts';
import type { Run } from '../run/open.ts';
import { type Result, resultOf, type Subject } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { afterRun } from './after-run.ts';
import type { ExportFile, Snapshot } from './inspect.ts';
import type { ExportFlags } from './next-step.ts';
import type { NewEntries } from './print-new.ts';
import { type ExportRecord, type KnownReference, writeRecord } from './record.ts';

/** What all exports of a run share. */
export interface ExportRun {
  readonly run: Run;
  readonly operation: PagedOperation;
  readonly options: ListingOptions;
  readonly format: FileFormat;
  readonly fields: readonly Field[] | null;
  readonly folder: PrivateFolder;
  /** `--output-dir`: each FILE is named by its ID. */
  readonly isFolder: boolean;
  readonly several: boolean;
  /** Prints entries that an update adds; null without `--print-new`. */
  readonly printNew: NewEntries | null;
  /** Names in the private folder when the run began. */
  readonly names: readonly string[];
}

/** One export of a run: a channel or playlist, and its FILE. */
export interface ExportItem extends Subject {
  readonly reference: string;
  readonly id: string;
  /** As read before the lock was taken. */
  readonly snapshot: Snapshot;
  /** What this run has learned of its references. */
  readonly references: Readonly<Record<string, KnownReference>>;
}

/** What a step has done: the record that is on disk now, and the result so far. */
export interface StepResult {
  readonly record: ExportRecord;
  readonly result: Result;
}

/** An export under its lock. */
export interface LockedExport extends ExportRun {
  readonly item: ExportItem;
  readonly flags: ExportFlags;
  readonly file: ExportFile;
  readonly record: ExportRecord;
  /** Name of FILE. */
  readonly name: string;
}

/** What a run, dry or not, was asked to do with the export of an ID. `service`: address and namespace; `now` in ms. */
export function exportFlags(
  {
    operation,
    options,
    format,
    fields,
    isFolder,
    several,
  }: Pick<ExportRun, 'operation' | 'options' | 'format' | 'fields' | 'isFolder' | 'several'>,
  { id, service, now }: { readonly id: string; readonly service: string; readonly now: number },
): ExportFlags {
  const { limit, update, all, restart } = options;
  const names = fields?.map(({ name }) => name).join(',') ?? null;
  const request = { command: operation.name, id, format, fields: names, limit, service };
  return { request, update, all: update && all, restart, isFolder, several, now };
}

/** How FILE is read: as its record says, or as the flags do without one. */
export const formatOf = ({ record, flags }: Pick<LockedExport, 'record' | 'flags'>) =>
  record.finished === null ? flags.request : record.request;

/** Writes a record that no page depends on: if that fails, the next run only knows less. */
export function save({ folder, name, run, item }: LockedExport, record: ExportRecord): void {
  try {
    writeRecord(folder, name, record, { durable: false });
  } catch (error) {
    run.warn('record', item.label, `its record could not be written: ${toFailure(error).message}`);
  }
}

/** Ends an export with a failure, which its record notes. */
export function recordFailure(
  locked: LockedExport,
  record: ExportRecord,
  cause: Failure,
  facts: Partial<Result> = {},
): StepResult {
  const failure = cause.code === 'not_found' && record.checked !== null ? gone(record.checked, cause) : cause;
  const next = afterRun(record, { kind: 'failed', failure }, locked.flags.now);
  if (next !== record && (next.finished !== null || next.progress !== null)) save(locked, next);
  const isResumable =
    failure.scope !== 'reference' && !(failure.code === 'budget' && locked.run.isNothingAllowed);
  return {
    record: next,
    result: resultOf(locked.item, {
      ...facts,
      failure,
      next: isResumable && failure.code !== 'usage' ? 'run the same command again to resume' : null,
    }),
  };
}

/** A channel or playlist that was exported before, and is no longer found: no spelling mistake. */
const gone = (checked: string, { status }: Failure): Failure =>
  new Failure('gone', `gone: last seen on ${checked.slice(0, 10)}`, { status });
