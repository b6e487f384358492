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

/** What an export asks for. Only a run with the same request resumes it. */
const isRequest = objectOf({
  /** ID of the channel or playlist. */
  id: isString,
  format: isOneOf(...fileFormats),
  /** Names of `--fields`; null for all fields. */
  fields: orNull(isString),
  limit: orNull(isCount),
  /** Address and namespace, because a continuation token is valid for one service only. */
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
  /** Whether the update buys every page. */
  all: isBoolean,
  /** When the update began to read the list. */
  started: isDate,
  /** FILE when the update began. The pages do not contain the entries that FILE had then. */
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
  /** As the user gave it. */
  reference: isString,
  started: isDate,
  /** Whether FILE existed when the run began. */
  foundFile: isBoolean,
  /** Null for an export. */
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
  /** In the format json, one commit has the playlist_info of the list, as JSON text; null in all other commits. */
  info: orNull(isString),
  /** Whether the service has refused the token of `next`. A run tries the token again, but `check` suggests --restart. */
  isTokenRefused: isBoolean,
  /** In an update, whether this page or an earlier one has an entry that FILE has. */
  meetsFile: isBoolean,
});
export type Commit = Infer<typeof isCommit>;

/** The byte range of a page's entries, and the checksums of all bytes of the file before its start and before its end. */
export interface StoredPage {
  readonly start: number;
  readonly end: number;
  readonly checksumBefore: number;
  readonly checksumAfter: number;
}

/** The last line, appended once the new FILE is written. FILE has been replaced if it has this size and time. */
export const isEnd = objectOf({ ...fileStamp, record: orNull(isRecord) });
export type PagesEnd = Infer<typeof isEnd>;

/** An archive is a whole list as ndjson, each entry as sent; anything else is a view. */
export const isArchive = ({ format, fields, limit }: ExportRequest): boolean =>
  format === 'ndjson' && fields === null && limit === null;

const NUMBER_SIGN = '#'.charCodeAt(0);
/** Length of the checksum at the end of a line: a space, eight hexadecimal digits and the line end. */
const tailLength = 10;

const tailOf = (sum: number): string => ` ${sum.toString(16).padStart(8, '0')}\n`;

/** Whether a line of a pages file is a `#` line, and not an entry. */
export const isComment = (line: Buffer): boolean => line[0] === NUMBER_SIGN;

/** Returns the line `#VALUE CHECKSUM`. `before`: the checksum of all bytes before the line. */
export function commentLine(value: object, before: number): Buffer {
  const text = `#${JSON.stringify(value)}`;
  return Buffer.from(text + tailOf(crc32(text, before)));
}

/** Returns the value of a `#` line, which includes its line end; null if it is not a `#` line or its checksum is wrong. */
export function readComment(line: Buffer, before: number): Readonly<Record<string, unknown>> | null {
  if (!isComment(line) || line.at(-1) !== LINE_FEED || line.length < tailLength) return null;
  const text = line.subarray(0, -tailLength);
  if (line.toString('latin1', text.length) !== tailOf(crc32(text, before))) return null;
  return parseObject(text.toString('utf8', 1));
}

/** Maximum length of the first line of a pages file, in bytes. */
const maxHeader = 256 * 1024;

/** Reads the header of an open pages file. Returns null if the first line is not a valid header. */
export function headerOf(fd: number): PagesHeader | 'of another version' | null {
  const start = Buffer.alloc(maxHeader);
  const read = start.subarray(0, readSync(fd, start, 0, maxHeader, 0));
  const line = read.subarray(0, read.indexOf(LINE_FEED) + 1);
  const header = readComment(line, 0);
  if (isHeader(header)) return header;
  // The first line of version 1 has no checksum.
  const { version } = header ?? parseObject(line.toString('utf8', 1)) ?? {};
  return isNumber(version) && version !== pagesVersion ? 'of another version' : null;
}
