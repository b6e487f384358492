import { JsonText } from '../json/json-text.ts';
import { wrap } from '../text/wrap.ts';
import { arrayFrame, noFrame } from './document.ts';
import type { Field } from './format.ts';
import type { FormatName } from './formats.ts';
import { render } from './render.ts';
import type { Streams } from './stdout.ts';
import { defaultFormat } from './terminal.ts';

export interface RowOptions<R> {
  /** `--format`; null for a table at a terminal, and ndjson elsewhere. */
  readonly format: FormatName | null;
  /** The members of each row that are printed, in this order. */
  readonly fields: readonly (keyof R & string)[];
  /** Returns the members that a table shows of a row; by default the row itself. */
  readonly tableRow?: (row: R) => Readonly<Record<string, unknown>>;
  /** The columns of csv, with nested members written as `problem.code`; by default `fields`. */
  readonly csvColumns?: readonly string[];
  /** True if there is one row: json is then the object itself, and a table has a line for each of its members. */
  readonly isSingle?: boolean;
  /** Lines below a table. */
  readonly footer?: readonly string[];
}

/** Prints local rows: ndjson and csv as they arrive, a table and json at the end. */
export async function printRows<R extends object>(
  rows: Iterable<R> | AsyncIterable<R>,
  options: RowOptions<R>,
  { stdout }: Pick<Streams, 'stdout'>,
): Promise<void> {
  const { fields, isSingle = false, footer = [] } = options;
  const { tableRow = (row: R): object => row, csvColumns = fields } = options;
  const { terminal } = stdout;
  const format = options.format ?? defaultFormat(terminal);
  const isTable = format === 'table';
  const words = isSingle ? { null: 'none', true: 'yes', false: 'no' } : { null: '-', true: '*', false: '' };

  const cellsOf = (row: R): object =>
    Object.fromEntries(Object.entries(tableRow(row)).map(([key, value]) => [key, cell(value, words)]));
  async function* batches(): AsyncGenerator<JsonText[], void> {
    const batch: JsonText[] = [];
    for await (const row of rows) {
      const value = isTable ? cellsOf(row) : row;
      batch.push(JsonText.of(JSON.stringify(value)));
      if (format === 'ndjson' || format === 'csv') yield batch.splice(0);
    }
    yield batch;
  }

  if (isTable && !isSingle) stdout.usePager();
  const body = isSingle ? 'object' : 'rows';
  const rendering = {
    format,
    // A table shows the members of its rows, in their order.
    shape: { fields: isTable ? [] : fields, documentedFields: [], idField: '', body },
    fields: isTable ? null : (format === 'csv' ? csvColumns : fields).map(fieldAt),
    terminal,
    isReport: true,
    frame: isSingle ? noFrame : arrayFrame,
  } as const;
  await render(batches, false, rendering, (text) => stdout.write(text));
  const columns = terminal?.columns ?? Number.POSITIVE_INFINITY;
  if (isTable) for (const line of footer) await stdout.write(`${wrap(line, columns).join('\n')}\n`);
}

/** `problem.code` is the member `code` of `problem`. */
const fieldAt = (name: string): Field => ({ name, path: name.split('.') });

const isoTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Formats a value for a table: null and booleans as words, a time in UTC without its seconds. */
function cell(value: unknown, words: Record<'null' | 'true' | 'false', string>): unknown {
  if (value === null || typeof value === 'boolean') return words[`${value}`];
  const isTime = typeof value === 'string' && isoTimePattern.test(value);
  return isTime ? `${value.slice(0, 16).replace('T', ' ')}Z` : value;
}
