import { lstatSync } from 'node:fs';
import { usage } from '../../errors.ts';
import type { PrivateFolder } from '../../fs/private-folder.ts';
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
} from '../../json/shape.ts';
import { fileFormats } from '../../output/formats.ts';
import { needsPage } from '../../run/list-pages.ts';
import { pagedNames } from '../../service/contract.ts';
import { isRowsName } from './rows-name.ts';

/** What an export asks for: the same run continues or updates it, any other is refused. */
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

/** What tells one version of a file from another. */
const mark = {
  /** Bytes. */
  size: isCount,
  /** Milliseconds since 1970. */
  mtime: isNumber,
  inode: isNumber,
};

/** A finished FILE. */
const isFinished = shape({
  ...mark,
  /** SHA-256 in base64. */
  digest: isText,
  entries: isCount,
  /** When its last full export ended. */
  exported: isDate,
});
export type Finished = Passing<typeof isFinished>;

const kinds = ['export', 'restart', 'update'] as const;

/** An interrupted run: the position of its listing, and what is needed to resume it with the next page. */
const isProgress = shape({
  request: isRequest,
  kind: isOneOf(...kinds),
  /** An update that fetches every page (`--all`). */
  isAll: isFlag,
  started: isDate,
  /** FILE when the run began; null: there was none. */
  fileAtStart: orNull(shape(mark)),
  /** The name of its rows in the private folder: the service's entries, one per line, whatever FILE will be. */
  rows: isRowsName,
  /** The bytes of them that count. */
  bytes: isCount,
  /** Those at the start that are of an update which could not be continued: they go below the others. */
  olderBytes: isCount,
  /** Entries behind them. */
  entries: isCount,
  pages: isCount,
  /** Entries on these pages. */
  listed: isCount,
  /** Token of the next page; null: the first page. */
  token: orNull(isText),
  hasMore: isFlag,
  /** numVideos of the list; null if unknown. */
  total: orNull(isCount),
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
  /** The new FILE; once it is set, only the rename is left. */
  newFile: orNull(isFinished),
});
export type Progress = Passing<typeof isProgress>;

const recordVersion = 2;

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
  flags: { readonly request: ExportRequest; readonly all: boolean; readonly now: number },
  facts: Pick<Progress, 'kind' | 'fileAtStart'> & Partial<Progress>,
): Progress {
  return {
    request: flags.request,
    isAll: flags.all,
    started: new Date(flags.now).toISOString(),
    rows: '',
    bytes: 0,
    olderBytes: 0,
    entries: 0,
    pages: 0,
    listed: 0,
    token: null,
    hasMore: true,
    total: null,
    info: null,
    published: {},
    expected: [],
    feedProblem: null,
    isOutOfBudget: false,
    isLoop: false,
    newFile: null,
    ...facts,
  };
}

/** Whether an interrupted run has all of its pages: FILE has only to be written. */
export const isFetched = (progress: Progress): boolean => !needsPage(progress, progress.request.limit);

/** Whether two requests are for the same FILE. */
export const isSameRequest = (one: ExportRequest, other: ExportRequest): boolean =>
  one.command === other.command &&
  one.id === other.id &&
  one.format === other.format &&
  one.fields === other.fields &&
  one.limit === other.limit;

const suffix = '.json';

/** The name of the record of FILE in its private folder. */
export const recordName = (file: string): string => `${file}${suffix}`;

/** The name of the FILE that a name in a private folder is the record of; null if it is no record. */
export const recordedFile = (name: string): string | null =>
  name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;

/** The record of a FILE as it was read. */
export interface StoredRecord {
  readonly record: ExportRecord | null;
  /** Why a record that is there cannot be used; null: it can, or there is none. */
  readonly unusable: 'damaged' | 'of an older version' | null;
  /** Identifies this version of it; '' if there is none. */
  readonly stamp: string;
}

export const noRecord: StoredRecord = { record: null, unusable: null, stamp: '' };

/** Reads the record of FILE. Throws a usage error for one of a newer version, and for one that is refused. */
export function readRecord(folder: PrivateFolder, file: string): StoredRecord {
  const stamp = stampOf(folder, file);
  const bytes = folder.read(recordName(file));
  if (bytes === null) return noRecord;
  const value = parseObject(bytes.toString());
  const version = typeof value?.version === 'number' ? value.version : null;
  if (version !== null && version > recordVersion)
    throw usage(
      `${folder.path}/${recordName(file)} was written by a newer version of chanlist`,
      'use that version; nothing was changed',
    );
  if (isRecord(value)) return { record: value, unusable: null, stamp };
  const isOlder = version !== null && version < recordVersion;
  return { record: null, unusable: isOlder ? 'of an older version' : 'damaged', stamp };
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
