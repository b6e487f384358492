import type { Stats } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../errors.ts';
import { recordName } from '../fs/archive-names.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import {
  type Infer,
  isCount,
  isDate,
  isNumber,
  isString,
  listOf,
  mapOf,
  objectOf,
  orNull,
  parseObject,
} from '../json/shape.ts';

/** What is known of an archive from the checks so far. Times are ISO 8601. */
const isCheckHistory = objectOf({
  /** Time of the last successful check; null before the first one. */
  checked: orNull(isDate),
  /** numVideos less the entries of FILE, when a page was last bought; null if unknown. */
  missing: orNull(isCount),
  /** The feed of the last check: all its IDs, and the IDs that FILE had. Null if that check had no feed. */
  feed: orNull(objectOf({ ids: listOf(isString), known: listOf(isString) })),
  /** Expected IDs that no bought page had (rule 4): the number of checks without the ID, and the time of the last one. */
  missingIds: mapOf(objectOf({ checks: isCount, last: isDate })),
  /** When a page was last bought because there was no feed (rule 3); null if there is a feed. */
  withoutFeed: orNull(isDate),
  /** The failure of the last run: its code, when runs began to fail, and when one last failed; null if the run succeeded. */
  failure: orNull(objectOf({ code: isString, since: isDate, last: isDate })),
});
export type CheckHistory = Infer<typeof isCheckHistory>;

const recordVersion = 4;

/** Size (bytes) and time of the last change (milliseconds since 1970) of FILE. They show whether somebody has changed it. */
export const fileStamp = { size: isCount, mtime: isNumber };
const isFileStamp = objectOf(fileStamp);
export type FileStamp = Infer<typeof isFileStamp>;

/** What chanlist knows of an archive: `.chanlist/FILE.json`, with a version. Written at the end of a run. */
export const isRecord = objectOf({
  /** As the user last gave it. */
  reference: isString,
  /** Other references that resolved to this ID. */
  aliases: listOf(isString),
  /** ID of the channel or playlist. */
  id: isString,
  /** Address and namespace of its last run. */
  service: isString,
  ...fileStamp,
  /** The crc32 of FILE. */
  checksum: isCount,
  entries: isCount,
  /** When the last complete read of the list began; null if FILE was adopted, or if a list may have been cut short. */
  whole: orNull(isDate),
  checks: isCheckHistory,
});
export type ArchiveRecord = Infer<typeof isRecord>;

export const noChecks: CheckHistory = {
  checked: null,
  missing: null,
  feed: null,
  missingIds: {},
  withoutFeed: null,
  failure: null,
};

/** Reads the record of FILE; null if there is none. Throws `damaged` if it cannot be read, or another version has written it. */
export function readRecord(folder: PrivateFolder, file: string): ArchiveRecord | null {
  const name = recordName(file);
  const bytes = folder.read(name);
  if (bytes === null) return null;
  const { version, ...record } = parseObject(bytes.toString()) ?? {};
  if (version === recordVersion && isRecord(record)) return record;
  const isOther = isNumber(version) && version !== recordVersion;
  const what = isOther ? `is of version ${version}, not ${recordVersion}` : 'cannot be read';
  throw new Failure('damaged', `the record ${folder.at(name)} ${what}`, {
    step: { purpose: 'delete it: its file stays', program: 'rm', operands: [folder.at(name)] },
  });
}

export function writeRecord(folder: PrivateFolder, file: string, record: ArchiveRecord): void {
  folder.replace(recordName(file), `${JSON.stringify({ version: recordVersion, ...record })}\n`);
}

/** Changes members of a record that do not describe FILE, such as its checks. Does not change the record of another ID. */
export function changeRecord(
  folder: PrivateFolder,
  file: string,
  id: string,
  change: (before: ArchiveRecord) => Partial<ArchiveRecord>,
): void {
  const before = readRecord(folder, file);
  if (before?.id !== id) return;
  const record = { ...before, ...change(before) };
  if (!isDeepStrictEqual(record, before)) writeRecord(folder, file, record);
}

export const stampOf = ({ size, mtimeMs }: Stats): FileStamp => ({ size, mtime: mtimeMs });

export const matchesStamp = (stats: Stats | null, stamp: FileStamp | null): boolean =>
  stats?.isFile() === true && stats.size === stamp?.size && stats.mtimeMs === stamp.mtime;

/** Returns the names of all FILEs that have a record or a pages file in this private folder. */
export const recordedFiles = (folder: PrivateFolder): string[] => [
  ...new Set(folder.names().flatMap((name) => /^(.+)\.(?:json|run)$/s.exec(name)?.[1] ?? [])),
];

/** What a successful check has found. */
export interface CheckFacts {
  /** Null if there is no feed, or it was not requested. */
  readonly feed: readonly { readonly videoId: string }[] | null;
  /** Whether the feed was requested, and is missing. */
  readonly isWithoutFeed: boolean;
  /** Whether FILE has an ID after this check. */
  readonly has: (id: string) => boolean;
  /** The expected IDs: IDs that the bought pages should contain. */
  readonly expected: readonly string[];
  /** numVideos less the entries of FILE. Null if unknown, for example if no page was bought: the earlier value is kept. */
  readonly missing: number | null;
  /** When the check was made (ISO 8601). */
  readonly time: string;
}

/** Maximum number of feed, expected or missing IDs to keep. A feed has 15; a longer feed must not fill the record. */
export const maxIds = 200;

/** Returns what is known of an archive after a successful check. Pure. */
export function checksAfter(before: CheckHistory, check: CheckFacts): CheckHistory {
  const { feed, isWithoutFeed, has, time, missing } = check;
  const ids = (feed ?? []).map(({ videoId }) => videoId).slice(0, maxIds);
  return {
    checked: time,
    missing: missing ?? before.missing,
    feed: feed === null ? null : { ids, known: ids.filter(has) },
    missingIds: missingAfter(before.missingIds, check),
    withoutFeed: isWithoutFeed ? time : null,
    failure: null,
  };
}

/** Returns the history after a failure: unchanged unless its scope is this archive. `now`: milliseconds since 1970. Pure. */
export function checksAfterFailure(
  before: CheckHistory,
  { code, scope }: Failure,
  now: number,
): CheckHistory {
  if (scope !== 'reference') return before;
  const last = new Date(now).toISOString();
  const { failure } = before;
  // Codes may alternate: `since` is the time of the first failure. `gone` has a `since` of its own, because it is printed.
  const isGone = code === 'gone' || failure?.code === 'gone';
  const isNew = failure === null || (isGone && failure.code !== code);
  return { ...before, failure: { code, since: isNew ? last : failure.since, last } };
}

/** Updates the count of each missing ID (rule 4); keeps the most recent `maxIds`. */
function missingAfter(
  before: CheckHistory['missingIds'],
  { expected, has, time }: CheckFacts,
): CheckHistory['missingIds'] {
  const missing = new Map(Object.entries(before).filter(([id]) => !has(id)));
  for (const id of new Set(expected)) {
    if (has(id)) continue;
    const checks = (missing.get(id)?.checks ?? 0) + 1;
    // Deleted first, so that it becomes the most recent.
    missing.delete(id);
    missing.set(id, { checks, last: time });
  }
  return Object.fromEntries([...missing].slice(-maxIds));
}
