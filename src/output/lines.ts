import { ByteWriter, LINE_FEED } from '../json/byte-writer.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { recordPicker } from './fields.ts';
import type { FormatOptions, Writer } from './format.ts';

/** NDJSON: one entry per line, as the service sent it, without white space between tokens. */
export function ndjsonFormat({ fields }: FormatOptions): Writer {
  const pick = fields === null ? null : recordPicker(fields);
  const out = new ByteWriter();
  return {
    rows: (item, entries) => {
      for (const entry of entries) {
        if (pick === null) entry.writeTo(out);
        else pick(out, entry, item);
        out.byte(LINE_FEED);
      }
      return out.take();
    },
  };
}

/** One `videoId` (resolve: `channel_id`) per line. Entries without one are left out, with a warning. */
export function idFormat({ operation, terminal }: FormatOptions): Writer {
  const { idField } = operation;
  const lineOf = (id: string): string =>
    `${terminal === null ? id.replace(/[\0\t\r\n]+/g, ' ') : sanitize(id)}\n`;
  let leftOut = 0;
  return {
    rows: (_item, entries) => {
      const ids = entries.map((entry) => entry.get(idField)?.plain() ?? '').filter((id) => id !== '');
      leftOut += entries.length - ids.length;
      return ids.map(lineOf).join('');
    },
    warnings: () =>
      leftOut === 0 ? [] : [`id: left out ${count(leftOut, 'entry', 'entries')} without ${idField}`],
  };
}
