import { JsonListScanner, NoListing } from '../../json/list-scanner.ts';
import type { FileRecord, ReaderOptions } from '../format.ts';
import { checkEntryKeys } from './expected-fields.ts';
import { firstKeys } from './ndjson.ts';
import { JsonRecord } from './records.ts';
import { damagedAt, readTexts } from './text.ts';

/** Reads a json file that holds one complete listing; see `Reader`. */
export async function* readJson(
  path: string,
  { fields, check }: ReaderOptions,
): AsyncGenerator<FileRecord[], void> {
  const scanner = new JsonListScanner();
  let entries = 0;
  let isEmpty = true;
  try {
    for await (const text of readTexts(path)) {
      isEmpty = false;
      const elements = scanner.push(text);
      if (elements.length === 0) continue;
      const isFirst = entries === 0;
      const records = elements.map((element, i) => {
        const record = new JsonRecord(element.text);
        if ((check || (isFirst && i === 0)) && !record.isValid())
          throw damagedAt(path, element.line, `entry ${entries + i + 1} is not valid JSON`);
        return record;
      });
      if (isFirst) checkEntryKeys(path, firstKeys(records), fields);
      entries += records.length;
      yield records;
    }
    if (isEmpty) return;
    const { has_more: hasMore, continuation_token: token } = scanner.end();
    if (hasMore !== false || (token ?? null) !== null) {
      throw damagedAt(path, scanner.line, 'the listing is not complete (has_more is not false)');
    }
  } catch (error) {
    if (error instanceof NoListing) throw damagedAt(path, scanner.line, error.message);
    throw error;
  }
}
