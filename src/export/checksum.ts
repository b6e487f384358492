import { crc32 } from 'node:zlib';
import { LINE_FEED } from '../json/byte-writer.ts';
import { parseObject } from '../json/shape.ts';

const NUMBER_SIGN = '#'.charCodeAt(0);
/** A space, eight hexadecimal digits and the line end. */
const tailLength = 10;

const tailOf = (sum: number): string => ` ${sum.toString(16).padStart(8, '0')}\n`;

/** Whether a line of a pages file is about pages, and not an entry. */
export const isComment = (line: Buffer): boolean => line[0] === NUMBER_SIGN;

/** Returns the line `#VALUE CHECKSUM`. `before`: the checksum of the bytes before the line. */
export function commentLine(value: object, before: number): Buffer {
  const text = `#${JSON.stringify(value)}`;
  return Buffer.from(text + tailOf(crc32(text, before)));
}

/** The value of such a line, with its end; null if it, or what is before it, is not as it was written. */
export function readComment(line: Buffer, before: number): Readonly<Record<string, unknown>> | null {
  if (!isComment(line) || line.at(-1) !== LINE_FEED || line.length < tailLength) return null;
  const text = line.subarray(0, -tailLength);
  if (line.toString('latin1', text.length) !== tailOf(crc32(text, before))) return null;
  return parseObject(text.toString('utf8', 1));
}
