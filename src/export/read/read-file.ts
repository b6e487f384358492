import type { Field, FileRecord } from '../../output/format.ts';
import { type FileFormat, loadReader } from '../../output/formats.ts';
import { IdSet } from './id-set.ts';

export type { FileRecord } from '../../output/format.ts';
export type { FileFormat } from '../../output/formats.ts';
export { readHeader } from '../../output/read/csv.ts';

export interface ReadOptions {
  /** Check every entry, so that a damaged one is found (default); else only the first, the last, and those read. */
  readonly check?: boolean;
}

/**
 * The entries of a complete FILE in the file's order, in batches; memory stays flat. `fields`: the `--fields` of
 * this call, null if there are none, undefined to accept any. A file of no bytes has no entries. Throws `damaged`
 * (`path:line: …`, remedy `restart`) if it is cut short, an entry is not valid or a JSON listing says that there
 * is more, and a usage error if FILE was exported with other fields.
 */
export async function* readEntries(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null | undefined,
  { check = true }: ReadOptions = {},
): AsyncGenerator<FileRecord[], void> {
  const read = await loadReader(format);
  yield* read(path, { fields, check });
}

/** All video IDs of a FILE, and what else one pass over it shows. */
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
}

const maxChannels = 1000;

/** Reads a whole FILE and checks every entry; 16 bytes of memory per entry. Throws as `readEntries`. */
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
  for await (const records of readEntries(path, format, fields)) {
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
  return { has: (id) => ids.has(id), entries, first, last, duplicate, channelId, channels };
}

/** Which of the wanted video IDs a complete FILE holds; stops reading once all are found. */
export async function findIds(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null | undefined,
  wanted: ReadonlySet<string>,
): Promise<Set<string>> {
  const found = new Set<string>();
  if (wanted.size === 0) return found;
  for await (const records of readEntries(path, format, fields, { check: false })) {
    for (const { videoId } of records) if (videoId !== null && wanted.has(videoId)) found.add(videoId);
    if (found.size === wanted.size) break;
  }
  return found;
}
