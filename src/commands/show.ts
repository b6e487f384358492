import { isUtf8 } from 'node:buffer';
import type { OutputOptions } from '../cli/options.ts';
import type { Argument } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, excerpt, Failure, toFailure, usage } from '../errors.ts';
import { AtomicFile } from '../fs/atomic.ts';
import { refuseRecorded } from '../fs/private-folder.ts';
import { readByteLines, requireReadable, type Unreadable } from '../fs/text-input.ts';
import type { Example } from '../help/document.ts';
import { JsonText } from '../json/json-text.ts';
import { shownEntries } from '../output/fields.ts';
import type { Format, Text } from '../output/format.ts';
import { Stderr } from '../output/stderr.ts';
import { openOutput, outputFormat, outputTarget } from '../run/output.ts';
import { count } from '../text/count.ts';
import { shellQuote } from '../text/shell-quote.ts';

/** Entries per batch: csv takes its columns from the first one, a table its widths. */
const batchEntries = 100;
/** Longest line, and largest batch (bytes). */
const maxBytes = 64 * 1024 * 1024;
const byteOrderMark = Buffer.from('\ufeff');

export const args: readonly Argument[] = [['files', '<file...>', 'ndjson exports; - is stdin']];

export const about = [
  'Prints the entries of ndjson exports in any format. Free and offline: it needs no account and sends nothing.',
];

export const examples: readonly Example[] = [
  ['print an export as a table', 'chanlist show demo.ndjson'],
  [
    'write some fields of all exports for a spreadsheet',
    'chanlist show lists/*.ndjson --fields videoId,title,@views,@seconds -o all.csv',
  ],
];

interface ShowOptions extends OutputOptions {
  readonly files: readonly string[];
  /** Per file. */
  readonly limit: number | null;
}

/** Prints the entries of ndjson files (docs/scripts.md, "Formats and fields"). Offline. */
export async function run(options: ShowOptions, context: Context): Promise<number> {
  const { output } = options;
  const stderr = new Stderr(context, options);
  const target = await outputTarget(options, context);
  for (const file of options.files) if (file !== '-') requireReadable(file, unreadable(file));
  const { format } = await outputFormat(shownEntries, options, context, false);
  if (target !== null) refuseRecorded(target);
  using file = target?.kind === 'file' ? new AtomicFile(target) : null;
  const sink = file ?? (await openOutput(target, context, stderr));
  const { entries, failure } = await printEntries(options, context, format, sink);
  for (const warning of format.warnings()) stderr.warn(warning);
  if (failure !== null) {
    stderr.printFailure(failure);
    return failure.exit;
  }
  file?.commit();
  stderr.note(`${count(entries, 'entry', 'entries')}${output === null ? '' : `; in ${output}`}`);
  return 0;
}

/** Prints the entries of all files as one document. Returns what ended them; the document is complete even so. */
async function printEntries(
  { files, limit }: ShowOptions,
  { stdin, stop }: Context,
  format: Format,
  sink: { write(text: Text): void | Promise<void> },
): Promise<{ entries: number; failure: Failure | null }> {
  const item = { reference: null };
  let failure: Failure | null = null;
  let entries = 0;
  let batch: JsonText[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await sink.write(format.rows(item, batch));
    entries += batch.length;
    batch = [];
    bytes = 0;
  };
  await sink.write(format.open(item, null));
  try {
    for (const file of files) {
      const lines = readByteLines(file === '-' ? stdin : file, maxBytes, unreadable(file), stop);
      let left = limit ?? Number.POSITIVE_INFINITY;
      let number = 0;
      for await (const line of lines) {
        const record = recordOf(line, file, ++number);
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
  await sink.write(format.close(item, { hasMore: false, token: null, failure }) + format.tail());
  return { entries, failure };
}

const nameOf = (file: string): string => (file === '-' ? 'stdin' : excerpt(file));

const unreadable =
  (file: string): Unreadable =>
  (why) =>
    usage(`cannot read ${nameOf(file)}: ${why}`, 'name ndjson exports');

/** The record of a line; null if it is blank. */
function recordOf(line: Buffer, file: string, number: number): JsonText | null {
  const text = line.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? line.subarray(3) : line;
  const isText = text.length <= maxBytes && isUtf8(text);
  const record = isText ? JsonText.parse(text) : null;
  const place = `${nameOf(file)}:${number}`;
  if (record?.kind === 'object') {
    if (record.get('results')?.kind !== 'array') return record;
    const hint = `print its entries with: jq -c '.results[]' ${shellQuote(file)} | chanlist show -`;
    throw new Failure('damaged', `${place}: a listing in json, not an ndjson record`, { hint });
  }
  if (isText && record === null && text.toString().trim() === '') return null;
  const expected = 'a JSON object in UTF-8, at most 64 MiB long';
  throw new Failure('damaged', `${place}: not a record (${expected})`, {
    hint: `show reads ndjson exports${number === 1 ? ', no other format' : '; fix or remove the line'}`,
  });
}
