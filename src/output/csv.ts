import type { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { asText, expandFields, hasEverything, type Picker, picker } from './fields.ts';
import type { Field, FormatOptions, Item, Writer } from './format.ts';
import { bodyRecords, memberMap } from './records.ts';

/** Maximum number of columns: a service that always sends new keys must not fill the memory with commas. */
const maxColumns = 1000;
/** Maximum number of known keys: those with a column, and those left out. */
const maxKnown = 1100;

/**
 * CSV (RFC 4180, with LF) with a header row. Columns are those given (`columns`), else `--fields`, else the
 * documented fields and the other keys of the first page's entries. The header is written with the first page
 * unless the columns are known before it.
 */
export function csvFormat(options: FormatOptions): Writer {
  const { operation, fields, several } = options;
  /** The keys of the entries themselves are columns; keys without a column are reported. */
  const isOpen = fields === null || hasEverything(fields);
  const text = options.terminal === null ? (cell: string) => cell : sanitize;
  const line = (cells: readonly string[]): string => csvLine(cells.map(text));
  let columns: readonly Field[] | null = knownColumns(options);
  const head = columns === null ? '' : line(columns.map(({ name }) => name));
  let headerWritten = columns !== null;
  let pick: Picker | null = null;
  /** Keys that have a column or have been reported. */
  const known = new Set<string>();
  let unreported: string[] = [];

  const header = (entries: readonly JsonText[]): string => {
    columns ??= expandFields(fields, operation, entries).slice(0, maxColumns);
    for (const { name, path } of columns) known.add(path?.[0] ?? name);
    if (headerWritten) return '';
    headerWritten = true;
    return line(columns.map(({ name }) => name));
  };

  const lines = (item: Item, entries: readonly JsonText[]): string => {
    // The first page with entries decides the columns.
    if (entries.length === 0) return '';
    let out = header(entries);
    pick ??= picker(columns ?? [], operation);
    for (const entry of entries) {
      const members = isOpen ? memberMap(entry) : undefined;
      for (const key of members?.keys() ?? []) if (!known.has(key)) leaveOut(key);
      out += line(pick(entry, item, members).map(asText));
    }
    return out;
  };

  const leaveOut = (key: string): void => {
    if (known.size >= maxKnown) return;
    known.add(key);
    unreported.push(`csv: the field ${key} is left out: the header does not have it; name it with --fields`);
  };

  return {
    alwaysHasHead: true,
    head: () => head,
    rows: lines,
    close: () => (several ? '' : header([])),
    body: (item, body) => lines(item, bodyRecords(operation, body).records),
    tail: () => header([]),
    warnings: () => {
      const warnings = unreported;
      unreported = [];
      return warnings;
    },
    columns: () => columns?.map(({ name }) => name) ?? null,
  };
}

/** The columns, if they are known before the first page; else null. */
function knownColumns({ columns, fields }: FormatOptions): readonly Field[] | null {
  if (!columns) return fields === null || hasEverything(fields) ? null : fields;
  return columns.map(
    (column) => fields?.find(({ name }) => name === column) ?? { name: column, path: [column] },
  );
}

/** A row of CSV (RFC 4180), with LF: a single empty cell is quoted, so that the row is not an empty line. */
function csvLine(cells: readonly string[]): string {
  const row = cells.map(quote).join(',');
  return row === '' ? '""\n' : `${row}\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
