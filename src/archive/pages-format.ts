import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { pagesName } from '../fs/archive-names.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { LINE_FEED } from '../json/byte-writer.ts';
import {
  type Infer,
  isBoolean,
  isCount,
  isDate,
  isNumber,
  isOneOf,
  isString,
  listOf,
  objectOf,
  orNull,
  parseObject,
} from '../json/shape.ts';
import { fileFormats } from '../output/formats.ts';
import type { Next } from '../service/page.ts';
import type { Command } from '../text/command.ts';
import { fileStamp, isRecord } from './record.ts';

/** What an export asks for: only a run of the same request resumes it. */
const isRequest = objectOf({
  /** Channel or playlist. */
  id: isString,
  format: isOneOf(...fileFormats),
  /** Names of `--fields`; null for all fields. */
  fields: orNull(isString),
  limit: orNull(isCount),
  /** Address and namespace: a token belongs to one service. */
  service: isString,
});
export type ExportRequest = Infer<typeof isRequest>;

export const pagesVersion = 2;

/** Returns the command that discards pages which this run cannot use. */
export const discardCommand = (folder: PrivateFolder, file: string): Command => ({
  purpose: 'to discard them',
  program: 'rm',
  operands: [folder.at(pagesName(file))],
});

/** What an update buys. */
const isUpdateRequest = objectOf({
  /** It buys every page. */
  all: isBoolean,
  /** When it began to read the list. */
  started: isDate,
  /** FILE when the update began: the pages leave out the entries that it had. */
  file: objectOf({ checksum: isCount, entries: isCount }),
  /** The IDs of the feed that FILE lacked. */
  expected: listOf(isString),
  /** Why there was no feed; null if there was one, or it was not requested. */
  feedProblem: orNull(isString),
});
export type UpdateRequest = Infer<typeof isUpdateRequest>;

/** The first line of a pages file. */
const isHeader = objectOf({
  version: isOneOf(pagesVersion),
  request: isRequest,
  /** As given. */
  reference: isString,
  started: isDate,
  /** There was a FILE when the run began. */
  foundFile: isBoolean,
  /** Null: an export. */
  update: orNull(isUpdateRequest),
});
export type PagesHeader = Infer<typeof isHeader>;

const isFixedPlace = isOneOf('start', 'end', 'stuck');
const isToken = objectOf({ token: isString });
const isNext = (value: unknown): value is Next => isFixedPlace(value) || isToken(value);

/** The line after the entries of a page. */
export const isCommit = objectOf({
  next: isNext,
  entries: isCount,
  pages: isCount,
  total: orNull(isCount),
  /** The update for which the pages before this one were set aside; null if they were not. */
  asideFor: orNull(isUpdateRequest),
  /** json: playlist_info of the list, as JSON text, once. */
  info: orNull(isString),
  /** The service did not accept the token of `next`: a run tries it again, but `check` names --restart. */
  isTokenRefused: isBoolean,
  /** An update: this page or one before it has an entry of FILE. */
  meetsFile: isBoolean,
});
export type Commit = Infer<typeof isCommit>;

/** The last line, once the new FILE is written: the run has ended if FILE is this one. */
export const isEnd = objectOf({ ...fileStamp, record: orNull(isRecord) });
export type PagesEnd = Infer<typeof isEnd>;

/** An archive is a whole list as ndjson, each entry as sent; anything else is a view. */
export const isArchive = ({ format, fields, limit }: ExportRequest): boolean =>
  format === 'ndjson' && fields === null && limit === null;

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

/** The value of such a line, with its end; null if its checksum is wrong. */
export function readComment(line: Buffer, before: number): Readonly<Record<string, unknown>> | null {
  if (!isComment(line) || line.at(-1) !== LINE_FEED || line.length < tailLength) return null;
  const text = line.subarray(0, -tailLength);
  if (line.toString('latin1', text.length) !== tailOf(crc32(text, before))) return null;
  return parseObject(text.toString('utf8', 1));
}

/** Enough for the first line of a pages file, in bytes. */
const maxHeader = 256 * 1024;

/** The first line of an open pages file; null if its checksum is wrong. */
export function headerOf(fd: number): PagesHeader | 'of another version' | null {
  const start = Buffer.alloc(maxHeader);
  const read = start.subarray(0, readSync(fd, start, 0, maxHeader, 0));
  const line = read.subarray(0, read.indexOf(LINE_FEED) + 1);
  const header = readComment(line, 0);
  if (isHeader(header)) return header;
  // Version 1 has no checksum here.
  const { version } = header ?? parseObject(line.toString('utf8', 1)) ?? {};
  return isNumber(version) && version !== pagesVersion ? 'of another version' : null;
}
