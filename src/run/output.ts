import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type CommonOptions, effectiveFormat } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, toFailure, usage } from '../errors.ts';
import type { NamedFile, Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import { memberField, parseFields } from '../output/fields.ts';
import type { Format, Text } from '../output/format.ts';
import { createFormat, exportName, type FormatName } from '../output/formats.ts';
import type { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';
import { textWidth } from '../output/width.ts';
import type { Credits } from '../service/budget.ts';
import { thousands } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import type { Reference } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';
import type { Run } from './run.ts';

/** What `-o` names; null: stdout. Throws usage errors as `assertPaths` and `resolveTarget`. */
export async function outputTarget(
  options: NamedPaths & Pick<CommonOptions, 'output'>,
  context: Context,
): Promise<Target | null> {
  await assertPaths(options, context);
  if (options.output === null) return null;
  const { resolveTarget } = await import('../fs/output-target.ts');
  return resolveTarget(options.output);
}

export async function outputFormat({
  operation,
  options,
  references,
  context: { stdout, env },
}: Run): Promise<{ readonly format: Format; readonly isTerminalTable: boolean }> {
  const terminal = options.output === null ? decideTerminal(stdout, env, options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const fields = parseFields(options.fields, operation);
  const several = options.references.length > 1 || options.from != null;
  const referenceWidth = references.reduce(
    (width, { reference }) => Math.max(width, textWidth(reference ?? '')),
    0,
  );
  const format = await createFormat(name, { operation, fields, several, referenceWidth, terminal });
  return { format, isTerminalTable: terminal !== null && name === 'table' };
}

interface NamedPaths extends Partial<Pick<CommonOptions, 'output' | 'summary' | 'keyFile'>> {
  readonly from?: string | null | undefined;
  readonly seen?: string | null;
  readonly outputDir?: string | null;
  /** Of `show`. */
  readonly files?: readonly string[];
}

/**
 * Throws a usage error if an output of a run is another one or an input, or is in a private folder; and if `--summary` would
 * replace an archive. `exports`: the files of `--output-dir`, once they are known.
 */
export async function assertPaths(
  options: NamedPaths,
  { env }: Pick<Context, 'env'>,
  exports: readonly string[] = [],
): Promise<void> {
  const { output, outputDir, summary, from, seen, keyFile, files: shown = [] } = options;
  const envKeyFile = keyFile || env.CHANLIST_API_KEY ? null : env.CHANLIST_API_KEY_FILE;
  const named = (flag: string, path: string | null | undefined, kind: NamedFile['kind']): NamedFile[] =>
    path ? [{ flag, path, kind }] : [];
  const files = [
    ...exports.flatMap((path) => named('the export', path, 'output')),
    ...named('--output', output, 'output'),
    ...named('--output-dir', outputDir, 'output'),
    ...named('--summary', summary, 'output'),
    ...named('--seen', seen, 'output'),
    ...shown.flatMap((file) => named('FILE', file, 'input')),
    ...named('--from', from, 'input'),
    ...named('--key-file', keyFile, 'key'),
    ...named('CHANLIST_API_KEY_FILE', envKeyFile, 'key'),
  ];
  if (files.length === 0) return;
  const { assertDistinctPaths, resolveTarget } = await import('../fs/output-target.ts');
  assertDistinctPaths(files);
  // Refuses a folder or a device before anything is sent, and in a dry run.
  if (seen) resolveTarget(seen);
  // One that cannot be created is reported when the run begins.
  if (!summary || !existsSync(summary)) return;
  // Which files a folder gets is known only after the first summary.
  if (outputDir && existsSync(outputDir) && realpathSync(outputDir) === realpathSync(dirname(summary)))
    if (exportName.test(basename(summary)))
      throw usage(`--summary ${summary} has the name of an archive`, 'name another file');
  const { assertNotArchive } = await import('../fs/private-folder.ts');
  assertNotArchive(resolveTarget(summary));
}

/** Prints references one after another; each has its place in a json document, however the run ends. */
export async function printAll(
  run: Run,
  format: Format,
  write: (text: Text) => Promise<void>,
  print: (reference: Reference) => Promise<Result>,
): Promise<readonly Result[]> {
  const { references } = run;
  const results: Result[] = [];
  try {
    for (const reference of references) {
      results.push(await print(reference));
      if (run.hasReaderLeft) break;
    }
    if (!run.hasReaderLeft) await write(format.tail());
  } catch (error) {
    if (error instanceof ClosedPipe) run.hasReaderLeft = true;
    else run.end(toFailure(error));
  }
  for (const warning of format.warnings()) run.warn('format', null, warning);
  return [
    ...results,
    ...references.slice(results.length).map((reference) => unreachedResult(reference, run.stopped)),
  ];
}

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
  const fields = shown.map(memberField);
  const format = await createFormat(name, { operation, fields, several: false, terminal });
  const item = { reference: null };
  const batch: JsonText[] = [];
  for await (const record of records) {
    const value = isTable ? Object.fromEntries(shown.map((key) => [key, cell(record[key], words)])) : record;
    batch.push(JsonText.of(JSON.stringify(value)));
    if (name !== 'json' && name !== 'table') await stdout.write(format.rows(item, batch.splice(0)));
  }
  const [first] = batch;
  if (document === 'object' && first !== undefined)
    await stdout.write(isTable ? recordLines(first) : format.body(item, first));
  else {
    await stdout.write(format.open(item, null));
    if (batch.length > 0) await stdout.write(format.rows(item, batch));
    await stdout.write(format.close(item, { hasMore: false, token: null, failure: null }) + format.tail());
  }
  const width = terminal?.columns ?? Number.POSITIVE_INFINITY;
  const fit = (line: string): string => (line.length > width ? `${line.slice(0, width - 1)}…` : line);
  if (isTable) for (const line of options.footer?.() ?? []) await stdout.write(`${fit(line)}\n`);
}

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

function recordLines(record: JsonText): string {
  const members = [...record.members()];
  const width = Math.max(...members.map(([key]) => key.length)) + 2;
  return members.map(([key, value]) => `${key.padEnd(width)}${sanitize(value.plain())}\n`).join('');
}
