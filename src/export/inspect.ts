import { basename } from 'node:path';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { currentTarget, hasMark, type Target } from '../fs/output-target.ts';
import type { Field } from '../output/format.ts';
import type { Reference } from '../run/read-references.ts';
import type { Operation } from '../service/contract.ts';
import type { Destination } from './destination.ts';
import type { Existing, Flags } from './next-step.ts';
import { type ArchiveRecord, readRecord } from './record.ts';
import { RunFile } from './run-file.ts';
import { type ExportRequest, isSameRequest, type RunHeader } from './run-header.ts';

/** What all exports of a run share. */
export interface Exports extends Destination {
  readonly operation: Operation;
  readonly options: RunOptions;
  readonly context: Context;
  readonly serviceName: string;
  /** `--fields`; null: all. */
  readonly fields: readonly Field[] | null;
}

/** One export of a run: a reference with its ID and FILE. */
export interface Export extends Exports, Reference {
  readonly id: string;
  readonly target: Target;
}

/** An export as it is on disk. */
export interface ExportState extends Export {
  readonly request: ExportRequest;
  /** Name of FILE. */
  readonly name: string;
  readonly record: ArchiveRecord | null;
  /** Its interrupted run; `unreadable`: it is of another version. */
  readonly interrupted: RunFile | 'unreadable' | null;
  readonly existing: Existing;
}

/** What an export asks for. */
function requestOf({ id, format, fields, options, serviceName }: Export): ExportRequest {
  const names = fields?.map(({ name }) => name).join(',') ?? null;
  return { id, format, fields: names, limit: options.limit, service: serviceName };
}

/** An archive is a whole list as ndjson, each entry as sent; anything else is a view. */
export const isArchive = ({ format, fields, limit }: ExportRequest): boolean =>
  format === 'ndjson' && fields === null && limit === null;

export const flagsOf = ({ update, restart }: RunOptions): Flags =>
  update ? '--update' : restart ? '--restart' : 'no flag';

/** Finds out what there is of an export. Throws `damaged` for a record that cannot be used, and the reason to stop. */
export async function inspect(one: Export): Promise<ExportState> {
  const { folder, context, id } = one;
  const name = basename(one.target.real);
  const request = requestOf(one);
  const target = currentTarget(one.target);
  const record = readRecord(folder, name);
  const found = await RunFile.open(folder, name, context.stop);
  const file = fileState(target, record, request);
  // An interrupted update whose FILE is gone is given up.
  const isGivenUp = found instanceof RunFile && found.header.update !== null && file === 'none';
  if (isGivenUp) found[Symbol.dispose]();
  const interrupted = isGivenUp ? null : found;
  const existing = {
    run: runState(interrupted, request),
    file,
    isOfAnotherId: record !== null && record.id !== id,
    hasFolder: folder.wasThere,
  };
  return { ...one, request, name, target, record, interrupted, existing };
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

/** The reference that a record keeps: the last one given, but a handle or URL rather than the ID itself. */
export function referenceToKeep({ reference, value, id, record, interrupted }: ExportState): string {
  const kept =
    interrupted instanceof RunFile && interrupted.header.request.id === id
      ? interrupted.header.reference
      : record?.id === id
        ? record.reference
        : null;
  return (value === id ? kept : null) ?? reference ?? id;
}

/** Begins an export (`update` null) or an update. */
export function beginRun(state: ExportState, update: RunHeader['update']): RunFile {
  const { folder, name, request, existing, context } = state;
  const reference = referenceToKeep(state);
  const started = new Date(context.clock.now()).toISOString();
  return RunFile.create(folder, name, {
    ...{ request, reference, started, update },
    replaces: existing.file !== 'none',
  });
}
