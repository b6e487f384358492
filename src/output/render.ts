import type { linesOf } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';
import { maxJsonBytes } from '../json/scanner.ts';
import type { Frame } from './document.ts';
import { entryKeys, expandFields, hasWildcard, maxColumns } from './fields.ts';
import type { Chunk, EntrySource, Field, Format, FormatOptions } from './format.ts';
import { createFormat, type FormatName } from './formats.ts';

/** Entries per batch. The first batch decides the widths of a table, and the columns of a csv that is read only once. */
const batchEntries = 100;

/** Entries in batches, each valid until the next one. */
type Batches = Iterable<readonly JsonText[]> | AsyncIterable<readonly JsonText[]>;

type Write = (text: Chunk) => void | Promise<void>;

/** Writes the entries of one reference, or of files, as one document. */
export async function writeEntries(
  format: Format,
  source: EntrySource,
  { before, after }: Frame,
  batches: Batches,
  write: Write,
): Promise<void> {
  // Written with the first entries: a failure before them prints a document of its own.
  let opening = format.open(source, before);
  for await (const entries of batches) {
    await write(opening);
    opening = '';
    await write(format.rows(source, entries));
  }
  await write(opening + format.close(source, after));
}

interface Rendering extends Omit<FormatOptions, 'hasSeveral' | 'columns'> {
  readonly format: FormatName;
  readonly frame: Frame;
  readonly source?: EntrySource;
}

/**
 * Renders entries that are on this machine. If they can be read twice (`isRepeatable`), csv has a column for every key.
 * Returns warnings; throws what `read` and `write` throw.
 */
export async function render(
  read: () => Batches,
  isRepeatable: boolean,
  { format: name, frame, source = { given: null }, ...options }: Rendering,
  write: Write,
): Promise<readonly string[]> {
  const columns = name === 'csv' && isRepeatable ? await columnsOf(read(), options) : null;
  const format = await createFormat(name, { ...options, hasSeveral: false, columns });
  await writeEntries(format, source, frame, read(), write);
  await write(format.tail());
  return format.warnings();
}

/** Finds the columns of a csv that has every key of these entries; null if `--fields` names them. */
async function columnsOf(
  batches: Batches,
  { fields, shape }: Pick<Rendering, 'fields' | 'shape'>,
): Promise<readonly Field[] | null> {
  if (!hasWildcard(fields)) return null;
  const keys = new Set<string>();
  for await (const batch of batches)
    for (const key of entryKeys(batch)) if (keys.size <= maxColumns) keys.add(key);
  // Lines that are not videos get no columns for the fields of videos.
  const isOther = shape.body === 'rows' && keys.size > 0 && !keys.has(shape.idField);
  return expandFields(fields, isOther ? { ...shape, fields: [...keys] } : shape, keys);
}

/** Yields the entries of lines in batches, the last one even before an error. `parse` returns null to skip a line. */
export async function* entriesOf(
  lines: ReturnType<typeof linesOf>,
  parse: (line: Buffer | null) => JsonText | null,
): AsyncGenerator<readonly JsonText[], void> {
  let batch: JsonText[] = [];
  let bytes = 0;
  try {
    for await (const chunk of lines)
      for (const line of chunk) {
        // Copied, because a batch outlives the chunk of its lines.
        const entry = parse(line && Buffer.from(line));
        if (entry === null) continue;
        batch.push(entry);
        bytes += line?.length ?? 0;
        if (batch.length < batchEntries && bytes < maxJsonBytes) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
