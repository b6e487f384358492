import { closeSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { toFailure } from '../errors.ts';
import { isLocked } from '../fs/file-lock.ts';
import { resolveTarget } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { exportName, formatByExtension } from '../output/formats.ts';
import { withProgress } from './after-run.ts';
import { type Fix, fixOf } from './check-fix.ts';
import type { FoundExport } from './find-exports.ts';
import { type ExportFile, inspect, noRecord, readSnapshot, stampOf } from './inspect.ts';
import { readContents, readFileContents } from './read.ts';
import type { ExportRecord, ExportRequest } from './record.ts';
import { damageOfRows, missingRows, rowsFormat } from './rows.ts';

/** What can be wrong with an export, from the gravest to the least; the help prints these rows. */
export const problemCodes = {
  damaged:
    'a line is not a record, rows of an interrupted run are not as recorded, or FILE is not a regular file',
  foreign: 'it contains entries of another channel',
  duplicate: 'a video is in it twice',
  lost: 'it has fewer entries than it had',
  absent: 'expected by --from, but not there',
  gone: 'the channel or playlist was 404 at the last check',
  interrupted: 'a run ended before it was complete',
  stale: 'its last successful check is older than --max-age, or unknown',
} as const;

export type ProblemCode = keyof typeof problemCodes;

export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  /** The cheapest command that repairs it; null where only a person can. */
  readonly fix: string | null;
}

/** What `chanlist check` prints of one export. */
export interface CheckedExport {
  readonly file: string | null;
  readonly reference: string | null;
  readonly id: string | null;
  readonly entries: number | null;
  readonly limit: number | null;
  readonly missing: number | null;
  /** ID of the first entry. */
  readonly newest: string | null;
  /** Last successful check. */
  readonly checked: string | null;
  readonly problem: Problem | null;
}

