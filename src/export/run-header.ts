import { readSync } from 'node:fs';
import { withDescriptor } from '../fs/files.ts';
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

export const isSameRequest = (one: ExportRequest, other: ExportRequest): boolean =>
  (['id', 'format', 'fields', 'limit', 'service'] as const).every((name) => one[name] === other[name]);

export const runName = (file: string): string => `${file}.run`;

/** Where the new FILE is written: of `a.json`, not where the record of `a` is. */
export const newFileName = (file: string): string => temporaryName(`${file}.new`);

/** The FILE that a name in a private folder is the run file of; null if it is none. */
export const fileOfRun = (name: string): string | null =>
  name.endsWith('.run') ? name.slice(0, -'.run'.length) : null;

/** Enough for the first line of a run file, in bytes. */
const maxHeader = 256 * 1024;

/** The first line of an open run file; null if it is none of this version. */
export function headerOf(fd: number): RunHeader | null {
  const start = Buffer.alloc(maxHeader);
  const line = start.toString('utf8', 0, readSync(fd, start, 0, maxHeader, 0)).split('\n', 1)[0] ?? '';
  const header = line.startsWith('#') ? parseObject(line.slice(1)) : null;
  return isHeader(header) ? header : null;
}

/** The first line of the interrupted run of a FILE; null if there is none that can be read. */
export function readHeader(folder: PrivateFolder, file: string): RunHeader | null {
  const fd = folder.openRead(runName(file));
  return fd === null ? null : withDescriptor(fd, headerOf);
}
