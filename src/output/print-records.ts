import type { Context } from '../context.ts';
import { JsonText } from '../json/json-text.ts';
import type { Credits } from '../service/budget.ts';
import { thousands } from '../text/count.ts';
import { arrayFrame, noFrame } from './document.ts';
import { memberField } from './fields.ts';
import type { Field } from './format.ts';
import type { FormatName } from './formats.ts';
import { render } from './render.ts';
import type { Stderr } from './stderr.ts';
import { Stdout } from './stdout.ts';
import { decideTerminal, defaultFormat } from './terminal.ts';
import { cut } from './width.ts';

export interface RecordOptions<R> {
  /** `--format`; null: a table at a terminal, else ndjson. */
  readonly format: FormatName | null;
  readonly color: boolean;
  readonly context: Context;
  readonly stderr: Stderr;
  /** The members of each record that are printed, in this order. */
  readonly fields: readonly (keyof R & string)[];
  /** The members that a table shows; by default all. */
  readonly columns?: readonly (keyof R & string)[];
  /** There is one record: json is the object itself, a table has a line for each of its members. */
  readonly isSingle?: boolean;
  /** Lines of ASCII below a table. */
  readonly footer?: () => readonly string[];
}

/** Prints records of this machine: ndjson and csv as they come, a table and json at the end. */
export async function printRecords<R extends object>(
  records: Iterable<R> | AsyncIterable<R>,
  options: RecordOptions<R>,
): Promise<void> {
  const { context, stderr, isSingle = false, footer = () => [] } = options;
  const terminal = decideTerminal(context.stdout, context.env, options.color);
  const format = options.format ?? defaultFormat(terminal);
  const isTable = format === 'table';
  const shown = (isTable && options.columns) || options.fields;
  const words = isSingle ? { null: 'none', true: 'yes', false: 'no' } : { null: '-', true: '*', false: '' };

  async function* batches(): AsyncGenerator<JsonText[], void> {
    const batch: JsonText[] = [];
    for await (const record of records) {
      const value = isTable
        ? Object.fromEntries(shown.map((key) => [key, cell(record[key], words)]))
        : record;
      batch.push(JsonText.of(JSON.stringify(value)));
      if (format === 'ndjson' || format === 'csv') yield batch.splice(0);
    }
    yield batch;
  }

  const stdout = new Stdout(context, stderr, isTable && !isSingle);
  const rendering = {
    format,
    operation: { fields: shown, documentedFields: [], idField: '', body: isSingle ? 'record' : 'records' },
    fields: format === 'csv' ? shown.flatMap(flatFields) : shown.map(memberField),
    terminal,
    isReport: true,
    frame: isSingle ? noFrame : arrayFrame,
  } as const;
  await render(batches, false, rendering, (text) => stdout.write(text));
  const columns = terminal?.columns ?? Number.POSITIVE_INFINITY;
  if (isTable) for (const line of footer()) await stdout.write(`${cut(line, columns)}\n`);
}

const sums = ['confirmed', 'possibly_charged'];
const nested: Readonly<Record<string, readonly string[]>> = {
  problem: ['code', 'message', 'fix'],
  today: sums,
  total: sums,
};

/** The columns of a member in csv: one for each of its own members. */
const flatFields = (name: string): readonly Field[] =>
  nested[name]?.map((key) => ({ name: `${name}.${key}`, path: [name, key] })) ?? [memberField(name)];

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A value in a table: a time without its seconds, in UTC, a problem by its code, `1,234 (+1)`: the latter possibly charged. */
function cell(value: unknown, words: Record<'null' | 'true' | 'false', string>): unknown {
  if (value === null || typeof value === 'boolean') return words[`${value}`];
  if (typeof value === 'string')
    return isoTime.test(value) ? `${value.slice(0, 16).replace('T', ' ')}Z` : value;
  if (typeof value !== 'object') return value;
  if ('code' in value) return value.code;
  if (!('confirmed' in value)) return value;
  const { confirmed, possibly_charged } = value as Credits;
  return thousands(confirmed) + (possibly_charged === 0 ? '' : ` (+${thousands(possibly_charged)})`);
}
