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
import { type Contents, type ReadOptions, readFileContents } from './read.ts';
import { type ExportRecord, type ExportRequest, writeRecord } from './record.ts';

/** What all exports of a run share. */
export interface ExportRun {
  readonly run: Run;
  readonly operation: PagedOperation;
  readonly options: ListingOptions;
  readonly format: FileFormat;
  readonly fields: readonly Field[] | null;
  readonly folder: PrivateFolder;
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
  readonly references: ExportRecord['references'];
}

/** An export under its lock. */
export interface LockedExport extends ExportRun {
  readonly item: ExportItem;
  readonly flags: ExportFlags;
  /** Name of FILE. */
  readonly name: string;
  /** As it was inspected; `loadContents` adds its contents. */
  file: ExportFile;
  /** The record with what this run knows; only `commit` and `note` replace and write it. */
  record: ExportRecord;
}

/** What a run, dry or not, was asked to do with the export of an ID. `service`: address and namespace; `now` in ms. */
export function exportFlags(
  { operation, options, format, fields }: Pick<ExportRun, 'operation' | 'options' | 'format' | 'fields'>,
  { id, service, several, now }: Pick<ExportFlags, 'several' | 'now'> & Pick<ExportRequest, 'id' | 'service'>,
): ExportFlags {
  const { limit, update, all, restart } = options;
  const names = fields?.map(({ name }) => name).join(',') ?? null;
  const request = { command: operation.name, id, format, fields: names, limit, service };
  const isFolder = options.outputDir !== null;
  return { request, update, all: update && all, restart, unresumable: false, isFolder, several, now };
}

/** Replaces the record; on return it survives a power cut. What has been paid for depends on it. */
export function commit(locked: LockedExport, record: ExportRecord): void {
  writeRecord(locked.folder, locked.name, record);
  locked.record = record;
}

/** Replaces the record by one that no page depends on: if that fails, the next run only knows less. */
export function note(locked: LockedExport, record: ExportRecord): void {
  const { folder, name, run, item } = locked;
  locked.record = record;
  try {
    writeRecord(folder, name, record, { durable: false });
  } catch (error) {
    run.warn('record', item.label, `its record could not be written: ${toFailure(error).message}`);
  }
}

/** What FILE contains: it is read when that is needed, once. */
export async function loadContents(locked: LockedExport): Promise<Contents> {
  const { file } = locked;
  const contents = file.contents ?? (await readFileContents(file.target, readOptions(locked)));
  locked.file = { ...file, contents };
  return contents;
}

/** How FILE is read: as its record says, or as the flags do without one. */
export function readOptions({ record, flags, run }: LockedExport): ReadOptions {
  const { format, fields } = record.finished === null ? flags.request : record.request;
  return { format, fields, stop: run.context.stop };
}

/** The result of an export that failed, which its record notes. */
export function noteFailure(locked: LockedExport, cause: Failure, facts: Partial<Result> = {}): Result {
  const { record, run, item, flags } = locked;
  const failure = cause.code === 'not_found' && record.checked !== null ? gone(record.checked, cause) : cause;
  const next = afterRun(record, { kind: 'failed', failure }, flags.now);
  if (next !== record && (next.finished !== null || next.progress !== null)) note(locked, next);
  const isResumable =
    failure.scope !== 'reference' &&
    failure.code !== 'usage' &&
    !(failure.code === 'budget' && run.isNothingAllowed);
  return resultOf(item, {
    ...facts,
    failure,
    next: isResumable ? 'run the same command again to resume' : null,
  });
}

/** A channel or playlist that was exported before, and is no longer found: no spelling mistake. */
const gone = (checked: string, { status }: Failure): Failure =>
  new Failure('gone', `gone: last seen on ${checked.slice(0, 10)}`, { status });
