import { lstatSync } from 'node:fs';
import { usage } from '../errors.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import {
  isCount,
  isDate,
  isFlag,
  isNumber,
  isOneOf,
  isText,
  listOf,
  mapOf,
  orNull,
  type Passing,
  parseObject,
  shape,
} from '../json/shape.ts';
import { fileFormats } from '../output/formats.ts';
import type { Position } from '../run/listing.ts';
import { pagedNames } from '../service/contract.ts';

/** What an export asks for. A run with another one neither resumes nor updates it. */
const isRequest = shape({
  command: isOneOf(...pagedNames),
  /** Channel or playlist ID. */
  id: isText,
  format: isOneOf(...fileFormats),
  /** Names of `--fields`; null: all. */
  fields: orNull(isText),
  limit: orNull(isCount),
  /** Address and namespace. Compared only for an interrupted run: a token belongs to one service. */
  service: isText,
});
export type ExportRequest = Passing<typeof isRequest>;

/** A finished FILE. */
const isFinished = shape({
  /** Bytes. */
  size: isCount,
  /** SHA-256 in base64. */
  digest: isText,
  /** Milliseconds since 1970. */
  mtime: isNumber,
  inode: isNumber,
  entries: isCount,
  /** `--limit` ended it before the list did. */
  isCut: isFlag,
  /** Entries per page of its last full export; null if unknown. */
  pageSize: orNull(isNumber),
  /** When its last full export ended. */
  exported: isDate,
});
export type Finished = Passing<typeof isFinished>;

/** An interrupted run: what is needed to resume it with the next page. */
const isProgress = shape({
  request: isRequest,
  isUpdate: isFlag,
  isRestart: isFlag,
  /** An update that fetches every page (`--all`). */
  isAll: isFlag,
  started: isDate,
  /** Name of the file of rows in the private folder, and how many bytes of it count. */
  rows: isText,
  bytes: isCount,
  /** Rows, and the entries of the list that were taken: `id` has no row for an entry without an ID. */
  entries: isCount,
  taken: isCount,
  pages: isCount,
  /** Token of the next page; null: the first page. */
  token: orNull(isText),
  hasMore: isFlag,
  /** numVideos of the list; null if unknown. */
  total: orNull(isCount),
  /** Columns of csv; null for other formats, and before the first page. */
  columns: orNull(listOf(isText)),
  /** json: playlist_info of the first page, as JSON text. */
  info: orNull(isText),
  /** Publication dates by video ID, for `@published`. */
  published: mapOf(isText),
  /** Updates: the IDs of the feed that FILE lacked. */
  expected: listOf(isText),
  /** Updates: why there was no feed; null: there was one. */
  feedProblem: orNull(isText),
  /** A spent budget stopped the run. */
  isOutOfBudget: isFlag,
  /** The list repeats itself after these pages: no run can resume it. */
  isLoop: isFlag,
  /** The new FILE, once it is complete and has only to replace FILE. */
  result: orNull(isFinished),
});
export type Progress = Passing<typeof isProgress>;

export const recordVersion = 1;

/** What chanlist knows of one export: `.chanlist/FILE.json`. Times are ISO 8601. */
const isRecord = shape({
  version: isOneOf(recordVersion),
  /** As last given. */
  reference: isText,
  /** When references were resolved to its ID. */
  references: mapOf(isDate),
  request: isRequest,
  progress: orNull(isProgress),
  finished: orNull(isFinished),
  /** Last successful check, and last change of FILE. */
  checked: orNull(isDate),
  changed: orNull(isDate),
  /** numVideos less entries, at the last page; null if unknown. */
  missing: orNull(isCount),
  /** The feed of the last check: all of its IDs, and those that FILE contains. */
  feed: orNull(shape({ ids: listOf(isText), known: listOf(isText) })),
  /** IDs of the feed that the fetched pages did not contain (rule 4): number of checks, and the last one. */
  missingIds: mapOf(shape({ checks: isCount, last: isDate })),
  /** The last page that was fetched because there was no feed (rule 3); null: the feed is there. */
  withoutFeed: orNull(isDate),
  /** How the last run failed; null if it did not. */
  failure: orNull(shape({ code: isText, since: isDate })),
});
export type ExportRecord = Passing<typeof isRecord>;

/** The record of an export that nothing is known of yet. */
export function newRecord(reference: string, request: ExportRequest): ExportRecord {
  return {
    version: recordVersion,
    reference,
    references: {},
    request,
    progress: null,
    finished: null,
    checked: null,
    changed: null,
    missing: null,
    feed: null,
    missingIds: {},
    withoutFeed: null,
    failure: null,
  };
}

/** The progress of a run that has fetched nothing yet. `now`: milliseconds since 1970. */
export function newProgress(
  flags: {
    readonly request: ExportRequest;
    readonly restart: boolean;
    readonly all: boolean;
    readonly now: number;
  },
  facts: Partial<Progress>,
): Progress {
  return {
    request: flags.request,
    isUpdate: false,
    isRestart: flags.restart,
    isAll: flags.all,
    started: new Date(flags.now).toISOString(),
    rows: '',
    bytes: 0,
    entries: 0,
    taken: 0,
    pages: 0,
    token: null,
    hasMore: true,
    total: null,
    columns: null,
    info: null,
    published: {},
    expected: [],
    feedProblem: null,
    isOutOfBudget: false,
    isLoop: false,
    result: null,
    ...facts,
  };
}

/** The position of a listing that an interrupted run has reached. */
export const positionOf = (progress: Progress): Position => ({ ...progress, entries: progress.taken });

const suffix = '.json';

/** The name of the record of FILE in its private folder. */
export const recordName = (file: string): string => `${file}${suffix}`;

/** The name of the FILE that a name in a private folder is the record of; null if it is no record. */
export const recordedFile = (name: string): string | null =>
  name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;

/** The record of a FILE as it was read. */
export interface StoredRecord {
  readonly record: ExportRecord | null;
  /** It is there, but cannot be read. */
  readonly isRecordDamaged: boolean;
  /** Identifies this version of it; '' if there is none. */
  readonly stamp: string;
}

export const noRecord: StoredRecord = { record: null, isRecordDamaged: false, stamp: '' };

/** Reads the record of FILE. Throws a usage error for one of a newer version, and for one that is refused. */
export function readRecord(folder: PrivateFolder, file: string): StoredRecord {
  const stamp = stampOf(folder, file);
  const bytes = folder.read(recordName(file));
  if (bytes === null) return noRecord;
  const value = parseObject(bytes.toString());
  if (value !== null && typeof value.version === 'number' && value.version > recordVersion)
    throw usage(
      `${folder.path}/${recordName(file)} was written by a newer version of chanlist`,
      'use that version; nothing was changed',
    );
  return isRecord(value)
    ? { record: value, isRecordDamaged: false, stamp }
    : { ...noRecord, isRecordDamaged: true, stamp };
}

/** Identifies the present record of FILE: each one is a new file. */
export function stampOf(folder: PrivateFolder, file: string): string {
  const stats = lstatSync(folder.at(recordName(file)), { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

/** Replaces the record of FILE; `durable`: on return it survives a power cut. */
export function writeRecord(
  folder: PrivateFolder,
  file: string,
  record: ExportRecord,
  { durable = true }: { readonly durable?: boolean } = {},
): void {
  folder.replace(recordName(file), `${JSON.stringify(record)}\n`, { durable });
}
