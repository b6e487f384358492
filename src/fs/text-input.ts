import { isUtf8 } from 'node:buffer';
import { accessSync, constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { InputStream } from '../context.ts';
import type { Failure } from '../errors.ts';
import { readProblem } from './file-error.ts';

/** The usage error for an input that cannot be read, and why. */
export type Unreadable = (why: string) => Failure;

/** Nobody types longer lines, in bytes. */
const maxLineLength = 8 * 1024;
const lineEnd = 10;

/**
 * The lines of a file, a pipe or a device (a path), or of a stream, which is then closed; without BOM. Throws
 * `unreadable` if it cannot be read, or is not UTF-8 text in lines of at most 8 KiB, and the reason of `stop`.
 */
export async function* readLines(
  from: string | InputStream,
  unreadable: Unreadable,
  stop?: AbortSignal,
): AsyncGenerator<string> {
  let number = 0;
  for await (const bytes of readByteLines(from, maxLineLength, unreadable, stop)) {
    number++;
    if (bytes.length > maxLineLength) throw unreadable(`line ${number} is longer than 8 KiB`);
    if (!isUtf8(bytes) || bytes.includes(0)) throw unreadable(`line ${number} is not UTF-8 text`);
    yield bytes.toString('utf8').replace(/^\ufeff/, '');
  }
}

/**
 * The lines of an input (`readLines`) as bytes, whatever they contain. A line of more than `maxLength` bytes may be cut,
 * and is then the last.
 */
export async function* readByteLines(
  from: string | InputStream,
  maxLength: number,
  unreadable: Unreadable,
  stop?: AbortSignal,
): AsyncGenerator<Buffer> {
  /** The start of a line whose end has not arrived. */
  let parts: Buffer[] = [];
  let length = 0;
  try {
    const stream = typeof from === 'string' ? openInput(from) : from;
    if (stop !== undefined) addAbortSignal(stop, stream);
    for await (const read of stream) {
      const chunk: Buffer = typeof read === 'string' ? Buffer.from(read) : read;
      let start = 0;
      for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
        const line = chunk.subarray(start, end);
        // To copy every line takes half as long again.
        yield parts.length === 0 ? line : Buffer.concat([...parts, line]);
        parts = [];
        length = 0;
        start = end + 1;
      }
      parts.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > maxLength) break;
    }
  } catch (error) {
    stop?.throwIfAborted();
    throw unreadable(readProblem(error));
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** Throws `unreadable` if a file can clearly not be read, without opening it. */
export function requireReadable(path: string, unreadable: Unreadable): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw unreadable(readProblem(error));
  }
}

function openInput(path: string): InputStream {
  if (!statSync(path).isFIFO()) return createReadStream(path, { highWaterMark: 256 * 1024 });
  // `open` would block until there is a writer, and no signal could interrupt it.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}
