import { JsonText } from '../json/json-text.ts';
import { recordPicker } from './fields.ts';
import type { FormatOptions, Writer } from './format.ts';

/** NDJSON: one entry per line, as the service sent it, without white space between tokens. */
export function ndjsonFormat({ operation, fields }: FormatOptions): Writer {
  const pick = fields === null ? null : recordPicker(fields, operation);
  /** Reused for each page: the collector frees large buffers late. */
  let buffer: Buffer = Buffer.alloc(0);
  return {
    rows: (item, entries) => {
      const copied = pick === null ? JsonText.lines(entries, buffer) : null;
      if (copied !== null) {
        if (copied.length > buffer.length) buffer = copied;
        return copied;
      }
      let out = '';
      for (const entry of entries) out += `${pick === null ? entry : pick(entry, item)}\n`;
      return out;
    },
  };
}
