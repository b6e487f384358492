import { ByteWriter, byteSet, COMMA, LINE_FEED } from '../json/byte-writer.ts';
import type { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { excerpt } from '../text/truncate.ts';
import { entryKeys, expandFields, hasWildcard, maxColumns, picker } from './fields.ts';
import type { Field, FormatOptions, Writer } from './format.ts';

/** Creates CSV with a header. Without `--fields`, its columns are `columns`, or the keys of the first page with entries. */
export function csvFormat({ shape, fields, columns: fileColumns, terminal }: FormatOptions): Writer {
  const isOpen = hasWildcard(fields);
  const out = new ByteWriter();
  let columns: readonly Field[] | null = null;
  let pick: ReturnType<typeof picker> = () => [];
  let headerKeys: ReadonlySet<string> = new Set();
  const leftOut = new Set<string>();

  /** Fixes the columns, and writes the header. */
  const begin = (entries: readonly JsonText[]): void => {
    const all = fileColumns ?? expandFields(fields, shape, entryKeys(entries));
    const named = new Set(fields?.map(({ name }) => name));
    const others = all.filter(({ name }) => !named.has(name));
    const room = Math.max(0, maxColumns - (all.length - others.length));
    const tooMany = new Set(others.slice(room));
    columns = isOpen ? all.filter((field) => !tooMany.has(field)) : all;
    pick = picker(columns);
    headerKeys = new Set(columns.map(topKey));
    out.text(`${columns.map(({ name }) => quote(terminal === null ? name : sanitize(name))).join(',')}\n`);
  };
  const writeRow = (values: readonly JsonText[]): void => {
    const start = out.length;
    for (const [i, value] of values.entries()) {
      if (i > 0) out.byte(COMMA);
      if (terminal !== null) out.text(quote(sanitize(value.plain())));
      else if (!value.writePlain(out, special)) out.text(quote(value.plain()));
    }
    // An empty line is not a row.
    if (out.length === start) out.text('""');
    out.byte(LINE_FEED);
  };

  return {
    rows: (source, entries) => {
      // The first page with entries decides the columns.
      if (entries.length === 0) return '';
      if (columns === null) begin(entries);
      for (const entry of entries) writeRow(pick(entry, source));
      if (isOpen && leftOut.size < maxColumns)
        for (const key of entryKeys(entries)) if (!headerKeys.has(key)) leftOut.add(key);
      return out.take();
    },
    tail: () => {
      if (columns === null) begin([]);
      return out.take().toString();
    },
    warnings: () => {
      if (leftOut.size === 0) return [];
      const names = excerpt([...leftOut].join(', '));
      return [`csv: left out fields that are not in the header: ${names}; name them with --fields`];
    },
  };
}

/** Returns the top-level key of the entry that a field reads. */
const topKey = ({ name, path }: Field): string => path?.[0] ?? name;

/** Bytes in a JSON value that prevent copying it as it is into a cell. */
const special = byteSet('",\\\r\n');

/** Quotes a cell if necessary, and removes NUL characters: most programs read a cell up to the first one. */
function quote(cell: string): string {
  const text = cell.replaceAll('\0', '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Creates lines with one `videoId` (resolve: `channel_id`) each. Entries without one are skipped, with a warning. */
export function idFormat({ shape, terminal }: FormatOptions): Writer {
  const { idField } = shape;
  const lineOf = (id: string): string =>
    `${terminal === null ? id.replace(/[\0\t\r\n]+/g, ' ') : sanitize(id)}\n`;
  let leftOut = 0;
  return {
    rows: (_source, entries) => {
      const ids = entries.map((entry) => entry.get(idField)?.plain() ?? '').filter((id) => id !== '');
      leftOut += entries.length - ids.length;
      return ids.map(lineOf).join('');
    },
    warnings: () =>
      leftOut === 0 ? [] : [`id: left out ${count(leftOut, 'entry', 'entries')} without ${idField}`],
  };
}
