import type { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { asText, memberFields, picker } from './fields.ts';
import type { Format, FormatOptions } from './format.ts';
import type { Item } from './item.ts';
import { bodyRecords } from './records.ts';

/**
 * One `videoId` (resolve: `channel_id`) a line, or the values of `--fields` with tabs between them. Entries
 * that have none of them are skipped.
 */
export function idFormat(options: FormatOptions): Format {
  const name = options.operation.name === 'resolve' ? 'channel_id' : 'videoId';
  const fields = options.fields ?? memberFields([name]);
  const pick = picker(fields);
  const separators = fields.length > 1 ? /[\t\r\n]+/g : /[\r\n]+/g;
  const text = (value: string): string =>
    options.terminal === null ? value.replace(separators, ' ') : sanitize(value);
  const lines = (item: Item, entries: readonly JsonText[]): string => {
    let out = '';
    for (const entry of entries) {
      const values = pick(entry, item).map(asText);
      if (values.some((value) => value !== '')) out += `${values.map(text).join('\t')}\n`;
    }
    return out;
  };
  return {
    head: () => '',
    open: () => '',
    rows: lines,
    close: () => '',
    body: (item, body) => lines(item, bodyRecords(options.operation, body).records),
    failed: () => '',
    tail: () => '',
  };
}
