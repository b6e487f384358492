import { isUtf8 } from 'node:buffer';
import { constants, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Failure } from '../errors.ts';
import { closeQuietly, withFileErrors } from '../fs/files.ts';
import { chunksOf, linesOf } from '../fs/line-chunks.ts';
import type { Target } from '../fs/output-target.ts';
import { isUtf16, withoutByteOrderMark } from '../fs/text-input.ts';
import { JsonText } from '../json/json-text.ts';
import { maxJsonSize } from '../json/scanner.ts';
import { videoIdOf } from '../service/page.ts';
import { kindOfId } from '../service/parse-reference.ts';
import { count, thousands } from '../text/count.ts';
import { type ArchiveRecord, matchesStamp } from './record.ts';

/** What a scan of an ndjson file has found. */
export interface ArchiveScan {
  readonly entries: number;
  /** Describes the first line that is not an entry (`line 12 is not JSON`); null if every line is an entry. */
  readonly damage: string | null;
  /** Number of lines that are not entries. */
  readonly badLines: number;
  /** The first `videoId`; null if there is none. */
  readonly newest: string | null;
  /** The crc32 of all bytes. */
  readonly checksum: number;
}

export const contentDiffers = 'its content differs from what was written';

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Counts the entries of an ndjson file, and finds the first line that is not an entry. An entry of the channel or playlist
 * `id` is a JSON object with a `videoId`, which may be null, and without the `channelId` of another channel. If `id` is
 * null, any JSON is an entry. Skips a byte order mark at the start. Calls `onEntry` with each entry, without its line end,
 * in a buffer that is valid until `onEntry` returns. Throws `damaged` for a UTF-16 file.
 */
export async function readArchive(
  target: Target,
  id: string | null,
  stop: AbortSignal,
  onEntry: (line: Buffer, videoId: string | null) => void = () => {},
): Promise<ArchiveScan> {
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
      if (number === 1 && raw !== null && isUtf16(raw))
        throw new Failure('damaged', `${target.path} is UTF-16`, { step: 'save it as UTF-8' });
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

/**
 * Reads an archive. If the size and time of FILE are as recorded, its lines are trusted: whether they belong to `id` is not
 * checked. Returns as `checkedId` the ID that the lines were checked against; null if they were not checked.
 */
export async function readRecorded(
  target: Target,
  id: string,
  record: ArchiveRecord | null,
  stop: AbortSignal,
  onEntry?: (line: Buffer, videoId: string | null) => void,
): Promise<ArchiveScan & { readonly checkedId: string | null }> {
  const own = record?.id === id ? record : null;
  const checkedId = matchesStamp(target.stats, own) ? null : id;
  const contents = await readArchive(target, checkedId, stop, onEntry);
  // Only the time of FILE has changed, and its bytes are as recorded: trust its lines.
  const isOnlyTouched = checkedId !== null && contents.badLines > 0 && contents.checksum === own?.checksum;
  if (!isOnlyTouched) return { ...contents, checkedId };
  return { ...(await readArchive(target, null, stop, onEntry)), checkedId: null };
}

interface Damage {
  readonly code: 'damaged' | 'lost';
  readonly message: string;
  /** Whether `--update --all` repairs the damage. It cannot restore changed bytes: it keeps every line that is an entry. */
  readonly isRepairable: boolean;
}

/** Returns `damaged` for bad lines, or for changed bytes at the same size and time; `lost` for missing entries; or null. */
export function damageOf(
  { stats }: Target,
  record: ArchiveRecord,
  { checksum, damage, entries }: ArchiveScan,
): Damage | null {
  if (checksum === record.checksum) return null;
  if (damage !== null) return { code: 'damaged', message: damage, isRepairable: true };
  if (matchesStamp(stats, record)) return { code: 'damaged', message: contentDiffers, isRepairable: false };
  if (entries >= record.entries) return null;
  const message = `${count(entries, 'entry', 'entries')}, but it had ${thousands(record.entries)}`;
  return { code: 'lost', message, isRepairable: true };
}

/** Yields all bytes of a file in chunks. A chunk is valid until the next one is requested. */
export async function* bytesOf({ path, real }: Target, stop: AbortSignal): AsyncGenerator<Buffer> {
  // Do not block: if a FIFO has replaced the file, opening it would wait forever.
  const fd = withFileErrors(path, 'usage', () => openSync(real, O_RDONLY | O_NONBLOCK));
  try {
    yield* chunksOf(fd, path, stop);
  } finally {
    closeQuietly(fd);
  }
}

/** Returns why a line is not an entry of the channel or playlist `id`; null if it is an entry. */
function lineProblem(line: Buffer | null, entry: JsonText | null, id: string | null): string | null {
  if (line === null) return `is longer than ${maxJsonSize}`;
  if (entry === null) return 'is not JSON';
  if (id === null) return null;
  if (entry.get('videoId') === undefined) return 'has no videoId';
  const channel = entry.get('channelId')?.string();
  return kindOfId(id) === 'channel' && channel && channel !== id ? `is an entry of ${channel}` : null;
}
