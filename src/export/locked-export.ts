import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Failure, toFailure } from '../errors.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Field } from '../output/format.ts';
import type { FileFormat } from '../output/formats.ts';
import type { Run } from '../run/open.ts';
import type { InputReference } from '../run/read-references.ts';
import type { Report } from '../run/report.ts';
import type { Result } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import type { ExportFlags, Step } from './decide/next-step.ts';
import { type ExportFile, inspectFile, type Snapshot } from './inspect/inspect-export.ts';
import type { Contents } from './inspect/read-archive.ts';
import type { NewEntriesPrinter } from './perform/print-new.ts';
import { type ExportRecord, type ExportRequest, stampOf, writeRecord } from './record/export-record.ts';

/** What all exports of a run share, dry runs included. */
export interface ExportSetup {
  readonly context: Context;
  readonly serviceName: string;
  /** The run has several references. */
  readonly several: boolean;
  readonly warn: Report['warn'];
  readonly operation: PagedOperation;
  readonly options: ListingOptions;
  readonly format: FileFormat;
  readonly fields: readonly Field[] | null;
  readonly folder: PrivateFolder | null;
  /** Names in the private folder when the run began. */
  readonly names: readonly string[];
}

/** What only a run that writes has. */
export interface ExportRun extends ExportSetup, Run {
  readonly folder: PrivateFolder;
  /** Prints entries that an update adds; null without `--print-new`. */
  readonly printNew: NewEntriesPrinter | null;
}

/** One export of a run: a channel or playlist, and its FILE. */
export interface ExportItem extends InputReference {
  readonly id: string;
  /** As read before the lock was taken. */
  readonly snapshot: Snapshot;
  /** What this run has learned of its references. */
  readonly references: ExportRecord['references'];
}

/** What is known of one export while a run deals with it. */
export interface ExportState {
  readonly item: ExportItem;
  readonly flags: ExportFlags;
  /** Name of FILE. */
  readonly name: string;
  /** As it was inspected; `loadContents` adds its contents. */
  file: ExportFile;
  /** The record with what this run knows; only `commitRecord` and `saveRecord` replace and write it. */
  record: ExportRecord;
  /** Identifies the record on disk, as this run knows it. */
  stamp: string;
}

/** An export under its lock. */
export type LockedExport = ExportRun & ExportState;

/** Does what was decided: in a run, or in a dry run, which only finds the first request. */
export interface Performer<Setup extends ExportSetup> {
  /** Does a step. Returns the failures of requests in the result. */
  perform(step: Exclude<Step, { do: 'refuse' }>, one: Setup & ExportState): Promise<Result>;
  /** FILE and its record after a step; null: nothing else is to be done. */
  inspectAgain(step: Exclude<Step, { do: 'refuse' }>, one: Setup & ExportState): Promise<ExportFile | null>;
}

/** What a run, dry or not, was asked to do with the export of an ID. */
export function exportFlags(
  { context, operation, options, format, fields, serviceName, several }: ExportSetup,
  id: string,
): ExportFlags {
  const { limit, update, all, restart } = options;
  const names = fields?.map(({ name }) => name).join(',') ?? null;
  const request: ExportRequest = {
    command: operation.name,
    id,
    format,
    fields: names,
    limit,
    service: serviceName,
  };
  const isFolder = options.outputDir !== null;
  return {
    request,
    update,
    all: update && all,
    restart,
    unresumable: false,
    isFolder,
    several,
    now: context.clock.now(),
  };
}

/** Replaces the record durably: on return it survives a power cut. For changes that paid pages depend on. */
export function commitRecord(locked: LockedExport, record: ExportRecord): void {
  assertOnlyWriter(locked);
  writeRecord(locked.folder, locked.name, record);
  locked.stamp = stampOf(locked.folder, locked.name);
  locked.record = record;
}

/** Throws `locked` if another run has written the record: on a file system without locks, nothing else shows that. */
export function assertOnlyWriter({ folder, name, stamp, file }: LockedExport): void {
  const present = stampOf(folder, name);
  // A record that somebody has removed is written again.
  if (present !== '' && present !== stamp)
    throw new Failure('locked', `${file.target.path}: another run has written its record`);
}

/** Replaces the record, for changes that no paid page depends on: a failure is only a warning. */
export function saveRecord(locked: LockedExport, record: ExportRecord): void {
  const { folder, name, warn, item } = locked;
  locked.record = record;
  try {
    assertOnlyWriter(locked);
    writeRecord(folder, name, record, { durable: false });
    locked.stamp = stampOf(folder, name);
  } catch (error) {
    warn('record: not written', item.label, `its record could not be written: ${toFailure(error).message}`);
  }
}

/** What FILE contains; it is read once, and may turn out to be damaged. */
export async function loadContents(locked: LockedExport): Promise<Contents> {
  const { file, record, context } = locked;
  if (file.contents !== null) return file.contents;
  const { contents, ...read } = await inspectFile({ ...file, record }, { stop: context.stop, readAll: true });
  if (contents === null) throw new Error('an archive without contents');
  locked.file = { ...file, record, ...read, contents };
  return contents;
}
