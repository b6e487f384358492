import { open } from 'node:fs/promises';
import type { Field, FileRecord, Reader, ReaderOptions, Rest } from '../../output/format.ts';
import { type FileFormat, formatByStart, formats } from '../../output/formats.ts';
import { IdSet } from './id-set.ts';

/**
 * The entries of a complete FILE in the file's order, in batches; memory use is constant. `fields`: the `--fields` of
 * this call, null if there are none, undefined to accept any. An empty file has no entries. Throws `damaged`
 * (`path:line: …`, remedy `restart`) if it is cut short, an entry is invalid or an error ended a JSON listing, and a
 * usage error if FILE was exported with other fields. `check`: check every entry for damage (true), or only the first,
 * the last, and those read.
 */
export async function* readEntries(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null | undefined,
  { check = true, onEnd }: Partial<Pick<ReaderOptions, 'check' | 'onEnd'>> = {},
): AsyncGenerator<FileRecord[], void> {
  const read: Reader = await formats[format].reader();
  yield* read(path, { fields, check, ...(onEnd && { onEnd }) });
}

/** Bytes that are read to recognize a format. */
const startSize = 4096;

/** The format that the start of a file shows; null if it shows none. Throws what the system says. */
export async function recognizeFormat(path: string): Promise<FileFormat | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startSize), 0, startSize, 0);
    return formatByStart(buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, ''));
  } finally {
    await file.close();
  }
}

/** All video IDs of a FILE, and other facts from the same pass over it. */
export interface FileIds {
  /** Whether an entry has this video ID. */
  has(id: string): boolean;
  readonly entries: number;
  /** Video ID of the first entry; null if that has none. */
  readonly first: string | null;
  /** Of the last entry that has one. */
  readonly last: string | null;
  /** A video ID that occurs twice. */
  readonly duplicate: string | null;
  /** Of the first entry that has one. */
  readonly channelId: string | null;
  /** The channels of all entries, up to 1,000. */
  readonly channels: ReadonlySet<string>;
  /** What the file says is missing; null if its format does not say. */
  readonly rest: Rest | null;
}

const maxChannels = 1000;

/** Reads a whole FILE and checks every entry; 12 bytes of memory per entry. Throws as `readEntries`. */
export async function readIdSet(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null | undefined,
): Promise<FileIds> {
  const ids = new IdSet();
  const channels = new Set<string>();
  let entries = 0;
  let first: string | null = null;
  let last: string | null = null;
  let duplicate: string | null = null;
  let rest: Rest | null = null;
  const onEnd = (found: Rest): void => {
    rest = found;
  };
  for await (const records of readEntries(path, format, fields, { onEnd })) {
    if (entries === 0) first = records[0]?.videoId ?? null;
    entries += records.length;
    for (const { videoId, channelId } of records) {
      if (channelId !== null && !channels.has(channelId) && channels.size < maxChannels)
        channels.add(channelId);
      if (videoId === null) continue;
      last = videoId;
      if (!ids.add(videoId)) duplicate ??= videoId;
    }
  }
  const [channelId = null] = channels;
  return { has: (id) => ids.has(id), entries, first, last, duplicate, channelId, channels, rest };
}
