import { constants, copyFileSync, openSync, renameSync, rmSync } from 'node:fs';
import { assertUnchanged } from '../archive/assert-unchanged.ts';
import {
  bytesOf,
  type Contents,
  damageOf,
  otherContent,
  readArchive,
  readRecorded,
} from '../archive/read-archive.ts';
import { stampOf } from '../archive/record.ts';
import { Failure } from '../errors.ts';
import { guardFile, syncIfPossible, withDescriptor } from '../fs/files.ts';
import { withoutByteOrderMark } from '../fs/text-input.ts';
import { count } from '../text/count.ts';
import type { ExportItem } from './exports.ts';
import { commandFor, sameCommand } from './messages.ts';

/** What FILE of an update held when it was read. */
export interface ArchiveContents extends Contents {
  /** The ID that its lines were checked for (`readArchive`). */
  readonly checkedId: string | null;
  readonly ids: ReadonlySet<string>;
  readonly hasEntriesWithoutId: boolean;
}

/** Whether FILE was an archive once: it has a record, or entries and the name that a folder gives it. */
const wasArchive = ({ record, name, id }: ExportItem, { entries }: Contents): boolean =>
  record !== null || (name === `${id}.ndjson` && entries > 0);

/** `--update --all` leaves out bad lines of an archive; any other update refuses them. */
const mayDropBadLines = (item: ExportItem, contents: Contents): boolean =>
  item.buysAll && wasArchive(item, contents);

/** Whether the new FILE lacks lines of this one. */
export const dropsBadLines = (item: ExportItem, contents: Contents): boolean =>
  mayDropBadLines(item, contents) && contents.badLines > 0;

/** Where the original FILE is saved when lines of it are left out: a name for each content. */
const damagedName = (path: string, { checksum }: Contents): string =>
  `${path}.${checksum.toString(16)}.damaged`;

/** Copies FILE beside itself if lines of it are left out: its owner may be able to repair them. */
export function saveDamaged(item: ExportItem, contents: Contents): void {
  const { path, real } = item.target;
  const copy = damagedName(real, contents);
  if (!dropsBadLines(item, contents)) return;
  guardFile(damagedName(path, contents), 'failure', () => {
    const temporary = `${copy}.tmp`;
    rmSync(temporary, { force: true });
    copyFileSync(real, temporary, constants.COPYFILE_EXCL);
    withDescriptor(openSync(temporary, 'r'), syncIfPossible);
    renameSync(temporary, copy);
  });
}

/** Throws `failed` for the reference unless FILE is still the one that this run found. */
export function assertFileAsFound(item: ExportItem): void {
  const { target } = item;
  assertUnchanged(target, target.stats && stampOf(target.stats), sameCommand(item));
}

/** Reads FILE. Throws what `assertFileAsFound` and `assertIntact` throw. */
export async function readIntact(item: ExportItem): Promise<ArchiveContents> {
  const { target, id, record, exportFolder } = item;
  assertFileAsFound(item);
  const ids = new Set<string>();
  let hasEntriesWithoutId = false;
  const contents = await readRecorded(target, id, record, exportFolder.context.stop, (_, videoId) => {
    if (videoId === null) hasEntriesWithoutId = true;
    else ids.add(videoId);
  });
  if (!mayDropBadLines(item, contents)) assertIntact(item, contents);
  return { ...contents, ids, hasEntriesWithoutId };
}

/** Describes what other programs changed in FILE, and the update repaired or kept; null: nothing. */
export function changeOf(item: ExportItem, contents: Contents): string | null {
  const { record, target, onDisk } = item;
  const { badLines, damage, checksum, entries } = contents;
  if (dropsBadLines(item, contents)) {
    const leftOut = `left out ${count(badLines, 'line', 'lines')}; the first: ${damage}`;
    return `${leftOut}; the original was saved as ${damagedName(target.path, contents)}`;
  }
  if (record === null || record.checksum === checksum) return null;
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

/** Throws `damaged` or `lost` for an archive that is not well, and `failed` for a FILE without a record that cannot be one. */
function assertIntact(item: ExportItem, contents: Contents): void {
  const { record, target } = item;
  const { path } = target;
  if (record === null && contents.damage === null) return;
  if (record === null) {
    const take = commandFor(item, 'restore it, or keep only its entries', '--update', '--all');
    throw new Failure('failed', `${path} is not an archive of this channel: ${contents.damage}`, {
      scope: 'reference',
      step: wasArchive(item, contents) ? take : 'choose another file name',
    });
  }
  const problem = damageOf(target, record, contents);
  if (problem === null) return;
  const { code, message } = problem;
  throw new Failure(code, `${path} ${code === 'damaged' ? 'is damaged:' : 'has'} ${message}`, {
    step: commandFor(item, 'restore it, or add what is missing', '--update', '--all'),
  });
}
