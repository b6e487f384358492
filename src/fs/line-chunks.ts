import { readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { limitHeapGrowth } from '../heap.ts';
import { LINE_FEED } from '../text/ascii.ts';

const chunkBytes = 128 * 1024;
/** A longer line is not read (bytes). */
export const maxLineBytes = 64 * 1024 * 1024;
const CARRIAGE_RETURN = 0x0d;

/** The part of a file from one byte to another, by default all. */
export interface ByteRange {
  readonly start?: number;
  readonly end?: number;
}

/** Lets signals be handled. Throws the reason of `stop`. */
export async function pause(stop: AbortSignal): Promise<void> {
  await setImmediate();
  stop.throwIfAborted();
}

/** An open file in chunks, from byte `start` to `end`: each is valid until the next one. Throws system errors. */
export async function* chunksOf(
  fd: number,
  stop: AbortSignal,
  { start = 0, end = Number.POSITIVE_INFINITY }: ByteRange = {},
): AsyncGenerator<Buffer, void> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = start; at < end; await pause(stop)) {
    const length = readSync(fd, chunk, 0, Math.min(chunkBytes, end - at), at);
    if (length === 0) return;
    at += length;
    yield chunk.subarray(0, length);
  }
}

/** Lines without their ends (LF or CRLF), valid until the next batch; null stands for one that is too long: the last. */
export type LineBatch = readonly (Buffer | null)[];

/** The lines of chunks, in batches. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<LineBatch, void> {
  await limitHeapGrowth();
  /** The start of a line whose end has not been read. */
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const line = chunk.subarray(from, end);
      lines.push(withoutReturn(parts.length === 0 ? line : Buffer.concat([...parts, line])));
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (lines.length > 0) yield lines;
    if (from === chunk.length) continue;
    // The chunk is reused.
    parts.push(Buffer.from(chunk.subarray(from)));
    length += chunk.length - from;
    if (length <= maxLineBytes) continue;
    yield [null];
    return;
  }
  if (length > 0) yield [withoutReturn(Buffer.concat(parts))];
}

const withoutReturn = (line: Buffer): Buffer =>
  line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
