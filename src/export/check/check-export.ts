import { basename } from 'node:path';
import { day, hour } from '../../accounts/local-time.ts';
import { toFailure } from '../../errors.ts';
import { isLocked } from '../../fs/file-lock.ts';
import { resolveTarget } from '../../fs/output-target.ts';
import { exportName } from '../../output/formats.ts';
import { count, thousands } from '../../text/count.ts';
import { daysWithoutFeed } from '../decide/decide-update.ts';
import { otherChannel } from '../decide/next-step.ts';
import { type ExportFile, inspect } from '../inspect/inspect-export.ts';
import { type ExportRecord, type ExportRequest, stampOf } from '../record/export-record.ts';
import { rowsNames } from '../record/rows-name.ts';
import type { FoundExport } from './find-exports.ts';
import { type Fix, fixOf } from './fix.ts';

/** What can be wrong with an export, from the gravest to the least; the help prints these rows. */
export const problemCodes = {
  damaged:
    'a line does not parse, rows of an interrupted run or a view are not as written, or it is not a regular file',
  foreign: 'it contains entries of another channel',
  duplicate: 'a video is in it twice',
  lost: 'it has fewer entries than recorded',
  absent: 'expected by --from, but not there',
  gone: 'the channel or playlist was not found (404) at the last check',
  interrupted: 'a run ended before the export was complete',
  stale: 'its last successful check is older than --max-age, or unknown',
} as const;

/** What `chanlist check` prints of one export. */
export interface CheckRow {
  readonly file: string | null;
  readonly reference: string | null;
  readonly id: string | null;
  readonly entries: number | null;
  readonly limit: number | null;
  readonly missing: number | null;
  /** ID of the first entry; null of a view. */
  readonly newest: string | null;
  /** Last successful check. */
  readonly checked: string | null;
  readonly problem: {
    readonly code: keyof typeof problemCodes;
    readonly message: string;
    /** The cheapest command that repairs it; null where only a person or time can. */
    readonly fix: string | null;
  } | null;
}

/** A row with every value unknown, in the order of printing. */
export const unknownExport: CheckRow = {
  file: null,
  reference: null,
  id: null,
  entries: null,
  limit: null,
  missing: null,
  newest: null,
  checked: null,
  problem: null,
};

/** What is expected of each export. */
interface Expectations {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds; null: any age. */
  readonly maxAge: number | null;
  /** `--from`: a record without FILE is a problem. */
  readonly isExpected: boolean;
}

/** An export as it is printed, how messages name it, and the run over a folder that repairs it, too. */
export interface CheckedExport {
  readonly shown: CheckRow;
  readonly name: string;
  readonly folderFlags: Fix['folderFlags'];
}

/** Checks one export, FILE read whole; null for a record without FILE that nothing needs. Throws the reason of `stop`. */
export async function checkExport(
  { path, name, folder, stored }: FoundExport,
  expectations: Expectations,
  stop: AbortSignal,
): Promise<CheckedExport | null> {
  const { record, stamp } = stored;
  const request = requestOf(record, path);
  const facts: CheckRow = {
    ...unknownExport,
    file: path,
    reference: record?.reference ?? null,
    id: request.id || null,
    limit: request.limit,
    missing: record?.missing ?? null,
    checked: record?.checked ?? null,
  };
  let file: ExportFile;
  try {
    const target = resolveTarget(path, { onlyFiles: true });
    const rows = rowsNames(folder?.names() ?? [], name);
    file = await inspect(folder, { target, ...stored }, { stop, readAll: true, rows });
  } catch (error) {
    stop.throwIfAborted();
    const problem = { code: 'damaged', message: toFailure(error).message, fix: null } as const;
    return { shown: { ...facts, problem }, name: path, folderFlags: null };
  }
  const { contents, state } = file;
  const hasRows = file.progress !== null || file.hasUnrecordedRows;
  if (state === 'none' && !hasRows && !expectations.isExpected) return null;
  // A run that has ended since the record was read has left another one.
  const isBusy = folder !== null && ((await isLocked(folder, name)) || stampOf(folder, name) !== stamp);
  const found = problemOf(file, request, isBusy, expectations);
  const fix = found?.isFixable ? fixOf(file, request, expectations.now) : null;
  const newest = contents?.ids[Symbol.iterator]().next().value ?? null;
  const entries = state === 'none' ? null : file.entries;
  const message = fix?.cost ? `${found?.message} (repair: ${fix.cost})` : found?.message;
  const problem = found && { code: found.code, message: message ?? '', fix: fix?.command ?? null };
  return {
    shown: { ...facts, entries, newest, problem },
    name: path,
    folderFlags: fix?.folderFlags ?? null,
  };
}

