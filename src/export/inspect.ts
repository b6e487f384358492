import { createHash } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { guardFile } from '../fs/file-error.ts';
import type { Target } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { FileFormat } from '../output/formats.ts';
import { type Contents, readContents } from './read.ts';
import { type ExportRecord, type Finished, readRecord, recordName } from './record.ts';

/** The record of a FILE at one moment. */
export interface RecordSnapshot {
  readonly record: ExportRecord | null;
  /** The record is there, but cannot be read. */
  readonly isRecordDamaged: boolean;
  /** Changes with every new record. */
  readonly stamp: string;
}

export interface Snapshot extends RecordSnapshot {
  readonly target: Target;
}

/** What is on disk of one export: what `nextStep` decides on. */
export interface ExportFile extends Snapshot {
  /**
   * FILE beside its record. `none`: there is no FILE (an empty one without a record is none). `recorded`: as the
   * record says. `changed`: by others, with at least as many entries. `lost`: with fewer. `damaged`: a line is no record.
   */
  readonly state: 'none' | 'unrecorded' | 'recorded' | 'changed' | 'lost' | 'damaged';
  /** What FILE contains, if it had to be read. */
  readonly contents: Contents | null;
  /** FILE as it is now; null without a FILE that is recorded or changed. */
  readonly finished: Finished | null;
  /** A new FILE that is complete: its rows have to take the place of FILE (`rows`), or have done so (`file`). */
  readonly pending: 'rows' | 'file' | null;
}

export const noRecord: RecordSnapshot = { record: null, isRecordDamaged: false, stamp: '' };

/** Reads the record of a FILE. Throws a usage error for one of a newer version, and for one that is refused. */
export function readSnapshot(folder: PrivateFolder, file: string): RecordSnapshot {
  const stamp = stampOf(folder, file);
  const record = stamp === '' ? null : readRecord(folder, file);
  const isRecordDamaged = record === 'damaged';
  return { record: isRecordDamaged ? null : record, isRecordDamaged, stamp };
}

/** Identifies the present record of FILE: each one is a new file. '' if there is none. */
export function stampOf(folder: PrivateFolder, file: string): string {
  const stats = lstatSync(folder.at(recordName(file)), { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

/**
 * Finds out how FILE compares with its record. FILE is read only if it has no record, or is not as recorded.
 * `request`: the format and fields that it is read with without a record.
 */
export async function inspect(
  folder: PrivateFolder | null,
  snapshot: Snapshot,
  request: { readonly format: FileFormat; readonly fields: string | null },
): Promise<ExportFile> {
  const { target, record } = snapshot;
  const { stats } = target;
  const pending = folder === null ? null : pendingOf(folder, record, stats);
  const found = { ...snapshot, contents: null, finished: null, pending };
  const finished = record?.finished ?? null;
  if (stats === null || (stats.size === 0 && finished === null)) return { ...found, state: 'none' };
  if (pending === 'file') return { ...found, state: 'recorded' };
  if (finished !== null && isSame(finished, stats)) return { ...found, state: 'recorded', finished };
  const format = finished === null ? request : (record?.request ?? request);
  const { contents, digest, now } = await guardFile(target.path, 'read', () =>
    readWhole(target.real, format),
  );
  const { entries, damage } = contents;
  const isCut = finished?.isCut ?? false;
  const exported = finished?.exported ?? new Date(0).toISOString();
  const pageSize = finished?.pageSize ?? null;
  const present = { ...markOf(now), digest, entries, isCut, pageSize, exported };
  if (finished === null) return { ...found, state: 'unrecorded', contents, finished: present };
  // A copied folder has other inodes and times, and the same bytes.
  if (digest === finished.digest) return { ...found, state: 'recorded', contents, finished: present };
  if (damage !== null) return { ...found, state: 'damaged', contents };
  if (entries < finished.entries) return { ...found, state: 'lost', contents };
  return { ...found, state: 'changed', contents, finished: present };
}

function pendingOf(
  folder: PrivateFolder,
  record: ExportRecord | null,
  stats: Stats | null,
): 'rows' | 'file' | null {
  const progress = record?.progress;
  const result = progress?.result;
  if (!progress || !result) return null;
  if (stats !== null && isSame(result, stats)) return 'file';
  // The old FILE is part of the new one: if others have changed it meanwhile, theirs counts.
  const base = record.finished;
  if (progress.isUpdate && (stats === null || base === null || !isSame(base, stats))) return null;
  const fd = folder.openRead(progress.rows);
  if (fd === null) return null;
  try {
    return fstatSync(fd).size === result.size ? 'rows' : null;
  } finally {
    closeSync(fd);
  }
}

type Mark = Pick<Finished, 'size' | 'mtime' | 'inode'>;

export const markOf = ({ size, mtimeMs, ino }: Stats): Mark => ({ size, mtime: mtimeMs, inode: ino });

const isSame = ({ size, mtime, inode }: Mark, stats: Stats): boolean =>
  size === stats.size && mtime === stats.mtimeMs && inode === stats.ino;

async function readWhole(
  path: string,
  { format, fields }: { readonly format: FileFormat; readonly fields: string | null },
): Promise<{ readonly contents: Contents; readonly digest: string; readonly now: Stats }> {
  const fd = openSync(path, 'r');
  try {
    const contents = await readContents(fd, { format, fields, parse: true });
    return { contents, digest: await digestOf(fd), now: statSync(path) };
  } finally {
    closeSync(fd);
  }
}

const chunkBytes = 1024 * 1024;

/** The SHA-256 of an open file, in base64. */
export async function digestOf(fd: number): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = 0; ; ) {
    const length = readSync(fd, chunk, 0, chunkBytes, at);
    if (length === 0) return hash.digest('base64');
    hash.update(chunk.subarray(0, length));
    at += length;
    await setImmediate();
  }
}
