import { assertUnchanged } from '../archive/assert-unchanged.ts';
import { bytesOf, type Contents, otherContent, readArchive } from '../archive/read-archive.ts';
import { stampOf } from '../archive/record.ts';
import { Failure } from '../errors.ts';
import { withoutByteOrderMark } from '../fs/text-input.ts';
import { count, thousands } from '../text/count.ts';
import type { ExportItem } from './exports.ts';
import { commandFor, sameCommand } from './messages.ts';

/** What FILE of an update held when it was read. */
export interface ArchiveContents extends Contents {
  /** The ID that its lines were checked for (`readArchive`). */
  readonly checkedId: string | null;
  readonly ids: ReadonlySet<string>;
  readonly hasEntriesWithoutId: boolean;
}

/** The channel or playlist whose entries the lines of FILE must be; null: FILE is as recorded, and they need no check. */
const idToCheck = ({ onDisk, id }: ExportItem): string | null => (onDisk.file === 'archive' ? null : id);

/** `--update --all` leaves out bad lines of an archive with a record; any other update refuses them. */
const mayDropBadLines = ({ buysAll, record }: ExportItem): boolean => buysAll && record !== null;

/** Whether the new FILE lacks lines of this one. */
export const dropsBadLines = (item: ExportItem, { badLines }: Contents): boolean =>
  mayDropBadLines(item) && badLines > 0;

/** Throws `failed` for the reference unless FILE is still the one that this run found. */
export function assertFileAsFound(item: ExportItem): void {
  const { target } = item;
  assertUnchanged(target, target.stats && stampOf(target.stats), sameCommand(item));
}

/** Reads FILE. Throws what `assertFileAsFound` and `assertIntact` throw. */
export async function readIntact(item: ExportItem): Promise<ArchiveContents> {
  assertFileAsFound(item);
  let contents = await readContents(item, idToCheck(item));
  // Only its time has changed: its lines are what the service sent.
  const isOwn = item.record?.id === item.id && contents.checksum === item.record.checksum;
  if (isOwn && contents.badLines > 0) contents = await readContents(item, null);
  if (!mayDropBadLines(item)) assertIntact(item, contents);
  return contents;
}

async function readContents(
  { target, exportFolder }: ExportItem,
  checkedId: string | null,
): Promise<ArchiveContents> {
  const ids = new Set<string>();
  let hasEntriesWithoutId = false;
  const contents = await readArchive(target, checkedId, exportFolder.context.stop, (_, videoId) => {
    if (videoId === null) hasEntriesWithoutId = true;
    else ids.add(videoId);
  });
  return { ...contents, checkedId, ids, hasEntriesWithoutId };
}

/** Words what other programs changed in FILE, and the update repaired or kept; null: nothing. */
export function changeOf(item: ExportItem, contents: Contents): string | null {
  const { record, target, onDisk } = item;
  const { badLines, damage, checksum, entries } = contents;
  if (record === null) return null;
  if (dropsBadLines(item, contents))
    return `left out ${count(badLines, 'line', 'lines')}; the first: ${damage}`;
  if (record.checksum === checksum) return null;
  if (onDisk.file === 'archive') return `${otherContent}; it was kept`;
  // Sorting lines does not change the size.
  const isReordered = target.stats?.size === record.size && entries === record.entries;
  if (!isReordered) return null;
  return 'another program reordered or edited its lines; they were kept (--update --all adds what is missing)';
}

/** Copies FILE in chunks, without a byte order mark and the lines that are left out. */
export async function copyArchive(
  item: ExportItem,
  contents: ArchiveContents,
  write: (chunk: Buffer | string) => void,
): Promise<void> {
  const { target, exportFolder } = item;
  const { stop } = exportFolder.context;
  if (dropsBadLines(item, contents)) {
    await readArchive(target, contents.checkedId, stop, (line) => {
      write(line);
      write('\n');
    });
    return;
  }
  let isStart = true;
  for await (const chunk of bytesOf(target, stop)) {
    write(isStart ? withoutByteOrderMark(chunk) : chunk);
    isStart = false;
  }
}

/**
 * Throws `damaged` for an archive with a line that is not an entry, or whose content has changed but not its size and time, and
 * `lost` for one with fewer entries than recorded.
 */
function assertIntact(item: ExportItem, { damage, entries, checksum }: Contents): void {
  const { record, target, onDisk } = item;
  const { path } = target;
  const repair = commandFor(item, 'restore it, or add what is missing', '--update', '--all');
  const isAsRecorded = onDisk.file === 'archive';
  // With the same checksum nothing has changed.
  if (record?.id === item.id && record.checksum === checksum) return;
  const problem = damage ?? (isAsRecorded ? otherContent : null);
  if (problem !== null) {
    const what = record === null ? 'is not an archive of this channel' : 'is damaged';
    const next = record === null ? 'choose another file name' : repair;
    throw new Failure('damaged', `${path} ${what}: ${problem}`, { next });
  }
  if (record === null || entries >= record.entries) return;
  const had = `but it had ${thousands(record.entries)}`;
  throw new Failure('lost', `${path} has ${count(entries, 'entry', 'entries')}, ${had}`, { next: repair });
}
