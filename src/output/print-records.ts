import type { Context } from '../context.ts';
import { JsonText } from '../json/json-text.ts';
import type { Credits } from '../service/budget.ts';
import { thousands } from '../text/count.ts';
import { memberField } from './fields.ts';
import type { Field } from './format.ts';
import { createFormat, type FormatName } from './formats.ts';
import type { Stderr } from './stderr.ts';
import { Stdout } from './stdout.ts';
import { decideTerminal } from './terminal.ts';
import { cut } from './width.ts';

export interface RecordOptions<R> {
  /** `--format`; null: a table at a terminal, else ndjson. */
  readonly format: FormatName | null;
  readonly color: boolean;
  readonly context: Context;
  readonly stderr: Stderr;
  /** The members of each record that are printed, in this order. */
  readonly fields: readonly (keyof R & string)[];
  /** Those that a table shows; by default all. */
  readonly columns?: readonly (keyof R & string)[];
  /** json: an array of the records, or the only one, which a table shows as a line per column. By default an array. */
  readonly document?: 'array' | 'object';
  /** Lines of ASCII below a table. */
  readonly footer?: () => readonly string[];
}

/** Prints records of this machine: ndjson and csv as they come, a table and json at the end. */
export async function printRecords<R extends object>(
  records: Iterable<R> | AsyncIterable<R>,
  options: RecordOptions<R>,
): Promise<void> {
  const { context, stderr, document = 'array' } = options;
  const terminal = decideTerminal(context.stdout, context.env, options.color);
  const name = options.format ?? (terminal === null ? 'ndjson' : 'table');
  const isTable = name === 'table';
  const stdout = new Stdout(context, stderr, isTable && document === 'array');
  const shown = (isTable && options.columns) || options.fields;
  const words =
    document === 'array' ? { null: '-', true: '*', false: '' } : { null: 'none', true: 'yes', false: 'no' };
  const body = document === 'array' ? 'records' : 'record';
  const operation = { fields: shown, documentedFields: [], idField: '', body } as const;
  const fields = name === 'csv' ? shown.flatMap(flatFields) : shown.map(memberField);
  const format = await createFormat(name, { operation, fields, several: false, terminal, isReport: true });
  const item = { reference: null };
  const batch: JsonText[] = [];
  for await (const record of records) {
    const value = isTable ? Object.fromEntries(shown.map((key) => [key, cell(record[key], words)])) : record;
    batch.push(JsonText.of(JSON.stringify(value)));
    if (name !== 'json' && name !== 'table') await stdout.write(format.rows(item, batch.splice(0)));
  }
  const [first] = batch;
  if (document === 'object' && first !== undefined) await stdout.write(format.body(item, first));
  else {
    await stdout.write(format.open(item, null));
    if (batch.length > 0) await stdout.write(format.rows(item, batch));
    await stdout.write(format.close(item, { hasMore: false, token: null, failure: null }) + format.tail());
  }
  const columns = terminal?.columns ?? Number.POSITIVE_INFINITY;
  if (isTable) for (const line of options.footer?.() ?? []) await stdout.write(`${cut(line, columns)}\n`);
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
