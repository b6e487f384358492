import { createHash } from 'node:crypto';
import { closeSync, fstatSync, type Stats } from 'node:fs';
import { openUnchanged, type Target } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { FileFormat } from '../output/formats.ts';
import { type Contents, chunksOf, readContents } from './read.ts';
import type { ExportRecord, Finished, StoredRecord } from './record.ts';

/** FILE and its record at one moment. */
export interface Snapshot extends StoredRecord {
  readonly target: Target;
}

/** What is on disk of one export: what `nextStep` decides on. */
export interface ExportFile extends Snapshot {
  /**
   * FILE beside its record. `none`: there is no FILE (an empty one without a record is none). `recorded`: as the
   * record says. `changed`: by others, with at least as many entries. `lost`: with fewer. `damaged`: a line is no record.
   */
  readonly state: 'none' | 'unrecorded' | 'recorded' | 'changed' | 'lost' | 'damaged';
  /** Entries in FILE. */
  readonly entries: number;
  /** What FILE contains, if it had to be read. */
  readonly contents: Contents | null;
  /** FILE as it is now; null without a FILE that is recorded or changed. */
  readonly finished: Finished | null;
  /** A new FILE that is complete: its rows have to take the place of FILE (`rows`), or have done so (`file`). */
  readonly pending: 'rows' | 'file' | null;
}

/**
 * Finds out how FILE compares with its record. FILE is read only if it has no record, or is not as recorded.
 * `request`: the format and fields that it is read with without a record.
 */
export async function inspect(
  folder: PrivateFolder | null,
  snapshot: Snapshot,
  request: { readonly format: FileFormat; readonly fields: string | null },
  stop: AbortSignal,
): Promise<ExportFile> {
  const { target, record } = snapshot;
  const { stats } = target;
  const pending = folder && record && (await pendingOf(folder, record, stats, stop));
  const finished = record?.finished ?? null;
  const none = { ...snapshot, state: 'none', entries: 0, contents: null, finished: null, pending } as const;
  if (stats === null || (stats.size === 0 && finished === null)) return none;
  const found = { ...none, entries: finished?.entries ?? 0 };
  if (pending === 'file') return { ...found, state: 'recorded' };
  if (finished !== null && isSame(finished, stats)) return { ...found, state: 'recorded', finished };
  const { format, fields } = finished === null ? request : (record?.request ?? request);
  const fd = openUnchanged(target);
  try {
    const present = await finishedOf(fd, finished ?? neverExported, stop);
    // A copied folder has other inodes and times, and the same bytes.
    if (present.digest === finished?.digest) return { ...found, state: 'recorded', finished: present };
    const contents = await readContents(fd, { format, fields, stop });
    const { entries, damage } = contents;
    const read = { ...found, entries, contents };
    if (finished === null) return { ...read, state: 'unrecorded', finished: { ...present, entries } };
    if (damage !== null) return { ...read, state: 'damaged' };
    if (entries < finished.entries) return { ...read, state: 'lost' };
    return { ...read, state: 'changed', finished: { ...present, entries } };
  } finally {
    closeSync(fd);
  }
}

async function pendingOf(
  folder: PrivateFolder,
  { finished: base, progress }: ExportRecord,
  stats: Stats | null,
  stop: AbortSignal,
): Promise<'rows' | 'file' | null> {
  const result = progress?.result;
  if (!progress || !result) return null;
  if (stats !== null && isSame(result, stats)) return 'file';
  // The old FILE is part of the new one: if others have changed it meanwhile, theirs counts.
  if (progress.isUpdate && (stats === null || base === null || !isSame(base, stats))) return null;
  const fd = folder.openRead(progress.rows);
  if (fd === null) return null;
  try {
    return (await finishedOf(fd, result, stop)).digest === result.digest ? 'rows' : null;
  } finally {
    closeSync(fd);
  }
}

type Mark = Pick<Finished, 'size' | 'mtime' | 'inode'>;

export const markOf = ({ size, mtimeMs, ino }: Stats): Mark => ({ size, mtime: mtimeMs, inode: ino });

const isSame = ({ size, mtime, inode }: Mark, stats: Stats): boolean =>
  size === stats.size && mtime === stats.mtimeMs && inode === stats.ino;

/** What is known of a FILE besides its bytes. */
export type ExportFacts = Pick<Finished, 'entries' | 'isCut' | 'pageSize' | 'exported'>;

/** What is known of the export of a FILE that has no record. */
export const neverExported: ExportFacts = {
  entries: 0,
  isCut: false,
  pageSize: null,
  exported: new Date(0).toISOString(),
};

/** An open FILE as a record describes it, with its present size, time, inode and digest. */
export async function finishedOf(
  fd: number,
  { entries, isCut, pageSize, exported }: ExportFacts,
  stop: AbortSignal,
): Promise<Finished> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(fd, stop)) hash.update(chunk);
  const digest = hash.digest('base64');
  return { ...markOf(fstatSync(fd)), digest, entries, isCut, pageSize, exported };
}
