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
import { type FileStamp, stampOf } from './record.ts';

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
 * returns. Throws as `chunksOf`, and a usage error for UTF-16.
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

/** Yields all bytes of a file, as `chunksOf`. */
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

/** FILE as an archive. It is read only if something needs its content: once for its IDs, and again when it is copied. */
export class Archive {
  readonly #item: ExportItem;
  /** Null: FILE is as recorded, so that no line needs checking for its channel. */
  readonly #id: string | null;
  /** This run buys every page, and repairs an archive that has a record: lines that are not entries are left out. */
  readonly all: boolean;
  readonly #ids = new Set<string>();
  #contents: Contents | null = null;
  /** Known after `read`. */
  hasEntriesWithoutId = false;

  constructor(item: ExportItem, all: boolean) {
    this.#item = item;
    this.all = all;
    this.#id = item.existing.file === 'archive' ? null : item.id;
  }

  /** Size and time when the run began. */
  get stamp(): FileStamp {
    const { stats } = this.#item.target;
    if (stats === null) throw new Error('an archive without a file');
    return stampOf(stats);
  }

  get #isRepaired(): boolean {
    return this.all && this.#item.record !== null;
  }

  /** From the record until `read`. */
  get entries(): number {
    return this.#contents?.entries ?? this.#item.record?.entries ?? 0;
  }

  get checksum(): number {
    return this.#contents?.checksum ?? this.#item.record?.checksum ?? 0;
  }

  /** Lines are left out when it is copied. */
  get isCut(): boolean {
    return this.#isRepaired && (this.#contents?.badLines ?? 0) > 0;
  }

  /** What other programs changed, and the update repaired or kept; null: nothing. */
  get change(): string | null {
    const { record, target, existing } = this.#item;
    const contents = this.#contents;
    if (contents === null || record === null) return null;
    const { badLines, damage, checksum } = contents;
    if (this.isCut) return `left out ${count(badLines, 'line', 'lines')}; the first: ${damage}`;
    if (record.checksum === checksum) return null;
    if (existing.file === 'archive') return `${otherContent}; it was kept`;
    // To sort lines changes no size.
    const isReordered = target.stats?.size === record.size && contents.entries === record.entries;
    if (!isReordered) return null;
    return 'another program reordered or edited its lines; they were kept (--update --all adds what is missing)';
  }

  /** Reads it, and returns its IDs. Throws as `assertSame`, and `damaged` or `lost` as `assertIntact`. */
  async read(): Promise<ReadonlySet<string>> {
    const { target, exportFolder } = this.#item;
    if (this.#contents !== null) return this.#ids;
    assertSame(this.#item);
    this.#contents = await readArchive(target, this.#id, exportFolder.context.stop, (_, videoId) => {
      if (videoId === null) this.hasEntriesWithoutId = true;
      else this.#ids.add(videoId);
    });
    if (!this.#isRepaired) assertIntact(this.#item, this.#contents);
    return this.#ids;
  }

  /** Passes on what stays of it: all of its bytes or, if lines are left out, the other ones, in chunks. */
  async copy(write: (chunk: Buffer | string) => void): Promise<void> {
    const { target, exportFolder } = this.#item;
    const { stop } = exportFolder.context;
    let isStart = true;
    if (!this.isCut)
      for await (const chunk of bytesOf(target, stop)) {
        write(isStart ? withoutByteOrderMark(chunk) : chunk);
        isStart = false;
      }
    else
      await readArchive(target, this.#id, stop, (line) => {
        write(line);
        write('\n');
      });
  }
}

/**
 * Throws `damaged` for an archive with a line that is not an entry, or with other bytes than were written although it is as
 * recorded, and `lost` for one with fewer entries than recorded.
 */
function assertIntact(item: ExportItem, { damage, entries, checksum }: Contents): void {
  const { record, target, existing } = item;
  const { path } = target;
  const all = commandFor(item, 'restore it, or add what is missing', '--update', '--all');
  const isAsRecorded = existing.file === 'archive';
  // Same checksum: the lines are as they were written.
  if (isAsRecorded && record?.checksum === checksum) return;
  const problem = damage ?? (isAsRecorded ? otherContent : null);
  if (problem !== null) {
    const what = record === null ? 'is not an archive of this channel' : 'is damaged';
    const next = record === null ? 'choose another file name' : all;
    throw new Failure('damaged', `${path} ${what}: ${problem}`, { next });
  }
  if (record === null || entries >= record.entries) return;
  const had = `but had ${count(record.entries, 'entry', 'entries')}`;
  throw new Failure('lost', `${path} has ${count(entries, 'entry', 'entries')}, ${had}`, { next: all });
}
