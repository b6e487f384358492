import { isUtf8 } from 'node:buffer';
import { constants, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Failure, usage } from '../errors.ts';
import { closeQuietly, guardFile } from '../fs/files.ts';
import { chunksOf, linesOf } from '../fs/line-chunks.ts';
import type { Target } from '../fs/output-target.ts';
import { assertNotUtf16, withoutByteOrderMark } from '../fs/text-input.ts';
import { JsonText } from '../json/json-text.ts';
import { videoIdOf } from '../run/list-pages.ts';
import { count } from '../text/count.ts';
import { assertSame } from './assert-unchanged.ts';
import type { ExportItem } from './exports.ts';
import { commandFor } from './messages.ts';

/** What an ndjson file holds. */
export interface Contents {
  readonly entries: number;
  /** The first line that is not an entry: `line 12 is not JSON`; null if all are. */
  readonly damage: string | null;
  /** The number of such lines. */
  readonly badLines: number;
  /** The first `videoId`; null if there is none. */
  readonly newest: string | null;
  /** The crc32 of all bytes. */
  readonly checksum: number;
}

export const otherContent = 'its content differs from what was written';

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Counts the entries of an ndjson file, and finds the first line that is not one. An entry of a channel or playlist is a
 * JSON object with a `videoId` (null, too) and, of a channel, no other `channelId`; if `id` is null, any JSON counts. A byte
 * order mark at the start is white space. `onEntry` gets each entry without its line end; the buffer is valid until it
 * returns. Throws a usage error for UTF-16.
 */
export async function readArchive(
  target: Target,
  id: string | null,
  stop: AbortSignal,
  onEntry: (line: Buffer, videoId: string | null) => void = () => {},
): Promise<Contents> {
  let [entries, badLines, number, checksum] = [0, 0, 0, 0];
  let damage: string | null = null;
  let newest: string | null = null;
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of bytesOf(target, stop)) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  }
  for await (const lines of linesOf(bytes())) {
    for (const raw of lines) {
      number++;
      if (number === 1 && raw !== null)
        assertNotUtf16(raw, (why) => usage(`cannot read ${target.path}: ${why}`));
      const line = number === 1 && raw !== null ? withoutByteOrderMark(raw) : raw;
      if (line?.length === 0) continue;
      const entry = line !== null && isUtf8(line) ? JsonText.parse(line) : null;
      const problem = lineProblem(line, entry, id);
      if (problem !== null || line === null || entry === null) {
        damage ??= `line ${number} ${problem}`;
        badLines++;
        continue;
      }
      const videoId = videoIdOf(entry);
      entries++;
      newest ??= videoId;
      onEntry(line, videoId);
    }
  }
  return { entries, damage, badLines, newest, checksum };
}

/** Yields all bytes of a file in chunks, each valid until the next one. */
async function* bytesOf({ path, real }: Target, stop: AbortSignal): AsyncGenerator<Buffer> {
  // A FIFO that has taken its place would block forever.
  const fd = guardFile(path, 'open', () => openSync(real, O_RDONLY | O_NONBLOCK));
  try {
    yield* chunksOf(fd, path, stop);
  } finally {
    closeQuietly(fd);
  }
}

/** Says why a line is not an entry of a channel or playlist; null if it is one. */
function lineProblem(line: Buffer | null, entry: JsonText | null, id: string | null): string | null {
  if (line === null) return 'is longer than 64 MiB';
  if (entry === null) return 'is not JSON';
  if (id === null) return null;
  if (entry.get('videoId') === undefined) return 'has no videoId';
  const channel = entry.get('channelId')?.string();
  return id.startsWith('UC') && channel && channel !== id ? `is an entry of ${channel}` : null;
}

/** What FILE of an update held when it was read. */
export interface ArchiveContents extends Contents {
  readonly ids: ReadonlySet<string>;
  readonly hasEntriesWithoutId: boolean;
}

/** The channel or playlist whose entries the lines of FILE must be; null: FILE is as recorded, and they need no check. */
const checkedId = ({ onDisk, id }: ExportItem): string | null => (onDisk.file === 'archive' ? null : id);

/** Whether lines of FILE that are not entries are left out, instead of refused: every page is bought, and there is a record. */
const isRepaired = ({ buysAll, record }: ExportItem): boolean => buysAll && record !== null;

/** Whether the new FILE lacks lines of this one. */
export const dropsLines = (item: ExportItem, { badLines }: Contents): boolean =>
  isRepaired(item) && badLines > 0;

/** Reads FILE. Throws what `assertSame` and `assertIntact` throw. */
export async function readIntact(item: ExportItem): Promise<ArchiveContents> {
  const { target, exportFolder } = item;
  assertSame(item);
  const ids = new Set<string>();
  let hasEntriesWithoutId = false;
  const contents = await readArchive(target, checkedId(item), exportFolder.context.stop, (_, videoId) => {
    if (videoId === null) hasEntriesWithoutId = true;
    else ids.add(videoId);
  });
  if (!isRepaired(item)) assertIntact(item, contents);
  return { ...contents, ids, hasEntriesWithoutId };
}

/** Words what other programs changed in FILE, and the update repaired or kept; null: nothing. */
export function changeOf(item: ExportItem, contents: Contents): string | null {
  const { record, target, onDisk } = item;
  const { badLines, damage, checksum, entries } = contents;
  if (record === null) return null;
  if (dropsLines(item, contents)) return `left out ${count(badLines, 'line', 'lines')}; the first: ${damage}`;
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
  contents: Contents,
  write: (chunk: Buffer | string) => void,
): Promise<void> {
  const { target, exportFolder } = item;
  const { stop } = exportFolder.context;
  if (dropsLines(item, contents)) {
    await readArchive(target, checkedId(item), stop, (line) => {
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
  if (isAsRecorded && record?.checksum === checksum) return;
  const problem = damage ?? (isAsRecorded ? otherContent : null);
  if (problem !== null) {
    const what = record === null ? 'is not an archive of this channel' : 'is damaged';
    const next = record === null ? 'choose another file name' : repair;
    throw new Failure('damaged', `${path} ${what}: ${problem}`, { next });
  }
  if (record === null || entries >= record.entries) return;
  const had = `but had ${count(record.entries, 'entry', 'entries')}`;
  throw new Failure('lost', `${path} has ${count(entries, 'entry', 'entries')}, ${had}`, { next: repair });
}
