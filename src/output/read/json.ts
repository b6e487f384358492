import { Damage, JsonListScanner } from '../../json/list-scanner.ts';
import { isText } from '../../json/shape.ts';
import type { FileRecord, ReaderOptions, Rest } from '../format.ts';
import { readBatches, type Split } from './batches.ts';
import { checkEntryKeys } from './expected-fields.ts';
import { firstKeys } from './ndjson.ts';
import { JsonRecord } from './records.ts';

/** Reads a json file that holds one listing, complete or limited; see `Reader`. Every entry is checked. */
export async function* readJson(path: string, options: ReaderOptions): AsyncGenerator<FileRecord[], void> {
  let areFirst = true;
  for await (const records of readBatches(path, splitListing(options))) {
    if (areFirst) checkEntryKeys(path, firstKeys(records), options.fields);
    areFirst = false;
    yield records;
  }
}

function splitListing({ onEnd }: ReaderOptions): Split<JsonRecord> {
  const scanner = new JsonListScanner();
  let isEmpty = true;
  return (bytes, isEnd) => {
    isEmpty &&= bytes.length === 0;
    if (isEmpty) return { items: [], end: 0 };
    const items: JsonRecord[] = [];
    const end = scanner.scan(bytes, isEnd, (from, to) =>
      items.push(new JsonRecord(bytes.subarray(from, to))),
    );
    if (isEnd) {
      const rest = restOf(scanner, bytes, end);
      onEnd?.(rest);
    }
    return { items, end };
  };
}

/** What the listing does not hold. Only `--limit` leaves out anything: an error that ended it is damage. */
function restOf(scanner: JsonListScanner, bytes: Buffer, end: number): Rest {
  const { has_more: hasMore, continuation_token: token = null, error } = scanner.members(bytes.subarray(end));
  const isComplete = hasMore === false && token === null;
  const isLimited = hasMore === true && (token === null || isText(token)) && error === undefined;
  if (!isComplete && !isLimited) throw new Damage('the listing is not complete', end);
  return { hasMore: isLimited, token: isText(token) ? token : null };
}
