import type { linesOf } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';

/** Entries per batch: a table takes its widths from the first one, a csv that is read only once its columns. */
const batchEntries = 100;
const maxBatchBytes = 64 * 1024 * 1024;

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
