import { lstatSync } from 'node:fs';
import type { UpdateRequest } from '../archive/pages-format.ts';
import {
  type ArchiveScan,
  bytesOf,
  contentDiffers,
  damageOf,
  readArchive,
  readRecorded,
} from '../archive/read-archive.ts';
import { type ArchiveRecord, type FileStamp, matchesStamp, stampOf, writeRecord } from '../archive/record.ts';
import { Failure } from '../errors.ts';
import { archiveName } from '../fs/archive-names.ts';
import { AtomicFile } from '../fs/atomic.ts';
import { isEmpty, type Target } from '../fs/output-target.ts';
import { withoutByteOrderMark } from '../fs/text-input.ts';
import type { Run } from '../run/run.ts';
import { count } from '../text/count.ts';
import { type ExportItem, foundStamp } from './export-item.ts';
import { adoptedWarning, changedBytesStep, commandFor, sameCommandStep } from './messages.ts';

/** What an update found in FILE when it read it. */
export interface ArchiveContents extends ArchiveScan {
  /** The ID that the lines were checked against (`readArchive`); null if they were not checked. */
  readonly checkedId: string | null;
  readonly ids: ReadonlySet<string>;
  readonly hasEntriesWithoutId: boolean;
  /** Whether the new FILE omits the lines that are not entries (only `--update --all` of an archive does so). */
  readonly dropsBadLines: boolean;
}

/** Whether FILE was an archive once: it has a record, or the name that `--output-dir` gives to archives. */
const wasArchive = ({ record, name, id }: ExportItem): boolean => record !== null || name === archiveName(id);

/** Where FILE is saved before lines of it are omitted. The name contains its checksum, so that no copy is overwritten. */
const damagedName = (path: string, { checksum }: ArchiveScan): string =>
  `${path}.${checksum.toString(16)}.damaged`;

/** Saves a copy of FILE if lines of it will be omitted: its owner may be able to repair them. */
export async function saveDamaged(item: ExportItem, contents: ArchiveContents): Promise<void> {
  const { target, exportFolder } = item;
  if (!contents.dropsBadLines) return;
  const [path, real] = [damagedName(target.path, contents), damagedName(target.real, contents)];
  using copy = new AtomicFile({ ...target, path, real });
  for await (const chunk of bytesOf(target, exportFolder.context.stop)) copy.write(chunk);
  copy.commit();
}

/**
 * Throws `failed` with scope `reference` unless the target is still the `expected` file; null means no file, or an empty
 * one. `step`: the next step of the failure.
 */
export function assertUnchanged(target: Target, expected: FileStamp | null, step: string): void {
  const stats = lstatSync(target.real, { throwIfNoEntry: false }) ?? null;
  if (expected === null ? stats === null || isEmpty({ ...target, stats }) : matchesStamp(stats, expected))
    return;
  const isRemoved = expected !== null && stats === null;
  const change = `was ${isRemoved ? 'removed' : 'changed'} during this run`;
  const what = expected === null ? 'appeared since this export began' : change;
  throw new Failure('failed', `${target.path} ${what}; it was not replaced`, {
    scope: 'reference',
    step: isRemoved ? `put it back, then ${step}` : step,
  });
}

/** Throws `failed` with scope `reference` if FILE has changed since this run began. */
function assertFileAsFound(item: ExportItem): void {
  const { target } = item;
  assertUnchanged(target, target.stats && stampOf(target.stats), sameCommandStep(item));
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
  const mayDropBadLines = item.buysAll && wasArchive(item);
  if (!mayDropBadLines) assertIntact(item, contents);
  return { ...contents, ids, hasEntriesWithoutId, dropsBadLines: mayDropBadLines && contents.badLines > 0 };
}

/** Returns what an update records about the FILE that it has read. */
export const fingerprintOf = ({ checksum, entries }: ArchiveContents): UpdateRequest['file'] => ({
  checksum,
  entries,
});

/** Warns if FILE is adopted, or if others have changed it. `contents`: null if FILE was not read. */
export function warnAboutFile(
  run: Run,
  item: ExportItem,
  contents: ArchiveContents | null,
  buysEveryPage: boolean,
): void {
  const { record, reference, target } = item;
  if (record === null && !buysEveryPage) run.warn('adopted', reference.label, adoptedWarning);
  const change = contents && changeOf(item, contents);
  if (change !== null) run.warn('repaired', reference.label, `${target.path}: ${change}`);
}

/** Records a check that did not replace FILE, with the size and time that FILE has. Throws what `assertFileAsFound` throws. */
export function recordUnchanged(
  item: ExportItem,
  { entries, checksum }: Pick<ArchiveRecord, 'entries' | 'checksum'>,
  recordChanges: Pick<ArchiveRecord, 'checks' | 'whole'>,
): void {
  const { exportFolder, name, recordIdentity } = item;
  assertFileAsFound(item);
  writeRecord(exportFolder.privateFolder, name, {
    ...recordIdentity,
    ...foundStamp(item),
    checksum,
    entries,
    ...recordChanges,
  });
}

/** Describes changes of other programs to FILE that the update has repaired or kept; null if there are none. */
export function changeOf(item: ExportItem, contents: ArchiveContents): string | null {
  const { record, target, onDisk } = item;
  const { badLines, damage, checksum, entries } = contents;
  if (contents.dropsBadLines) {
    const leftOut = `left out ${count(badLines, 'line', 'lines')}; the first: ${damage}`;
    return `${leftOut}; the original was saved as ${damagedName(target.path, contents)}`;
  }
  if (record === null || record.checksum === checksum) return null;
  if (onDisk.file === 'archive') return `${contentDiffers}; it was kept`;
  // Sorting lines does not change the size.
  const isReordered = target.stats?.size === record.size && entries === record.entries;
  if (!isReordered) return null;
  return 'another program reordered or edited its lines; they were kept (--update --all adds what is missing)';
}

/** Copies FILE in chunks, without its byte order mark and without the bad lines that are dropped. */
export async function copyArchive(
  item: ExportItem,
  contents: ArchiveContents,
  write: (chunk: Buffer | string) => void,
): Promise<void> {
  const { target, exportFolder } = item;
  const { stop } = exportFolder.context;
  if (contents.dropsBadLines) {
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

/** Throws `damaged` or `lost` for an archive that is not intact, `failed` for a FILE without a record that is not an archive. */
function assertIntact(item: ExportItem, contents: ArchiveScan): void {
  const { record, target } = item;
  const { path } = target;
  if (record === null && contents.damage === null) return;
  if (record === null) {
    const repairStep = commandFor(item, 'restore it, or keep only its entries', '--update', '--all');
    throw new Failure('failed', `${path} is not an archive of this channel: ${contents.damage}`, {
      scope: 'reference',
      step: wasArchive(item) ? repairStep : 'choose another file name',
    });
  }
  const problem = damageOf(target, record, contents);
  if (problem === null) return;
  const { code, message, isRepairable } = problem;
  const repairStep = commandFor(item, 'restore it, or add what is missing', '--update', '--all');
  throw new Failure(code, `${path} ${code === 'damaged' ? 'is damaged:' : 'has'} ${message}`, {
    step: isRepairable ? repairStep : changedBytesStep,
  });
}
