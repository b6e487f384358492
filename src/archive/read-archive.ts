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

/** What an ndjson file holds. */
export interface ArchiveScan {
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

export const contentDiffers = 'its content differs from what was written';

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Counts the entries of an ndjson file, and finds the first line that is not one. An entry of a channel or playlist is a
 * JSON object with a `videoId` (which may be null) and, for a channel, no other `channelId`; if `id` is null, any JSON counts. A byte
 * order mark at the start is white space. `onEntry` gets each entry without its line end; the buffer is valid until it
 * returns. Throws `damaged` for UTF-16.
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
 * Reads an archive. The lines of a FILE that is as recorded are trusted: they are not checked for
 * their ID. `checkedId` is the ID for which they were checked, or null if they were not.
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
  // Only its time has changed: the bytes are as recorded.
  const isOnlyTouched = checkedId !== null && contents.badLines > 0 && contents.checksum === own?.checksum;
  if (!isOnlyTouched) return { ...contents, checkedId };
  return { ...(await readArchive(target, null, stop, onEntry)), checkedId: null };
}

interface Damage {
  readonly code: 'damaged' | 'lost';
  readonly message: string;
  /** Whether `--update --all` repairs it: it keeps lines that are entries, even if their bytes have changed. */
  readonly isRepairable: boolean;
}

/** Compares FILE with its record. Returns `lost` if entries are missing, `damaged` if it was changed, null if it is intact. */
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

/** Yields all bytes of a file in chunks, each valid until the next one. */
export async function* bytesOf({ path, real }: Target, stop: AbortSignal): AsyncGenerator<Buffer> {
  // A FIFO that has taken its place would block forever.
  const fd = withFileErrors(path, 'usage', () => openSync(real, O_RDONLY | O_NONBLOCK));
  try {
    yield* chunksOf(fd, path, stop);
  } finally {
    closeQuietly(fd);
  }
}

/** Says why a line is not an entry of a channel or playlist; null if it is one. */
function lineProblem(line: Buffer | null, entry: JsonText | null, id: string | null): string | null {
  if (line === null) return `is longer than ${maxJsonSize}`;
  if (entry === null) return 'is not JSON';
  if (id === null) return null;
  if (entry.get('videoId') === undefined) return 'has no videoId';
  const channel = entry.get('channelId')?.string();
  return kindOfId(id) === 'channel' && channel && channel !== id ? `is an entry of ${channel}` : null;
}
