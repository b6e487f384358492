import type { Field } from '../../output/fields.ts';
import { JsonRecord, quickId } from './file-record.ts';
import { type FileFormat, readEntries } from './read-entries.ts';
import { readLines } from './read-lines.ts';

export type { FileRecord } from './file-record.ts';
export { type FileFormat, type ReadOptions, readEntries } from './read-entries.ts';

/** Which of the wanted video IDs a complete FILE holds; reads no further than to the last one found. */
export async function findIds(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null,
  wanted: ReadonlySet<string>,
): Promise<Set<string>> {
  const found = new Set<string>();
  // Not the string out of the file: it would hold on to the piece of text that it was read in.
  const names = new Map([...wanted].map((id) => [id, id]));
  if (names.size === 0) return found;
  for await (const ids of readVideoIds(path, format, fields)) {
    for (const id of ids) {
      const name = id === null ? undefined : names.get(id);
      if (name !== undefined) found.add(name);
    }
    if (found.size === names.size) break;
  }
  return found;
}

/** The video IDs alone. Most of a long NDJSON file need not be decoded for that. */
async function* readVideoIds(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null,
): AsyncGenerator<(string | null)[], void> {
  if (format !== 'ndjson') {
    for await (const records of readEntries(path, format, fields, { check: false })) {
      yield records.map((record) => record.videoId);
    }
    return;
  }
  const decode = (text: string): string => Buffer.from(text, 'latin1').toString();
  for await (const lines of readLines(path, 'latin1')) {
    yield lines.map(({ text }) => {
      const id = quickId(text);
      return id === null
        ? new JsonRecord(decode(text)).videoId
        : /[\u0080-\u00ff]/.test(id)
          ? decode(id)
          : id;
    });
  }
}

/** What a complete FILE holds. */
export interface Survey {
  readonly entries: number;
  /** Of the first entry that has one. */
  readonly channelId: string | null;
}

/** Reads a whole FILE, checks every entry and counts them. Throws as `readEntries`. */
export async function surveyFile(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null,
): Promise<Survey> {
  let entries = 0;
  let channelId: string | null = null;
  for await (const records of readEntries(path, format, fields)) {
    entries += records.length;
    channelId ??= records.find((record) => record.channelId !== null)?.channelId ?? null;
  }
  return { entries, channelId };
}
