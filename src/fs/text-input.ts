import { isUtf8 } from 'node:buffer';
import { accessSync, constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { InputStream } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { readProblem } from './file-error.ts';

export interface InputOptions {
  /** How the usage error begins that is thrown if it cannot be read: `--from: cannot read refs.txt`. */
  readonly problem: string;
  readonly hint: string;
  /** Its reason is thrown once it is aborted. */
  readonly stop?: AbortSignal | undefined;
}

/** Nobody types longer lines, in bytes. */
const maxLineLength = 8 * 1024;
const lineEnd = 10;

/**
 * The lines of a file, a pipe or a device (a path), or of a stream, which is then closed; without BOM. Throws a usage error if it
 * cannot be read, or is not UTF-8 text in lines of at most 8 KiB.
 */
export async function* readLines(from: string | InputStream, options: InputOptions): AsyncGenerator<string> {
  let number = 0;
  for await (const bytes of splitLines(readChunks(from, options), maxLineLength)) {
    number++;
    const isShort = bytes.length <= maxLineLength;
    if (!isShort || !isUtf8(bytes) || bytes.includes(0))
      throw usage(
        `${options.problem}: line ${number} is ${isShort ? 'not UTF-8 text' : 'longer than 8 KiB'}`,
        options.hint,
      );
    yield bytes.toString('utf8').replace(/^\ufeff/, '');
  }
}

/** Throws the usage error if a file can clearly not be read, without opening it. */
export function requireReadable(path: string, { problem, hint }: InputOptions): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw usage(`${problem}: ${readProblem(error)}`, hint);
  }
}

/** The lines of some bytes, without line ends. A line of more than `maxLength` bytes may be cut, and is then the last. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxLength: number): AsyncGenerator<Buffer> {
  /** The start of a line whose end has not arrived. */
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      const line = chunk.subarray(start, end);
      yield parts.length === 0 ? line : Buffer.concat([...parts, line]);
      parts = [];
      length = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxLength) break;
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** The bytes of a file, a pipe or a device (a path), or of a stream. Throws as `readLines`. */
export async function* readChunks(from: string | InputStream, options: InputOptions): AsyncGenerator<Buffer> {
  const { problem, hint, stop } = options;
  try {
    const stream = typeof from === 'string' ? openInput(from) : from;
    if (stop !== undefined) addAbortSignal(stop, stream);
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    stop?.throwIfAborted();
    throw error instanceof Failure ? error : usage(`${problem}: ${readProblem(error)}`, hint);
  }
}

function openInput(path: string): InputStream {
  if (!statSync(path).isFIFO()) return createReadStream(path, { highWaterMark: 256 * 1024 });
  // `open` would block until there is a writer, and no signal could interrupt it.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}
