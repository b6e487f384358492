import { ByteWriter } from '../json/byte-writer.ts';
import { JsonText } from '../json/json-text.ts';
import { LINE_FEED } from '../text/ascii.ts';
import { recordPicker } from './fields.ts';
import type { FormatOptions, Writer } from './format.ts';

/** NDJSON: one entry per line, as the service sent it, without white space between tokens. */
export function ndjsonFormat({ operation, fields }: FormatOptions): Writer {
  const pick = fields === null ? null : recordPicker(fields, operation);
  const out = new ByteWriter();
  return {
    rows: (item, entries) => {
      if (pick === null) JsonText.writeLines(entries, out);
      else
        for (const entry of entries) {
          pick(out, entry, item);
          out.byte(LINE_FEED);
        }
      return out.take();
    },
  };
}
