import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { effectiveFormat, type ShowOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { AtomicFile } from '../fs/atomic.ts';
import { assertDistinctPaths, type NamedFile } from '../fs/distinct-paths.ts';
import { refuseRecorded } from '../fs/private-folder.ts';
import { readChunks, splitLines } from '../fs/text-input.ts';
import { document } from '../help/document.ts';
import { JsonText } from '../json/json-text.ts';
import { parseFields, shownEntries } from '../output/fields.ts';
import type { Format, Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { Stderr } from '../output/stderr.ts';
import { decideTerminal } from '../output/terminal.ts';
import { openOutput, outputTarget } from '../run/output.ts';
import { count } from '../text/count.ts';
import { excerpt } from '../text/excerpt.ts';

/** Entries per batch: csv takes its columns from the first one, a table its widths. */
const batchEntries = 100;
/** Longest line, and largest batch (bytes). */
const maxBytes = 64 * 1024 * 1024;
const byteOrderMark = Buffer.from('\ufeff');

/** Adds the argument and the help of `chanlist show`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('<file...>', 'ndjson exports; - is stdin');
  document(
    command,
    [
      'Prints the entries of ndjson exports in any format. Free and offline: it needs no account and sends nothing.',
    ],
    [
      ['look at an export as a table', 'chanlist show demo.ndjson'],
      [
        'write some fields of all exports for a spreadsheet',
        'chanlist show lists/*.ndjson --fields videoId,title,@views,@seconds -o all.csv',
      ],
    ],
  );
  command.action((files: string[]) => start(run, { ...command.optsWithGlobals<ShowOptions>(), files }));
}

/** Prints the entries of ndjson files (docs/scripts.md, "Formats and fields"). Offline. */
export async function run(options: ShowOptions, context: Context): Promise<number> {
  const { files, output } = options;
  const inputs = files.map((path): NamedFile => ({ flag: 'FILE', path, isOutput: false }));
  assertDistinctPaths(output === null ? inputs : [...inputs, { flag: '-o', path: output, isOutput: true }]);
  const stderr = new Stderr(context, options);
  const fields = options.fields === null ? null : parseFields(options.fields, shownEntries);
  const terminal = output === null ? decideTerminal(context.stdout, context.env, !options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const format = await createFormat(name, { operation: shownEntries, fields, several: false, terminal });
  const target = await outputTarget(options);
  if (target !== null) refuseRecorded(target);
  const file = target?.kind === 'file' ? new AtomicFile(target) : null;
  const sink = file ?? (await openOutput(target, context, options, stderr));
  const { entries, failure } = await printEntries(options, context, format, sink);
  for (const warning of format.warnings()) stderr.warn(warning);
  if (failure !== null) {
    file?.discard();
    stderr.failure(failure);
    return failure.exit;
  }
  const problem = file?.commit() ?? null;
  if (problem !== null) stderr.warn(problem.line());
  stderr.note(`${count(entries, 'entry', 'entries')}${output === null ? '' : `; in ${output}`}`);
  return 0;
}

/** Prints the entries of all files as one document. Returns what ended them; the document is complete even so. */
async function printEntries(
  { files, limit }: ShowOptions,
  { stdin, stop }: Context,
  format: Format,
  output: { write(text: Text): void | Promise<void> },
): Promise<{ entries: number; failure: Failure | null }> {
  const item = { reference: null };
  let failure: Failure | null = null;
  let entries = 0;
  let batch: JsonText[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await output.write(format.rows(item, batch));
    entries += batch.length;
    batch = [];
    bytes = 0;
  };
  await output.write(format.head() + format.open(item, null));
  try {
    for (const file of files) {
      const name = file === '-' ? 'stdin' : excerpt(file);
      const source = { problem: `cannot read ${name}`, hint: 'name ndjson exports', stop };
      let left = limit ?? Number.POSITIVE_INFINITY;
      let number = 0;
      for await (const line of splitLines(readChunks(file === '-' ? stdin : file, source), maxBytes)) {
        const record = recordOf(line, `${name}:${++number}`);
        if (record === null) continue;
        batch.push(record);
        bytes += line.length;
        if (batch.length === batchEntries || bytes >= maxBytes) await flush();
        if (--left === 0) break;
      }
    }
  } catch (error) {
    if (error instanceof ClosedPipe) throw error;
    failure = toFailure(error);
  }
  await flush();
  await output.write(format.close(item, { hasMore: false, token: null, failure }) + format.tail());
  return { entries, failure };
}

/** The record of a line; null if it is blank. */
function recordOf(line: Buffer, place: string): JsonText | null {
  const isMarked = line[0] === byteOrderMark[0] && line.indexOf(byteOrderMark) === 0;
  const text = isMarked ? line.subarray(byteOrderMark.length) : line;
  let problem = 'not a record (a JSON object)';
  if (text.length > maxBytes) problem = 'longer than 64 MiB';
  else if (!isUtf8(text)) problem = 'not UTF-8';
  else {
    const record = JsonText.parse(text);
    if (record?.kind === 'object') return record;
    if (record === null && text.toString().trim() === '') return null;
    if (record === null) problem = 'not valid JSON';
  }
  throw new Failure('damaged', `${place}: ${problem}`, { hint: 'fix or remove the line' });
}
