import { Damage, JsonListScanner } from '../../json/list-scanner.ts';
import type { FileRecord, ReaderOptions } from '../format.ts';
import { readBatches, type Split } from './batches.ts';
import { checkEntryKeys } from './expected-fields.ts';
import { firstKeys } from './ndjson.ts';
import { JsonRecord } from './records.ts';

/** Reads a json file that holds one complete listing; see `Reader`. Every entry is checked. */
export async function* readJson(path: string, { fields }: ReaderOptions): AsyncGenerator<FileRecord[], void> {
  let areFirst = true;
  for await (const records of readBatches(path, splitListing())) {
    if (areFirst) checkEntryKeys(path, firstKeys(records), fields);
    areFirst = false;
    yield records;
  }
}

function splitListing(): Split<JsonRecord> {
  const scanner = new JsonListScanner();
  let isEmpty = true;
  return (bytes, isEnd) => {
    isEmpty &&= bytes.length === 0;
    if (isEmpty) return { items: [], end: 0 };
    const items: JsonRecord[] = [];
    const end = scanner.scan(bytes, isEnd, (from, to) =>
      items.push(new JsonRecord(bytes.subarray(from, to))),
    );
    if (isEnd) checkComplete(scanner, bytes, end);
    return { items, end };
  };
}

function checkComplete(scanner: JsonListScanner, bytes: Buffer, end: number): void {
  const { has_more: hasMore, continuation_token: token } = scanner.members(bytes.subarray(end));
  if (hasMore !== false || (token ?? null) !== null)
    throw new Damage('the listing is not complete (has_more is not false)', end);
}
