import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { closeQuietly } from '../../fs/files.ts';
import { chunksOf } from '../../fs/line-chunks.ts';
import { hasMark, markOf, openUnchanged, type Target } from '../../fs/output-target.ts';
import type { PrivateFolder } from '../../fs/private-folder.ts';
import type { ExportRecord, Finished, Progress, StoredRecord } from '../record/export-record.ts';
import type { Ids } from './id-set.ts';
import { type Contents, readArchive } from './read-archive.ts';

/** FILE and its record at one moment. */
export interface Snapshot extends StoredRecord {
  readonly target: Target;
}

/** What is on disk of one export: what `nextStep` decides on. */
export interface ExportFile extends Snapshot {
  /**
   * FILE beside its record. `none`: there is no FILE (an empty one without a record is none). `unrecorded`: there is no
   * record of a finished one. `recorded`: as the record says. `changed`: by others, and an archive has at least as many
   * entries. `lost`: an archive with fewer. `damaged`: an archive with a line that is no record.
   */
  readonly state: 'none' | 'unrecorded' | 'recorded' | 'changed' | 'lost' | 'damaged';
  /** Entries in FILE. */
  readonly entries: number;
  /** What an archive, or a FILE without a record, contains, if it was read. */
  readonly contents: Contents | null;
  /** The interrupted run; null also if it is over because somebody removed its rows. */
  readonly progress: Progress | null;
  /** Why the rows of the interrupted run cannot be used; null: they can, or there are none. */
  readonly rowsDamage: string | null;
  /** The IDs in the rows of the interrupted run, and in those of an update that it has started over. */
  readonly rowIds: Ids;
  readonly olderIds: Ids;
  /** FILE has been replaced already: the interrupted run only had to record that. */
  readonly isInPlace: boolean;
  /** The record cannot be used, and there are rows of an interrupted run. */
  readonly hasUnrecordedRows: boolean;
}

interface InspectOptions {
  readonly stop: AbortSignal;
  /** Read FILE even if size, time and inode are as recorded. */
  readonly readAll?: boolean;
  /** Names in the private folder of rows that belong to FILE. */
  readonly rows?: readonly string[];
}

/**
 * Finds out what FILE, its record and its rows are. FILE is read if it has no record, is not as recorded, or `readAll`
 * says so. Throws usage failures for what cannot be read, and the reason of `stop`.
 */
export async function inspect(
  folder: PrivateFolder | null,
  snapshot: Snapshot,
  options: InspectOptions,
): Promise<ExportFile> {
  const { target, record } = snapshot;
  const { stop, rows = [] } = options;
  const isInPlace = await isNewFileInPlace(target, record, stop);
  const file = { ...snapshot, ...(await inspectFile(snapshot, options)), isInPlace };
  const hasUnrecordedRows = snapshot.unusable !== null && rows.length > 0;
  const progress = record?.progress ?? null;
  const ids = { rowIds: new Set<string>(), olderIds: new Set<string>() };
  const none = { progress, rowsDamage: null, ...ids, hasUnrecordedRows };
  if (folder === null || progress === null || isInPlace) return { ...file, ...none };
  const found = await readRows(folder, progress, stop);
  if (typeof found !== 'string') return { ...file, ...none, ...found };
  // Removing its rows is how a user gives up an interrupted run.
  const isRemoved = found === missingRows && progress.kind !== 'export' && isIntact(file);
  return { ...file, ...none, ...(isRemoved ? { progress: null } : { rowsDamage: found }) };
}

/** Whether FILE is there, not damaged, and has all recorded entries. */
export const isIntact = ({ state }: Pick<ExportFile, 'state'>): boolean =>
  state === 'recorded' || state === 'changed';

/** FILE beside its record; the part of `inspect` that reads FILE. */
export async function inspectFile(
  snapshot: Snapshot,
  { stop, readAll = false }: InspectOptions,
): Promise<Pick<ExportFile, 'state' | 'entries' | 'contents'>> {
  const { stats } = snapshot.target;
  const { finished = null, request = null } = snapshot.record ?? {};
  const file = { entries: finished?.entries ?? 0, contents: null };
  if (stats === null || (stats.size === 0 && finished === null))
    return { ...file, state: 'none', entries: 0 };
  const isSame = finished !== null && hasMark(stats, finished);
  if (isSame && !readAll) return { ...file, state: 'recorded' };
  const isView = finished !== null && request?.format !== 'ndjson';
  // A copied folder has other inodes and times, and the same bytes.
  const isAsWritten =
    (isSame && !isView) ||
    (finished?.size === stats.size && (await digestOf(snapshot.target, stop)) === finished.digest);
  if (isView) return { ...file, state: isAsWritten ? 'recorded' : 'changed' };
  if (isAsWritten && !readAll) return { ...file, state: 'recorded' };
  const contents = await readFile(snapshot.target, (fd) =>
    readArchive(fd, { stop, onlyEntries: finished === null }),
  );
  const { entries, damage } = contents;
  const read = { ...file, entries, contents };
  if (finished === null) return { ...read, state: 'unrecorded' };
  if (damage !== null) return { ...read, state: 'damaged' };
  if (entries < finished.entries) return { ...read, state: 'lost' };
  return { ...read, state: isAsWritten ? 'recorded' : 'changed' };
}

/** Whether FILE is the result of the interrupted run. */
async function isNewFileInPlace(
  target: Target,
  record: ExportRecord | null,
  stop: AbortSignal,
): Promise<boolean> {
  const result = record?.progress?.newFile ?? null;
  if (result === null || target.stats === null || result.size !== target.stats.size) return false;
  return hasMark(target.stats, result) || (await digestOf(target, stop)) === result.digest;
}

const missingRows = 'the rows of its interrupted run are missing';
const unlikeRecord = 'the rows of its interrupted run are not as recorded';

/** The IDs in the rows of an interrupted run; a text says why they are not what the record says. */
async function readRows(
  folder: PrivateFolder,
  { rows, bytes, olderBytes, entries }: Progress,
  stop: AbortSignal,
): Promise<Pick<ExportFile, 'rowIds' | 'olderIds'> | string> {
  const fd = folder.openRead(rows);
  if (fd === null) return missingRows;
  try {
    if (fstatSync(fd).size < bytes) return unlikeRecord;
    const older = await readArchive(fd, { stop, end: olderBytes });
    const newer = await readArchive(fd, { stop, start: olderBytes, end: bytes });
    const damage = older.damage ?? newer.damage;
    if (damage !== null) return `the rows of its interrupted run are damaged: ${damage}`;
    return newer.entries === entries ? { rowIds: newer.ids, olderIds: older.ids } : unlikeRecord;
  } finally {
    closeQuietly(fd);
  }
}

/** Reads FILE as it was looked up. Throws as `openUnchanged`. */
export async function readFile<T>(target: Target, read: (fd: number) => Promise<T>): Promise<T> {
  const fd = openUnchanged(target);
  try {
    return await read(fd);
  } finally {
    closeQuietly(fd);
  }
}

/** Describes an open file as FILE. `exported`: when its last full export ended. */
export async function finishedOf(
  fd: number,
  entries: number,
  exported: string,
  stop: AbortSignal,
): Promise<Finished> {
  return { ...markOf(fstatSync(fd)), digest: await digestOfOpen(fd, stop), entries, exported };
}

const digestOf = (target: Target, stop: AbortSignal): Promise<string> =>
  readFile(target, (fd) => digestOfOpen(fd, stop));

/** SHA-256 of an open file in base64. */
async function digestOfOpen(fd: number, stop: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(fd, stop)) hash.update(chunk);
  return hash.digest('base64');
}