/** A record of which nothing is known; its members are in the order in which they are printed. */
export const unknownExport: CheckedExport = {
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
export interface Expectations {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds; null: any age. */
  readonly maxAge: number | null;
  /** `--from`: a record without FILE is a problem. */
  readonly isExpected: boolean;
}

/** Checks one export; null for a record without FILE that nothing needs. */
export async function checkExport(
  { path, folder, record: before }: FoundExport,
  expectations: Expectations,
): Promise<CheckedExport | null> {
  let file: ExportFile;
  try {
    file = await readExport(path, folder);
  } catch (error) {
    const problem = { code: 'damaged', message: toFailure(error).message, fix: null } as const;
    return { ...factsOf(path, before), problem };
  }
  const { record, state, stamp, target, contents } = file;
  if (state === 'none' && record?.progress == null && !expectations.isExpected) return null;
  const facts = factsOf(path, record);
  const request = requestOf(record, facts.id, path);
  const name = basename(target.real);
  const isBusy = folder !== null && ((await isLocked(folder, name)) || stampOf(folder, name) !== stamp);
  const problem = await problemOf(file, request, folder, isBusy, expectations);
  const newest = contents?.ids.values().next().value ?? null;
  return { ...facts, entries: contents?.entries ?? null, newest, problem };
}

function factsOf(path: string, record: ExportRecord | null): CheckedExport {
  return {
    ...unknownExport,
    file: path,
    reference: record?.reference ?? null,
    id: idOf(path, record),
    limit: record?.request.limit ?? null,
    missing: record?.missing ?? null,
    checked: record?.checked ?? null,
  };
}

const idOf = (path: string, record: ExportRecord | null): string | null =>
  record?.request.id ?? (exportName.test(basename(path)) ? basename(path, extname(path)) : null);

/** The request of an export; without a record, what its name says. An ID of '' is unknown. */
function requestOf(record: ExportRecord | null, id: string | null, path: string): ExportRequest {
  if (record !== null) return record.request;
  const extension = extname(path).slice(1);
  const known = extension === 'id' ? 'id' : formatByExtension(extension);
  const format = known === undefined || known === 'table' ? 'ndjson' : known;
  const command = id === null || id.startsWith('UC') ? 'uploads' : 'playlist';
  return { command, id: id ?? '', format, fields: null, limit: null, service: '' };
}

/** What is on disk of an export, FILE read whole. Throws what keeps it from being read. */
async function readExport(path: string, folder: PrivateFolder | null): Promise<ExportFile> {
  const target = resolveTarget(path, { onlyFiles: true });
  // A run may have written it since it was found.
  const snapshot = { target, ...(folder === null ? noRecord : readSnapshot(folder, basename(target.real))) };
  const request = requestOf(snapshot.record, idOf(path, snapshot.record), path);
  const file = await inspect(folder, snapshot, request);
  if (file.state === 'none' || file.contents !== null) return file;
  return { ...file, contents: await readFileContents(target.real, { ...request, parse: true }) };
}

/** The gravest problem. While another run writes the export, only what FILE itself shows is certain. */
async function problemOf(
  file: ExportFile,
  request: ExportRequest,
  folder: PrivateFolder | null,
  isBusy: boolean,
  { now, maxAge, isExpected }: Expectations,
): Promise<Problem | null> {
  const { record, contents, state } = file;
  const fixed = (): Fix | null => fixOf(file, request, now);
  const problem = (code: ProblemCode, message: string, fix: Fix | null = null): Problem => ({
    code,
    message: fix?.cost ? `${message} (repair: ${fix.cost})` : message,
    fix: fix?.command ?? null,
  });
  if (contents?.damage != null) return problem('damaged', contents.damage, fixed());
  const progress = record?.progress;
  const rows = isBusy || folder === null ? null : await rowsProblem(folder, file);
  if (rows !== null && progress) {
    const broken = withProgress(record, { ...progress, broken: 'damaged' });
    return problem('damaged', rows, fixOf({ ...file, record: broken }, request, now));
  }
  const { command, id } = request;
  if (command === 'uploads' && contents !== null) {
    const other = [...contents.channels].find((channel) => channel !== id);
    if (id !== '' && other !== undefined) return problem('foreign', `it contains entries of ${other}`);
    if (contents.duplicate !== null) return problem('duplicate', `${contents.duplicate} is in it twice`);
  }
  if (isBusy) return null;
  const had = record?.finished?.entries ?? 0;
  if (state === 'lost')
    return problem('lost', `${contents?.entries ?? 0} entries, but it had ${had}`, fixed());
  if (state === 'none' && isExpected && record?.progress == null)
    return problem('absent', 'export file is missing', fixed());
  if (record?.failure?.code === 'gone')
    return problem('gone', `404 since ${record.failure.since.slice(0, 10)}`);
  if (record?.progress != null) return problem('interrupted', interruptedText(record), fixed());
  return staleness(record, now, maxAge, () => problem('stale', lastCheck(record), fixed()));
}

const interruptedText = ({ progress }: ExportRecord): string =>
  `its ${progress?.isUpdate ? 'update' : 'export'} was interrupted after ${progress?.entries} entries`;

const lastCheck = (record: ExportRecord | null): string =>
  record?.checked == null ? 'never checked' : `last successful check ${record.checked}`;

const day = 24 * 60 * 60 * 1000;
/** Without a feed, a page is fetched every seven days (docs/updates.md, rule 3). */
const ageWithoutFeed = 8 * day;

function staleness(
  record: ExportRecord | null,
  now: number,
  maxAge: number | null,
  problem: () => Problem,
): Problem | null {
  if (maxAge === null) return null;
  const limit = record?.withoutFeed == null ? maxAge : Math.max(maxAge, ageWithoutFeed);
  const age = record?.checked == null ? Number.POSITIVE_INFINITY : now - Date.parse(record.checked);
  return age > limit || age < 0 ? problem() : null;
}

/** Why the rows of an interrupted run cannot be used; null if they can. */
async function rowsProblem(folder: PrivateFolder, { record, pending }: ExportFile): Promise<string | null> {
  const progress = record?.progress;
  if (!progress || pending !== null) return null;
  const fd = folder.openRead(progress.rows);
  if (fd === null) return missingRows;
  try {
    const { format, fields } = progress.request;
    const options = { format: rowsFormat(format), fields, parse: true, bytes: progress.bytes };
    return damageOfRows(progress, await readContents(fd, options));
  } finally {
    closeSync(fd);
  }
}
