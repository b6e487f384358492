import type { FileRecord, ReaderOptions } from '../format.ts';
import { checkEntryKeys } from './expected-fields.ts';
import { readLines } from './lines.ts';
import { JsonRecord } from './records.ts';
import { damagedAt } from './text.ts';

/** Reads an ndjson file; see `Reader`. */
export async function* readNdjson(
  path: string,
  { fields, check }: ReaderOptions,
): AsyncGenerator<FileRecord[], void> {
  let isFirst = true;
  for await (const lines of readLines(path)) {
    const records = lines.map(({ text, number, ended }, i) => {
      const record = new JsonRecord(text);
      if ((check || (isFirst && i === 0) || !ended) && !record.isValid())
        throw damagedAt(path, number, ended ? 'not valid JSON' : 'cut short');
      return record;
    });
    if (isFirst) checkEntryKeys(path, firstKeys(records), fields);
    isFirst = false;
    yield records;
  }
}

/** The keys of the first entries, which are those of `--fields` if there was one. */
export function firstKeys(records: readonly JsonRecord[]): string[][] {
  return records.slice(0, 100).map((record) => (record.isValid() ? record.keys() : []));
}
