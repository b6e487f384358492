import { basename } from 'node:path';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { currentTarget, hasMark, type Target } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Field } from '../output/format.ts';
import type { FileFormat } from '../output/formats.ts';
import type { Reference } from '../run/read-references.ts';
import type { Report } from '../run/report.ts';
import type { PagedOperation } from '../service/contract.ts';
import type { Existing, Flags } from './next-step.ts';
import { type ArchiveRecord, readRecord } from './record.ts';
import { RunFile } from './run-file.ts';
import { type ExportRequest, isSameRequest } from './run-header.ts';

/** What all exports of a run share, dry runs included. */
export interface ExportSetup {
  readonly context: Context;
  readonly serviceName: string;
  readonly warn: Report['warn'];
  readonly operation: PagedOperation;
  readonly options: RunOptions;
  readonly format: FileFormat;
  /** `--fields`; null: all. */
  readonly fields: readonly Field[] | null;
  readonly folder: PrivateFolder | null;
  /** There was a `.chanlist` when the run began. */
  readonly hasFolder: boolean;
}

/** One export of a run: a reference with its ID and FILE. */
export interface ExportItem extends Reference {
  readonly id: string;
  readonly target: Target;
  /** As read when the run began. */
  readonly record: ArchiveRecord | null;
}

/** One export as it is on disk. */
export interface ExportState {
  readonly item: ExportItem;
  readonly request: ExportRequest;
  /** Name of FILE. */
  readonly name: string;
  readonly target: Target;
  readonly record: ArchiveRecord | null;
  /** Its interrupted run; `unreadable`: it is of another version. */
  readonly run: RunFile | 'unreadable' | null;
  readonly existing: Existing;
}

/** Name of FILE. */
export const nameOf = ({ target }: Pick<ExportItem, 'target'>): string => basename(target.real);

/** What an export of this ID asks for. */
function requestOf(setup: ExportSetup, id: string): ExportRequest {
  const { options, format, serviceName: service } = setup;
  const fields = setup.fields?.map(({ name }) => name).join(',') ?? null;
  return { id, format, fields, limit: options.limit, service };
}

/** An archive is a whole list as ndjson, each entry as sent; anything else is a view. */
export const isArchive = ({ format, fields, limit }: ExportRequest): boolean =>
  format === 'ndjson' && fields === null && limit === null;

export const flagsOf = ({ update, restart }: RunOptions): Flags =>
  update ? '--update' : restart ? '--restart' : 'no flag';

/** Finds out what there is of an export. Throws `damaged` for a record that cannot be used, and the reason to stop. */
export async function inspect(setup: ExportSetup, item: ExportItem): Promise<ExportState> {
  const { folder, context, hasFolder } = setup;
  const name = nameOf(item);
  const request = requestOf(setup, item.id);
  const target = currentTarget(item.target);
  const record = folder && readRecord(folder, name);
  const found = folder && (await RunFile.open(folder, name, context.stop));
  const file = fileState(target, record, request);
  // An interrupted update whose FILE is gone is given up.
  const isGivenUp = found instanceof RunFile && found.header.update !== null && file === 'none';
  if (isGivenUp) found[Symbol.dispose]();
  const run = isGivenUp ? null : found;
  const isOfAnotherId = record !== null && record.id !== item.id;
  const existing = { run: runState(run, request), file, isOfAnotherId, hasFolder };
  return { item, request, name, target, record, run, existing };
}

function runState(run: RunFile | 'unreadable' | null, request: ExportRequest): Existing['run'] {
  if (run === null) return 'none';
  return run !== 'unreadable' && isSameRequest(run.header.request, request) ? 'ours' : 'another';
}

function fileState(
  { stats }: Target,
  record: ArchiveRecord | null,
  request: ExportRequest,
): Existing['file'] {
  const isRecorded = record !== null && stats !== null && hasMark(stats, record);
  // The archive of a channel without uploads is empty.
  if (stats === null || (stats.size === 0 && !isRecorded)) return 'none';
  if (record?.id !== request.id || !isArchive(request)) return 'other';
  return isRecorded ? 'archive' : 'changed';
}
