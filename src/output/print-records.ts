import type { Context } from '../context.ts';
import { sanitize } from '../text/sanitize.ts';
import { escapeUnsafe } from '../text/unsafe.ts';
import { csvLine } from './csv.ts';
import type { FormatName } from './formats.ts';
import type { Stderr } from './stderr.ts';
import { Stdout } from './stdout.ts';
import { decideTerminal } from './terminal.ts';

export interface RecordOptions<R> {
  /** `--format`; null: a table at a terminal, else ndjson. */
  readonly format: FormatName | null;
  readonly color: boolean;
  readonly context: Context;
  readonly stderr: Stderr;
  /** The members of each record: the columns of csv, and of a table unless `columns` has others. */
  readonly fields: readonly (keyof R & string)[];
  /** The columns of a table, by header. */
  readonly columns?: Readonly<Record<string, (record: R) => unknown>>;
  /** json: an array of the records, or the only one, which a table shows as a line per column. By default an array. */
  readonly document?: 'array' | 'object';
}

/**
 * Prints records of this machine (docs/scripts.md, "Formats and fields") and returns the format: ndjson
 * and csv as the records come, a table and json at the end. Throws as `Stdout.write`.
 */
export async function printRecords<R extends object>(
  records: Iterable<R> | AsyncIterable<R>,
  { format: given, color, context, stderr, fields, columns, document = 'array' }: RecordOptions<R>,
): Promise<FormatName> {
  const stdout = new Stdout(context, stderr);
  const terminal = decideTerminal(context.stdout, context.env, !color);
  const format = given ?? (terminal === null ? 'ndjson' : 'table');
  const csv = (cells: readonly string[]): string => csvLine(terminal === null ? cells : cells.map(sanitize));
  const all: R[] = [];
  if (format === 'csv') await stdout.write(csv(fields));
  for await (const record of records) {
    if (format === 'ndjson') await stdout.write(`${json(record)}\n`);
    else if (format === 'csv') await stdout.write(csv(fields.map((field) => cell(record[field]))));
    else all.push(record);
  }
  if (format === 'json')
    await stdout.write(`${json(document === 'array' ? all : all[0], terminal === null ? 0 : 2)}\n`);
  else if (format === 'table' && all.length > 0) {
    const shown = columns ?? Object.fromEntries(fields.map((field) => [field, (record: R) => record[field]]));
    const headers = Object.keys(shown);
    const rows = all.map((record) => Object.values(shown).map((value) => cell(value(record))));
    if (document === 'object') await stdout.write(lines(headers, rows[0] ?? []));
    else await stdout.write(await (await import('./table.ts')).drawTable(headers, rows, terminal));
  }
  return format;
}

/** JSON without control and bidirectional formatting characters. */
const json = (value: unknown, indent = 0): string => escapeUnsafe(JSON.stringify(value, null, indent));

/** A value in a cell: nothing for null, nested ones as JSON. */
const cell = (value: unknown): string =>
  typeof value === 'object' && value !== null ? json(value) : String(value ?? '');

/** A line per cell: its header and its value. */
function lines(headers: readonly string[], cells: readonly string[]): string {
  const width = Math.max(...headers.map((header) => header.length)) + 2;
  return headers.map((header, i) => `${header.padEnd(width)}${sanitize(cells[i] ?? '')}\n`).join('');
}
