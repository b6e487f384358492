import { excerpt } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { expandFields, hasEverything, type Picker, picker } from './fields.ts';
import type { Field, FormatOptions, Writer } from './format.ts';
import { memberMap } from './records.ts';

/** Maximum number of columns, and of other keys: a service that always sends new ones must not fill the memory. */
const maxKeys = 1000;

/**
 * CSV (RFC 4180, with LF) with a header row. Columns are those given (`columns`), else `--fields`, else the
 * documented fields and the other keys of the first page's entries, with which the header is then written.
 */
export function csvFormat(options: FormatOptions): Writer {
  const { operation, fields } = options;
  /** The keys of the entries themselves are columns; keys without a column are reported. */
  const isOpen = fields === null || hasEverything(fields);
  const text = options.terminal === null ? (cell: string) => cell : sanitize;
  const line = (cells: readonly string[]): string => csvLine(cells.map(text));
  let columns: readonly Field[] | null = null;
  let pick: Picker = () => [];
  /** Keys that have a column. */
  const shown = new Set<string>();
  const leftOut = new Set<string>();

  /** Fixes the columns, and returns the header. */
  const begin = (chosen: readonly Field[]): string => {
    columns = chosen;
    pick = picker(chosen, operation);
    for (const { name, path } of chosen) shown.add(path?.[0] ?? name);
    return line(chosen.map(({ name }) => name));
  };
  const header = (entries: readonly JsonText[]): string =>
    columns === null ? begin(expandFields(fields, operation, entries).slice(0, maxKeys)) : '';
  const named = (name: string): Field =>
    fields?.find((field) => field.name === name) ?? { name, path: [name] };
  const head = options.columns ? begin(options.columns.map(named)) : '';

  return {
    head: () => head,
    rows: (item, entries) => {
      // The first page with entries decides the columns.
      if (entries.length === 0) return '';
      let out = header(entries);
      for (const entry of entries) {
        out += line(pick(entry, item).map((value) => value.plain()));
        if (isOpen && leftOut.size < maxKeys)
          for (const key of memberMap(entry).keys()) if (!shown.has(key)) leftOut.add(key);
      }
      return out;
    },
    tail: () => header([]),
    warnings: () => {
      if (leftOut.size === 0) return [];
      const what = count(leftOut.size, 'field that is', 'fields that are');
      const names = excerpt([...leftOut].join(', '));
      return [`csv: left out ${what} not in the header: ${names}; name them with --fields`];
    },
    columns: () => columns?.map(({ name }) => name) ?? null,
  };
}

/** A row of CSV (RFC 4180), with LF: a single empty cell is quoted, so that the row is not an empty line. */
function csvLine(cells: readonly string[]): string {
  const row = cells.map(quote).join(',');
  return row === '' ? '""\n' : `${row}\n`;
}

function quote(cell: string): string {
  // Zeros outside quotes are damage (src/export/read.ts).
  return /[",\r\n\0]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
