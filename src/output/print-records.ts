import type { Context } from '../context.ts';
import { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { memberField } from './fields.ts';
import { createFormat, type FormatName } from './formats.ts';
import type { Stderr } from './stderr.ts';
import { Stdout } from './stdout.ts';
import { decideTerminal } from './terminal.ts';

export interface RecordOptions<R> {
  /** `--format`; null: a table at a terminal, else ndjson. */
  readonly format: FormatName | null;
  readonly color: boolean;
  readonly context: Context;
  readonly stderr: Stderr;
  /** The members of each record that are printed, in this order. */
  readonly fields: readonly (keyof R & string)[];
  /** The columns of a table, by header, if they are others. */
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
  { format: requested, color, context, stderr, fields, columns, document = 'array' }: RecordOptions<R>,
): Promise<FormatName> {
  const stdout = new Stdout(context, stderr);
  const terminal = decideTerminal(context.stdout, context.env, color);
  const name = requested ?? (terminal === null ? 'ndjson' : 'table');
  const cells = name === 'table' ? columns : undefined;
  const shown = cells === undefined ? fields : Object.keys(cells);
  const body = document === 'array' ? 'records' : 'record';
  const operation = { name: 'records', fields: shown, documentedFields: [], idField: '', body } as const;
  const format = await createFormat(name, {
    operation,
    fields: shown.map(memberField),
    several: false,
    terminal,
  });
  const item = { reference: null };
  const batch: JsonText[] = [];
  for await (const record of records) {
    const value =
      cells === undefined
        ? record
        : Object.fromEntries(shown.map((header) => [header, cells[header]?.(record)]));
    batch.push(JsonText.of(JSON.stringify(value)));
    if (name === 'ndjson' || name === 'csv') await stdout.write(format.rows(item, batch.splice(0)));
  }
  const [first] = batch;
  if (document === 'object' && first !== undefined)
    await stdout.write(name === 'table' ? lines(first) : format.body(item, first));
  else {
    await stdout.write(format.open(item, null));
    if (batch.length > 0) await stdout.write(format.rows(item, batch));
    await stdout.write(format.close(item, { hasMore: false, token: null, failure: null }) + format.tail());
  }
  return name;
}

/** A line per member: its key and its value. */
function lines(record: JsonText): string {
  const members = [...record.members()];
  const width = Math.max(...members.map(([key]) => key.length)) + 2;
  return members.map(([key, value]) => `${key.padEnd(width)}${sanitize(value.plain())}\n`).join('');
}
