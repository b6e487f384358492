import { isUtf8 } from 'node:buffer';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Argument, Example, RunCommand } from '../cli/command-module.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Failure, toFailure, usage } from '../errors.ts';
import { assertNotArchive, pagesName, privateFolderOf } from '../fs/archive-names.ts';
import { AtomicFile } from '../fs/atomic.ts';
import { isFolder, withFileErrors } from '../fs/files.ts';
import { linesOf } from '../fs/line-chunks.ts';
import { inputName, readChunks, withoutByteOrderMark } from '../fs/text-input.ts';
import { JsonText } from '../json/json-text.ts';
import { maxJsonSize } from '../json/scanner.ts';
import { arrayFrame } from '../output/document.ts';
import { assertPresent, fileShape, parseFields } from '../output/parse-fields.ts';
import { entriesOf, render } from '../output/render.ts';
import { defaultFormat } from '../output/terminal.ts';
import { outputTarget } from '../run/named-files.ts';
import { shellQuote } from '../text/command.ts';
import { count } from '../text/count.ts';

export const args: readonly Argument[] = [['files', '<file...>', 'ndjson exports; - is stdin']];

export const about = [
  'Prints the entries of ndjson exports in any format. Free and offline: it needs no account and sends nothing.',
];

export const examples: readonly Example[] = [
  ['print an export as a table', 'chanlist show demo.ndjson'],
  ['write a spreadsheet', 'chanlist show lists/*.ndjson --fields videoId,title,_views,_seconds -o all.csv'],
];

/** Number of entries of each file that determine the columns of a table. */
const sampleSize = 100;

type ShowOptions = CommonOptions & { readonly files: readonly string[] };

export const run: RunCommand<ShowOptions> = async (options, { context, stdout, stderr }) => {
  const { output, files } = options;
  const target = outputTarget(options, context);
  if (files.includes('-')) stderr.announceInput(context.stdin);
  for (const path of files) if (path !== '-') assertShowable(path);
  const terminal = output === null ? stdout.terminal : null;
  const fields = parseFields(options.fields, fileShape);
  const format = options.format ?? defaultFormat(terminal);
  if (target !== null) assertNotArchive(target);
  let printed = 0;
  let thrown: unknown = null;
  const read = async function* (limit = options.limit) {
    printed = 0;
    thrown = null;
    try {
      for (const path of files)
        for await (const batch of entriesOfFile(path, limit, context)) {
          printed += batch.length;
          yield batch;
        }
    } catch (error) {
      // Report the error only after the entries before it are printed, as a complete document.
      thrown = error;
    }
  };
  // A csv with every key, and a table of several files, need a second read: the first one finds their columns.
  const isRepeatable = files.every((path) => path !== '-' && statSync(path).isFile());
  if (isRepeatable && fields !== null)
    await assertPresent(fields, read(null)).catch((error) => {
      // If a line cannot be read, report that instead, once the entries before it are printed.
      if (thrown === null) throw error;
    });
  const sample: JsonText[] = [];
  if (isRepeatable && format === 'table' && files.length > 1)
    for await (const batch of read(Math.min(options.limit ?? sampleSize, sampleSize))) sample.push(...batch);
  using file = target === null ? null : new AtomicFile(target);
  if (file === null && format === 'table') stdout.usePager();
  const sink = file ?? stdout;
  const rendering = { format, shape: fileShape, fields, sample, terminal, frame: arrayFrame };
  const warnings = await render(read, isRepeatable, rendering, (text) => sink.write(text));
  for (const warning of warnings) stderr.warn(warning);
  if (thrown !== null) {
    const failure = toFailure(thrown);
    stderr.printFailure(failure);
    return failure.exit;
  }
  file?.commit();
  if (output !== null) stderr.note(`${count(printed, 'entry', 'entries')}; in ${output}`);
  else if (printed === 0) stderr.note('0 entries');
  return 0;
};

/** Throws a usage error for a path that is certainly not a file of entries. */
function assertShowable(path: string): void {
  if (isFolder(path)) {
    const pattern = join(path, '*.ndjson');
    const unix = `${shellQuote(dirname(pattern))}/*.ndjson`;
    // PowerShell does not expand patterns for programs.
    const files = process.platform === 'win32' ? `(Convert-Path ${shellQuote(pattern)})` : unix;
    throw usage(`${inputName(path)} is a folder`, `give its exports: chanlist show ${files}`);
  }
  const pages = join(privateFolderOf(dirname(path)), pagesName(basename(path)));
  if (!existsSync(path) && existsSync(pages))
    throw usage(`the export of ${path} is not complete`, {
      purpose: 'to see how to resume it',
      program: 'chanlist check',
      operands: [path],
    });
  withFileErrors(path, 'input', () => accessSync(path, constants.R_OK));
}

/** Yields the entries of a file, at most `limit`. Throws `damaged` for a line that is not a record. */
async function* entriesOfFile(path: string, limit: number | null, { stdin, stop }: Context) {
  let number = 0;
  let remaining = limit ?? Number.POSITIVE_INFINITY;
  const unreadable = (why: string) => usage(`cannot read ${inputName(path)}: ${why}`, 'give ndjson exports');
  const lines = linesOf(readChunks(path === '-' ? stdin : path, unreadable, stop));
  for await (const batch of entriesOf(lines, (line) => parseLine(line, path, ++number))) {
    yield batch.slice(0, remaining);
    remaining -= batch.length;
    if (remaining <= 0) return;
  }
}

/** Parses a line into a record; returns null if it is blank. `line`: null if it was too long. */
function parseLine(line: Buffer | null, file: string, number: number): JsonText | null {
  const text = line !== null && number === 1 ? withoutByteOrderMark(line) : line;
  const isText = text !== null && isUtf8(text);
  const record = isText ? JsonText.parse(text) : null;
  // The JSON document of a whole listing is not an entry.
  const isDocument = record?.get('results')?.kind === 'array' && record.get('videoId') === undefined;
  if (record?.kind === 'object' && !isDocument) return record;
  if (isText && record === null && text.toString().trim() === '') return null;
  const problem = isText ? 'not a record (a JSON object)' : 'not UTF-8 text';
  const what = line === null ? `longer than ${maxJsonSize}` : problem;
  throw new Failure('damaged', `${inputName(file)}:${number}: ${what}`, {
    step: `show reads ndjson exports${number === 1 ? ', no other format' : '; fix or remove the line'}`,
  });
}
