import type { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { asText, expandFields, memberFields, type Picker, picker } from './fields.ts';
import type { FormatOptions, Item, Writer } from './format.ts';
import { bodyRecords } from './records.ts';

/**
 * One `videoId` (resolve: `channel_id`) per line, or the values of `--fields` with tabs between them. Entries
 * that have none of them are skipped.
 */
export function idFormat({ operation, terminal, fields: given }: FormatOptions): Writer {
  const fields = given ?? memberFields([operation.idField]);
  const separators = fields.length > 1 || fields[0]?.name === '*' ? /[\t\r\n]+/g : /[\r\n]+/g;
  const text = (value: string): string =>
    terminal === null ? value.replace(separators, ' ') : sanitize(value);
  let pick: Picker | null = null;
  const lines = (item: Item, entries: readonly JsonText[]): string => {
    if (entries.length === 0) return '';
    pick ??= picker(expandFields(fields, operation, entries), operation);
    let out = '';
    for (const entry of entries) {
      const values = pick(entry, item).map(asText);
      if (values.some((value) => value !== '')) out += `${values.map(text).join('\t')}\n`;
    }
    return out;
  };
  return {
    rows: lines,
    body: (item, body) => lines(item, bodyRecords(operation, body).records),
  };
}
