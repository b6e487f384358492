import { readSync } from 'node:fs';
import { CARRIAGE_RETURN, LINE_FEED } from '../json/byte-writer.ts';
import { maxJsonBytes } from '../json/scanner.ts';
import { withFileErrors } from './files.ts';

const chunkBytes = 128 * 1024;

/** Yields an open file, or a part of it, in chunks, each valid until the next one. Throws if `stop` is aborted. */
export async function* chunksOf(
  fd: number,
  path: string,
  stop: AbortSignal,
  { start = 0, end = Number.POSITIVE_INFINITY }: { readonly start?: number; readonly end?: number } = {},
): AsyncGenerator<Buffer, void> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = start; at < end; ) {
    const position = at;
    const max = Math.min(chunkBytes, end - at);
    const length = withFileErrors(path, 'failure', () => readSync(fd, chunk, 0, max, position));
    if (length === 0) return;
    at += length;
    yield chunk.subarray(0, length);
    // Signals are handled between chunks.
    await new Promise((resolve) => setImmediate(resolve));
    stop.throwIfAborted();
  }
}

/** Keeps the young generation of V8's heap from growing: saves 30 MB in long listings, at no cost in time. */
export async function limitHeapGrowth(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Yields lines in batches, each valid until the next one. A line that is too long is null. `withEnds` keeps their LF or CRLF. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  { maxLength = maxJsonBytes, withEnds = false } = {},
): AsyncGenerator<readonly (Buffer | null)[], void> {
  await limitHeapGrowth();
  /** The parts of a line whose end has not been read; they are discarded if the line is too long. */
  let parts: Buffer[] = [];
  let length = 0;
  const endLine = (rest: Buffer): Buffer | null => {
    const isTooLong = length + rest.length > maxLength;
    // A line within one chunk is not copied: a copy takes half as long again.
    const line = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
    parts = [];
    length = 0;
    if (isTooLong) return null;
    return withEnds || line.at(-1) !== CARRIAGE_RETURN ? line : line.subarray(0, -1);
  };
  for await (const chunk of chunks) {
    const lines: (Buffer | null)[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      lines.push(endLine(chunk.subarray(from, withEnds ? end + 1 : end)));
      from = end + 1;
    }
    if (lines.length > 0) yield lines;
    length += chunk.length - from;
    if (length > maxLength) parts = [];
    // Copied, because the chunk is reused.
    else if (from < chunk.length) parts.push(Buffer.from(chunk.subarray(from)));
  }
  if (length > 0) yield [endLine(Buffer.alloc(0))];
}
