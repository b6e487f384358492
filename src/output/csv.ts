import { excerpt } from '../errors.ts';
import { ByteWriter, COMMA, LINE_FEED } from '../json/byte-writer.ts';
import type { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { expandFields, hasWildcard, memberField, picker } from './fields.ts';
import type { Field, FormatOptions, Writer } from './format.ts';
import { recordKeys } from './records.ts';

/** Maximum number of columns, and of other keys: a service that always sends new ones must not fill the memory. */
const maxKeys = 1000;

/**
 * CSV (RFC 4180, with LF) with a header row. Columns are those given (`columns`), else `--fields`, else the
 * documented fields and the other keys of the first page's entries, with which the header is then written.
 */
export function csvFormat({ operation, fields, columns: fixedColumns, terminal }: FormatOptions): Writer {
  /** The keys of the first page are columns; later ones are reported. */
  const isOpen = !fixedColumns && (fields === null || hasWildcard(fields));
  const out = new ByteWriter();
  let columns: readonly Field[] | null = null;
  let pick: ReturnType<typeof picker> = () => [];
  const shown = new Set<string>();
  const leftOut = new Set<string>();

  const named = (name: string): Field => fields?.find((field) => field.name === name) ?? memberField(name);
  /** Fixes the columns, and writes the header. */
  const begin = (entries: readonly JsonText[]): void => {
    columns = fixedColumns?.map(named) ?? expandFields(fields, operation, entries).slice(0, maxKeys);
    pick = picker(columns, operation);
    for (const { name, path } of columns) shown.add(path?.[0] ?? name);
    out.text(`${columns.map(({ name }) => quote(terminal === null ? name : sanitize(name))).join(',')}\n`);
  };
  const writeCell = (value: JsonText): void => {
    if (terminal !== null) out.text(quote(sanitize(value.plain())));
    else if (!value.writePlain(out, special)) out.text(quote(value.plain()));
  };
  const writeRow = (values: readonly JsonText[]): void => {
    const start = out.length;
    for (const [i, value] of values.entries()) {
      if (i > 0) out.byte(COMMA);
      writeCell(value);
    }
    // An empty line is no row.
    if (out.length === start) out.text('""');
    out.byte(LINE_FEED);
  };

  return {
    rows: (item, entries) => {
      // The first page with entries decides the columns.
      if (entries.length === 0) return '';
      if (columns === null) begin(entries);
      for (const entry of entries) writeRow(pick(entry, item));
      if (isOpen)
        for (const key of recordKeys(entries))
          if (!shown.has(key) && leftOut.size < maxKeys) leftOut.add(key);
      return out.take();
    },
    tail: () => {
      if (columns === null) begin([]);
      return out.take().toString();
    },
    warnings: () => {
      if (leftOut.size === 0) return [];
      const what = count(leftOut.size, 'field that is', 'fields that are');
      const names = excerpt([...leftOut].join(', '));
      return [`csv: left out ${what} not in the header: ${names}; name them with --fields`];
    },
  };
}

/** Bytes of a value in JSON that keep it from being copied as a cell. */
const special = new Uint8Array(256);
for (const character of '",\\\r\n') special[character.charCodeAt(0)] = 1;

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