/** The request of an export; without a record, what its name says. An ID of '' is unknown. */
function requestOf(record: ExportRecord | null, path: string): ExportRequest {
  if (record !== null) return record.request;
  const id = exportName.test(basename(path)) ? basename(path, '.ndjson') : '';
  const command = id === '' || id.startsWith('UC') ? 'uploads' : 'playlist';
  return { command, id, format: 'ndjson', fields: null, limit: null, service: '' };
}

/** The gravest problem; null if there is none. While another run writes the export, only what FILE shows is certain. */
function problemOf(
  file: ExportFile,
  request: ExportRequest,
  isBusy: boolean,
  { now, maxAge, isExpected }: Expectations,
) {
  const { record, contents, state, progress } = file;
  const problem = (code: keyof typeof problemCodes, message: string, isFixable = true) => {
    return { code, message, isFixable };
  };
  if (contents?.damage != null) return problem('damaged', contents.damage);
  if (!isBusy && file.rowsDamage !== null) return problem('damaged', file.rowsDamage);
  if (!isBusy && file.hasUnrecordedRows)
    return problem('damaged', `its record is ${file.unusable}, and there are rows of an interrupted run`);
  if (!isBusy && state === 'changed' && request.format !== 'ndjson')
    return problem('damaged', 'the view is not as it was written');
  const other = contents === null || request.id === '' ? null : otherChannel(contents.channels, request);
  if (other !== null) return problem('foreign', `it contains entries of ${other}`, false);
  // A playlist may contain a video twice.
  if (request.command === 'uploads' && contents?.duplicate != null)
    return problem('duplicate', `${contents.duplicate} is in it twice`, false);
  if (isBusy) return null;
  const had = record?.finished?.entries ?? 0;
  if (state === 'lost')
    return problem('lost', `${count(file.entries, 'entry', 'entries')}, but it had ${thousands(had)}`);
  if (state === 'none' && isExpected && (progress === null || record?.finished))
    return problem('absent', 'the file is missing');
  const { code = null, since = '' } = record?.failure ?? {};
  if (code === 'gone') return problem('gone', `404 since ${since.slice(0, 10)}`, false);
  const isUnavailable = code === 'unavailable' || code === 'no_feed';
  const why = isUnavailable ? `; the service or its feed was not available since ${since.slice(0, 10)}` : '';
  if (progress !== null) {
    const entries = count(progress.entries, 'entry', 'entries');
    return problem(
      'interrupted',
      `its ${progress.kind} was interrupted after ${entries}${why}`,
      !isUnavailable,
    );
  }
  if (!isStale(record, request, now, maxAge)) return null;
  const last = record?.checked == null ? 'never checked' : `last successful check ${record.checked}`;
  return problem('stale', `${last}${why}`, !isUnavailable);
}

/** Without a feed, a page is fetched every seven days (docs/updates.md, rule 3). */
const ageWithoutFeed = (daysWithoutFeed + 1) * day;

/** Whether the last successful check of an archive is older than `maxAge`, in the future, or unknown. */
function isStale(
  record: ExportRecord | null,
  { format }: ExportRequest,
  now: number,
  maxAge: number | null,
): boolean {
  if (maxAge === null || format !== 'ndjson') return false;
  if (record?.checked == null) return true;
  const age = now - Date.parse(record.checked);
  const isWithoutFeed = record.withoutFeed !== null || record.failure?.code === 'no_feed';
  return age < -hour || age > (isWithoutFeed ? Math.max(maxAge, ageWithoutFeed) : maxAge);
}
