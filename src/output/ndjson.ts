import { JsonText } from '../json/json-text.ts';
import { recordPicker } from './fields.ts';
import type { Format, FormatOptions } from './format.ts';
import type { Item } from './item.ts';
import { bodyRecords } from './records.ts';

/** NDJSON: one entry a line, as the service sent it, without white space between tokens. */
export function ndjsonFormat(options: FormatOptions): Format {
  const pick = options.fields === null ? null : recordPicker(options.fields);
  const lines = (item: Item, entries: readonly JsonText[]): string => {
    let out = '';
    for (const entry of entries) out += `${pick === null ? entry.toString() : pick(entry, item)}\n`;
    return out;
  };
  let room: Buffer = Buffer.alloc(0);
  return {
    head: () => '',
    open: () => '',
    rows: lines,
    copiedRows: (entries) => {
      const rows = pick === null ? JsonText.lines(entries, room) : null;
      // Used again for the next page: memory that is let go of is only given back now and then.
      if (rows !== null && rows.length > room.length) room = rows;
      return rows;
    },
    close: () => '',
    body: (item, body) => lines(item, bodyRecords(options.operation, body).records),
    failed: () => '',
    tail: () => '',
  };
}
