import { readSync } from 'node:fs';
import { type PrivateFolder, temporaryName } from '../fs/private-folder.ts';
import {
  isCount,
  isDate,
  isFlag,
  isOneOf,
  isText,
  listOf,
  orNull,
  type Passing,
  parseObject,
  shape,
} from '../json/shape.ts';
import { fileFormats } from '../output/formats.ts';
import type { Command } from '../text/command.ts';

/** What an export asks for: only a run of the same request resumes it. */
const isRequest = shape({
  /** Channel or playlist. */
  id: isText,
  format: isOneOf(...fileFormats),
  /** Names of `--fields`; null: all. */
  fields: orNull(isText),
  limit: orNull(isCount),
  /** Address and namespace: a token belongs to one service. */
  service: isText,
});
export type ExportRequest = Passing<typeof isRequest>;

/** The first line of a run file. */
const isHeader = shape({
  version: isOneOf(1),
  request: isRequest,
  /** As given. */
  reference: isText,
  started: isDate,
  /** There was a FILE when the run began. */
  replaces: isFlag,
  /** Of an update; null: an export. */
  update: orNull(
    shape({
      /** It buys every page. */
      all: isFlag,
      /** The IDs of the feed that FILE lacked. */
      expected: listOf(isText),
      /** Why there was no feed; null: there was one. */
      feedProblem: orNull(isText),
    }),
  ),
});
export type RunHeader = Passing<typeof isHeader>;

/** An archive is a whole list as ndjson, each entry as sent; anything else is a view. */
export const isArchive = ({ format, fields, limit }: ExportRequest): boolean =>
  format === 'ndjson' && fields === null && limit === null;

export const runName = (file: string): string => `${file}.run`;

/** Where the new FILE is written: of `a.json`, not where the record of `a` is. */
export const newFileName = (file: string): string => temporaryName(`${file}.new`);

/** The next step for pages that this run cannot use. */
export const discardPages = (folder: PrivateFolder, file: string): Command => ({
  purpose: 'to discard them',
  program: 'rm',
  operands: [folder.at(runName(file))],
});

/** Enough for the first line of a run file, in bytes. */
const maxHeader = 256 * 1024;

/** The first line of an open run file; null if it is none of this version. */
export function headerOf(fd: number): RunHeader | null {
  const start = Buffer.alloc(maxHeader);
  const line = start.toString('utf8', 0, readSync(fd, start, 0, maxHeader, 0)).split('\n', 1)[0] ?? '';
  const header = line.startsWith('#') ? parseObject(line.slice(1)) : null;
  return isHeader(header) ? header : null;
}
