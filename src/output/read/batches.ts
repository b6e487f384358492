import { isUtf8 } from 'node:buffer';
import { promises as fs } from 'node:fs';
import { Failure } from '../../errors.ts';
import { guarded } from '../../fs/file-errors.ts';
import { Damage } from '../../json/list-scanner.ts';
import type { FileRecord } from '../format.ts';

/** Bytes per read: larger reads are not faster, and leave more to the collector. */
const chunkSize = 32 * 1024;
const LINE_FEED = 10;
const RETURN = 13;

/** The `damaged` failure of a file that no export has written; names the line, from 1. */
function damagedAt(path: string, line: number, what: string): Failure {
  return new Failure('damaged', `${path}:${line}: ${what}`, {
    hint: 'fix the file, or export it again with --restart',
    remedy: 'restart',
  });
}

/**
 * Splits bytes into complete records. `isEnd`: the file ends with these bytes. `end`: the first byte that is not
 * consumed, and is passed again with more. Throws `Damage`.
 */
export type Split<Item> = (bytes: Buffer, isEnd: boolean) => { items: Item[]; end: number };

/**
 * The records of a file in UTF-8, without a byte order mark, in batches. The memory of a batch is used again for the
 * next one. Throws `damaged`.
 */
export async function* readBatches<Item = FileRecord>(
  path: string,
  split: Split<Item>,
): AsyncGenerator<Item[], void> {
  const handle = await guarded(path, 'opening', () => fs.open(path, 'r'));
  try {
    let buffer = Buffer.allocUnsafeSlow(chunkSize);
    let filled = 0;
    let line = 1;
    for (let isFirst = true; ; ) {
      const room = buffer;
      const used = filled;
      const { bytesRead } = await guarded(path, 'opening', () =>
        handle.read(room, used, room.length - used, null),
      );
      filled += bytesRead;
      const isEnd = bytesRead === 0;
      const bytes = buffer.subarray(isFirst && hasByteOrderMark(buffer, filled) ? 3 : 0, filled);
      const { items, end } = splitAt(path, line, bytes, isEnd, split);
      if (items.length > 0) yield items;
      if (isEnd) return;
      // A byte order mark takes three bytes.
      isFirst &&= end === 0 && filled < 3;
      const rest = bytes.subarray(end);
      if (end === 0 && bytes.length === filled && filled < buffer.length) continue;
      line += countLineFeeds(bytes, 0, end);
      const next = 2 * rest.length > buffer.length ? Buffer.allocUnsafeSlow(2 * rest.length) : buffer;
      filled = rest.copy(next);
      buffer = next;
    }
  } finally {
    await handle.close();
  }
}

function splitAt<Item>(
  path: string,
  line: number,
  bytes: Buffer,
  isEnd: boolean,
  split: Split<Item>,
): { items: Item[]; end: number } {
  try {
    const result = split(bytes, isEnd);
    const done = bytes.subarray(0, isEnd ? bytes.length : result.end);
    if (!isUtf8(done)) throw new Damage('not UTF-8', invalidLineStart(done));
    return result;
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    throw damagedAt(path, line + countLineFeeds(bytes, 0, error.at), error.message);
  }
}

const hasByteOrderMark = (bytes: Buffer, length: number): boolean =>
  length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

function countLineFeeds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < to; at = bytes.indexOf(LINE_FEED, at + 1))
    count++;
  return count;
}

function invalidLineStart(bytes: Buffer): number {
  for (let at = 0; ; ) {
    const end = bytes.indexOf(LINE_FEED, at);
    if (end === -1 || !isUtf8(bytes.subarray(at, end))) return at;
    at = end + 1;
  }
}

/** A line without its line end. */
export interface Line {
  readonly from: number;
  readonly to: number;
  /** False for a last line without a line end. */
  readonly isEnded: boolean;
}

/** Splits into lines; empty ones are skipped. */
export function splitLines<Item>(toItem: (bytes: Buffer, line: Line) => Item): Split<Item> {
  return (bytes, isEnd) => {
    const items: Item[] = [];
    let at = 0;
    while (at < bytes.length) {
      const feed = bytes.indexOf(LINE_FEED, at);
      if (feed === -1 && !isEnd) break;
      const isEnded = feed !== -1;
      const end = isEnded ? feed : bytes.length;
      const to = isEnded && bytes[end - 1] === RETURN && end > at ? end - 1 : end;
      if (to > at) items.push(toItem(bytes, { from: at, to, isEnded }));
      at = end + 1;
    }
    return { items, end: Math.min(at, bytes.length) };
  };
}
