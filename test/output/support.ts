import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { listingEnd, listingStart, readResponse } from '../../src/output/document.ts';
import type { EntrySource, Format, FormatOptions } from '../../src/output/format.ts';
import { createFormat, type FormatName } from '../../src/output/formats.ts';
import { parseFields } from '../../src/output/parse-fields.ts';
import { type OperationName, operations } from '../../src/service/contract.ts';
import { temporaryFolder } from '../support/program.ts';

export const json = (text: string): JsonText => JsonText.of(text);

export const elements = (text: string): JsonText[] => [...JsonText.of(text).elements()];

export const item = (reference = '@demo'): EntrySource => ({ given: reference });

export interface Overrides {
  readonly fields?: string;
  readonly hasSeveral?: boolean;
  readonly terminal?: FormatOptions['terminal'];
  readonly columns?: FormatOptions['columns'];
}

export function options(operation: OperationName, overrides: Overrides = {}): FormatOptions {
  const { fields, hasSeveral = false, terminal = null, columns = null } = overrides;
  return {
    shape: operations[operation],
    fields: fields === undefined ? null : parseFields(fields, operations[operation]),
    hasSeveral,
    terminal,
    columns,
  };
}

export const screen = (columns: number): FormatOptions['terminal'] => ({ columns, color: false });

/** What is around the entries of a complete listing. */
export const listingFrame = { before: listingStart(json('{}')), after: listingEnd(false, null, null) };

export const notFound = new Failure('not_found', 'no channel "x" \u202e here', { status: 404 });

/** A complete listing in a format: its pages are JSON arrays. */
export async function listed(
  name: FormatName,
  operation: OperationName,
  overrides: Overrides,
  ...pages: readonly string[]
): Promise<string> {
  const format = await createFormat(name, options(operation, overrides));
  const start = format.open(item(), listingFrame.before);
  const rows = pages.map((page) => String(format.rows(item(), elements(page))));
  return start + rows.join('') + format.close(item(), listingFrame.after) + format.tail();
}

/** A whole response in a format. */
export function answer(format: Format, of: EntrySource, body: string, operation: OperationName): string {
  const { before, entries, after } = readResponse(json(body), operations[operation].body);
  return format.open(of, before) + format.rows(of, entries) + format.close(of, after);
}

/** Whole responses in a format; null: one that failed. */
export async function answered(
  name: FormatName,
  operation: OperationName,
  overrides: Overrides,
  ...bodies: readonly (string | null)[]
): Promise<string> {
  const format = await createFormat(name, options(operation, overrides));
  const texts = bodies.map((body) =>
    body === null ? format.failed(item(), notFound) : answer(format, item(), body, operation),
  );
  return texts.join('') + format.tail();
}

export const skipPipes = process.platform === 'win32';

/** The descriptor of a pipe that no one reads. */
export async function pipeDescriptor(t: TestContext): Promise<number> {
  const pipe = join(await temporaryFolder(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, 'r+');
  t.after(() => closeSync(fd));
  return fd;
}
