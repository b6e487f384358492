import { Damage } from '../../json/list-scanner.ts';
import type { FileRecord, ReaderOptions } from '../format.ts';
import { readBatches, splitLines } from './batches.ts';
import { checkEntryKeys } from './expected-fields.ts';
import { JsonRecord } from './records.ts';

/** Reads an ndjson file; see `Reader`. */
export async function* readNdjson(
  path: string,
  { fields, check }: ReaderOptions,
): AsyncGenerator<FileRecord[], void> {
  let isFirst = true;
  const split = splitLines((bytes, { from, to, isEnded }) => {
    const record = new JsonRecord(bytes.subarray(from, to));
    if ((check || isFirst || !isEnded) && record.value === null)
      throw new Damage(isEnded ? 'not valid JSON' : 'cut short', from);
    isFirst = false;
    return record;
  });
  let areFirst = true;
  for await (const records of readBatches(path, split)) {
    if (areFirst) checkEntryKeys(path, firstKeys(records), fields);
    areFirst = false;
    yield records;
  }
}

/** The keys of the first entries: those of `--fields`, if it was given. */
export function firstKeys(records: readonly JsonRecord[]): string[][] {
  return records.slice(0, 100).map((record) => record.keys);
}
