import type { linesOf } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';
import { expandFields, hasWildcard } from './fields.ts';
import type { Field, FormatOptions, Item, ListingEnd, Text } from './format.ts';
import { createFormat, type FormatName } from './formats.ts';
import { maxColumns, recordKeys } from './records.ts';

/** Entries per batch: a table takes its widths from the first one, a csv that is read only once its columns. */
const batchEntries = 100;
const maxBatchBytes = 64 * 1024 * 1024;

interface Rendering extends Omit<FormatOptions, 'several' | 'columns'> {
  readonly format: FormatName;
  readonly item: Item;
  readonly info: JsonText | null;
  readonly end: ListingEnd;
}

/**
 * Renders entries in a format: the view of an export, and what `show` prints. `read` reads the entries in batches, each valid
 * until the next one; if it can do so twice (`isRepeatable`), csv has every key that occurs. Returns warnings; throws what
 * `read` and `write` throw. `info`: `Format.open`.
 */
export async function render(
  read: () => AsyncIterable<readonly JsonText[]>,
  isRepeatable: boolean,
  { format: name, item, info, end, ...options }: Rendering,
  write: (text: Text) => void | Promise<void>,
): Promise<readonly string[]> {
  const columns = name === 'csv' && isRepeatable ? await columnsOf(read, options) : null;
  const format = await createFormat(name, { ...options, several: false, columns });
  await write(format.open(item, info));
  for await (const entries of read()) await write(format.rows(item, entries));
  await write(format.close(item, end) + format.tail());
  return format.warnings();
}

/** The columns of a csv that has every key of these entries; null if `--fields` names them. */
async function columnsOf(
  read: Parameters<typeof render>[0],
  { fields, operation }: Pick<Rendering, 'fields' | 'operation'>,
): Promise<readonly Field[] | null> {
  if (!hasWildcard(fields)) return null;
  const keys = new Set<string>();
  for await (const batch of read())
    for (const key of recordKeys(batch)) if (keys.size <= maxColumns) keys.add(key);
  return expandFields(fields, operation, keys);
}

/** The entries of lines, in batches. `parse`: the entry of a line; null leaves it out. Entries read before an error are yielded first. */
export async function* entriesOf(
  lines: ReturnType<typeof linesOf>,
  parse: (line: Buffer | null) => JsonText | null,
): AsyncGenerator<readonly JsonText[], void> {
  let batch: JsonText[] = [];
  let bytes = 0;
  try {
    for await (const some of lines) {
      for (const [at, line] of some.entries()) {
        // A batch may outlive the lines at the end of theirs.
        const isLast = some.length - at <= batchEntries;
        const entry = parse(isLast && line !== null ? Buffer.from(line) : line);
        if (entry === null) continue;
        batch.push(entry);
        bytes += line?.length ?? 0;
        if (batch.length < batchEntries && bytes < maxBatchBytes) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
