import { isUtf8 } from 'node:buffer';
import { constants, createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { excerpt } from '../text/truncate.ts';
import { ignoreErrors, readProblem } from './files.ts';
import { linesOf } from './line-chunks.ts';

/** Longest input line, in bytes. */
const maxLineLength = 8 * 1024;

/** Returns the name of an input for messages; `-` is stdin. */
export const inputName = (path: string): string => (path === '-' ? 'stdin' : excerpt(path));

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly problem: string | null;
}

/**
 * Yields the lines of a path or a stream, each without U+FEFF at its start. Throws the failure of `unreadable` if the input
 * cannot be read or contains NUL bytes, and the reason of `stop` once that is aborted.
 */
export async function* readLines(
  from: string | Context['stdin'],
  unreadable: (why: string) => Failure,
  stop?: AbortSignal,
): AsyncGenerator<Line> {
  let number = 0;
  const chunks = readChunks(from, unreadable, stop, { isText: true });
  for await (const lines of linesOf(chunks, { maxLength: maxLineLength }))
    for (const line of lines) {
      number++;
      if (line === null) yield { number, text: '', problem: 'the line is longer than 8 KiB' };
      else if (!isUtf8(line)) yield { number, text: '', problem: 'the line is not UTF-8' };
      else yield { number, text: line.toString().replace(/^\ufeff/, ''), problem: null };
    }
}

const byteOrderMark = Buffer.from('\ufeff');

/** Returns the start of a file without its byte order mark. */
export const withoutByteOrderMark = (start: Buffer): Buffer =>
  start.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? start.subarray(byteOrderMark.length)
    : start;

/** Matches the first bytes of UTF-16: a byte order mark, or two characters of ASCII. */
const utf16 = /^(?:\xff\xfe|\xfe\xff|(?:[^\0]\0){2}|(?:\0[^\0]){2})/;

/** Whether a file that starts with these bytes is UTF-16. */
export const isUtf16 = (start: Buffer): boolean => utf16.test(start.toString('latin1', 0, 4));

/**
 * Yields chunks of an input, each valid until the next one. Throws the failure of `unreadable` if the input cannot be read, is
 * UTF-16 or (with `isText`) contains NUL bytes, and the reason of `stop` once that is aborted.
 */
export async function* readChunks(
  from: string | Context['stdin'],
  unreadable: (why: string) => Failure,
  stop?: AbortSignal,
  { isText = false } = {},
): AsyncGenerator<Buffer> {
  try {
    const stream = typeof from === 'string' ? openInput(from) : from;
    const { fd } = stream as { readonly fd?: unknown };
    // Node reads nothing from a stdin that is a folder, and reports no error. Under Wine, its descriptor is not open (EBADF).
    const stats = typeof fd === 'number' ? ignoreErrors(['EBADF'], () => fstatSync(fd)) : undefined;
    if (stats?.isDirectory()) throw unreadable('it is a folder');
    if (stop !== undefined) addAbortSignal(stop, stream);
    let isStart = true;
    for await (const read of stream) {
      const chunk = typeof read === 'string' ? Buffer.from(read) : read;
      if (isStart && isUtf16(chunk)) throw unreadable('it is UTF-16: save it as UTF-8');
      isStart = false;
      // A device such as /dev/zero has no line ends, and would be read forever.
      if (isText && chunk.includes(0)) throw unreadable('it is not text: it contains NUL bytes');
      yield chunk;
    }
  } catch (error) {
    stop?.throwIfAborted();
    if (error instanceof Failure) throw error;
    throw unreadable(readProblem(error));
  }
}

function openInput(path: string): Context['stdin'] {
  if (!statSync(path).isFIFO()) return createReadStream(path, { highWaterMark: 256 * 1024 });
  // `open` would block until there is a writer, and no signal could interrupt it.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}
