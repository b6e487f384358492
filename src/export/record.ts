import { Failure } from '../errors.ts';
import { type PrivateFolder, recordName } from '../fs/private-folder.ts';
import {
  isCount,
  isDate,
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

/** What is known of an archive from its checks. Times are ISO 8601. */
const isChecks = shape({
  /** The last successful check; null: none. */
  checked: orNull(isDate),
  /** numVideos less entries, at the last page; null if unknown. */
  missing: orNull(isCount),
  /** The feed of the last check: all of its IDs, and those that FILE has. */
  feed: orNull(shape({ ids: listOf(isText), known: listOf(isText) })),
  /** IDs of the feed that the pages did not hold (rule 4): number of checks, and the last one. */
  missingIds: mapOf(shape({ checks: isCount, last: isDate })),
  /** The last page that was bought because there was no feed (rule 3); null: there is a feed. */
  withoutFeed: orNull(isDate),
  /** How the last run failed; null if it did not. */
  failure: orNull(shape({ code: isText, since: isDate })),
});
export type Checks = Passing<typeof isChecks>;

const recordVersion = 3;

/** What chanlist knows of an archive: `.chanlist/FILE.json`. Written at the end of a run. */
export const isRecord = shape({
  version: isOneOf(recordVersion),
  /** As last given. */
  reference: isText,
  /** Channel or playlist. */
  id: isText,
  /** FILE: bytes, and milliseconds since 1970. */
  size: isCount,
  mtime: isNumber,
  entries: isCount,
  checks: isChecks,
});
export type ArchiveRecord = Passing<typeof isRecord>;

export const noChecks: Checks = {
  checked: null,
  missing: null,
  feed: null,
  missingIds: {},
  withoutFeed: null,
  failure: null,
};

export const newRecord = (facts: Omit<ArchiveRecord, 'version'>): ArchiveRecord => ({
  version: recordVersion,
  ...facts,
});

/** Reads the record of FILE; null if there is none. Throws `damaged` for one that cannot be read or is of another version. */
export function readRecord(folder: PrivateFolder, file: string): ArchiveRecord | null {
  const name = recordName(file);
  const bytes = folder.read(name);
  if (bytes === null) return null;
  const record = parseObject(bytes.toString());
  if (isRecord(record)) return record;
  const version = isNumber(record?.version) && record.version !== recordVersion;
  const what = version ? `is of version ${record.version}, not ${recordVersion}` : 'cannot be read';
  throw new Failure('damaged', `the record ${folder.at(name)} ${what}`, {
    hint: 'delete it: its file is then one without a record',
  });
}

export function writeRecord(folder: PrivateFolder, file: string, record: ArchiveRecord): void {
  folder.replace(recordName(file), `${JSON.stringify(record)}\n`);
}

/** The FILE that a name in a private folder is the record of; null if it is none. */
export const recordedFile = (name: string): string | null =>
  name.endsWith('.json') ? name.slice(0, -'.json'.length) : null;
