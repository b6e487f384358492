import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PagesFile } from '../archive/pages-file.ts';
import { type ArchiveScan, damageOf, readRecorded } from '../archive/read-archive.ts';
import { type ArchiveRecord, matchesStamp, readRecord, recordedFiles } from '../archive/record.ts';
import type { Context } from '../context.ts';
import { Failure, toFailure, usage } from '../errors.ts';
import { archiveName, isArchiveName, privateFolderOf, recordName, seenSuffix } from '../fs/archive-names.ts';
import { isLocked, lockedNames } from '../fs/file-lock.ts';
import { withFileErrors } from '../fs/files.ts';
import { isEmpty, resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder } from '../fs/private-folder.ts';
import { type Command, isCommand } from '../text/command.ts';
import { count } from '../text/count.ts';
import { dayMs } from '../text/duration.ts';
import { daysWithoutFeed } from './decide-update.ts';
import { changedBytesStep, exportCommand, misplacedStep, switchesOf } from './messages.ts';

/** What can be wrong with an archive, from the most to the least severe; the help prints these rows. */
export const problemCodes = {
  damaged:
    'a line is not an entry of its channel or playlist, its bytes have changed although its size and time have not, ' +
    'or it cannot be read',
  lost: 'it has fewer entries than recorded, or its file is gone',
  absent: 'a reference of --from has no archive',
  gone: 'the channel or playlist was not found (404) at the last check',
  interrupted: 'a run ended before it was complete',
  stale: 'its last successful check is older than --max-age',
} as const;

/** What `chanlist check` prints about one archive. `Fix` is a `Command` until the row is printed. */
export interface CheckRow<Fix = string> {
  readonly file: string | null;
  readonly reference: string | null;
  readonly id: string | null;
  readonly entries: number | null;
  readonly missing: number | null;
  /** ID of the first entry. */
  readonly newest: string | null;
  /** Time of the last successful check. */
  readonly checked: string | null;
  /** When the list was last read completely. */
  readonly whole: string | null;
  readonly problem: {
    readonly code: keyof typeof problemCodes;
    readonly message: string;
    /** The command that repairs the problem; null if only a person or time can repair it. */
    readonly fix: Fix | null;
  } | null;
}

export const emptyRow: CheckRow<never> = {
  file: null,
  reference: null,
  id: null,
  entries: null,
  missing: null,
  newest: null,
  checked: null,
  whole: null,
  problem: null,
};

export const checkFields = Object.keys(emptyRow) as (keyof CheckRow)[];

/** An archive, or an interrupted run, that a record or pages file names. */
interface FoundArchive {
  readonly path: string;
  readonly folder: PrivateFolder;
  readonly name: string;
}

export interface FoundArchives {
  readonly archives: readonly FoundArchive[];
  readonly folder: PrivateFolder;
  /** Names of all FILEs that have a record or a pages file in the folder. */
  readonly names: ReadonlySet<string>;
}

/**
 * Finds the archives and interrupted runs at a path, which names a folder or one FILE.
 * Throws a usage error if there are none.
 */
export function findArchives(path: string): FoundArchives {
  const stats = withFileErrors(path, 'input', () => statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) return archivesIn(path);
  const notFound = usage(`${path}: there is no such file or folder`, checkPathStep);
  // A missing FILE is a problem to report; a missing folder is a wrong path.
  if (stats === undefined && (/(?:^|[\\/])$/.test(path) || !existsSync(dirname(path)))) throw notFound;
  const { real } = resolveTarget(path);
  const folder = PrivateFolder.open(privateFolderOf(dirname(real)));
  const names = new Set(recordedFiles(folder));
  const name = basename(real);
  if (names.has(name)) return { archives: [{ path, folder, name }], folder, names };
  if (stats === undefined) throw notFound;
  throw usage(
    `${path} is not an archive: chanlist has no record of it`,
    'uploads --update takes a whole list (ndjson) as an archive',
  );
}

const checkPathStep = 'check the path, and whether the disk is mounted';

function archivesIn(path: string): FoundArchives {
  const folder = PrivateFolder.open(privateFolderOf(path));
  if (!folder.exists)
    throw usage(`${path} is not a folder of archives: chanlist has no record of it`, checkPathStep);
  const names = new Set(recordedFiles(folder));
  const archives = [...names].sort().map((name) => ({ path: join(path, name), folder, name }));
  return { archives, folder, names };
}

/** Whether another run makes a first export in this folder, or has just finished one. */
export async function hasFirstExport({ folder, names }: FoundArchives): Promise<boolean> {
  if (recordedFiles(folder).some((name) => !names.has(name))) return true;
  const unknown = lockedNames(folder).filter((name) => !names.has(name) && !name.endsWith(seenSuffix));
  for (const name of unknown) if (await isLocked(folder, name)) return true;
  return false;
}

export interface CheckedArchive {
  readonly row: CheckRow<Command>;
  /** The ID of the archive, and all references that are known to resolve to it; empty if its record cannot be read. */
  readonly references: readonly string[];
  /** Whether another run is writing the archive, or has written it since the check began. */
  readonly isWritten: boolean;
}

/**
 * Reads an archive and compares it with its record. Returns null if it has neither a record nor pages. Reports whatever
 * cannot be read as a problem. `maxAge`: milliseconds; null accepts any age.
 */
export async function checkArchive(
  found: FoundArchive,
  maxAge: number | null,
  context: Context,
): Promise<CheckedArchive | null> {
  const { folder, name } = found;
  // If this time changes during the check, another run has written the archive.
  const recordTime = (): number | undefined =>
    statSync(folder.at(recordName(name)), { throwIfNoEntry: false })?.mtimeMs;
  const before = recordTime();
  const checked = await compare(found, maxAge ?? Number.POSITIVE_INFINITY, context).catch((error) => {
    context.stop.throwIfAborted();
    return { row: unreadRow(found, toFailure(error)), references: [] };
  });
  return checked && { ...checked, isWritten: (await isLocked(folder, name)) || recordTime() !== before };
}

async function compare(
  found: FoundArchive,
  maxAge: number,
  { stop, clock }: Context,
): Promise<Omit<CheckedArchive, 'isWritten'> | null> {
  const { folder, name } = found;
  const target = resolveTarget(found.path);
  const { path } = target;
  const record = readRecord(folder, name);
  if (record !== null && isArchiveName(name) && name !== archiveName(record.id))
    throw new Failure('damaged', `its record is of ${record.id}`, { step: misplacedStep });
  using pages = await PagesFile.open(folder, name, stop);
  const id = record?.id ?? pages?.header.request.id;
  const reference = record?.reference ?? pages?.header.reference;
  if (id === undefined || reference === undefined) return null;
  const contents = target.stats && record && (await readRecorded(target, id, record, stop));
  const problem =
    (record && archiveProblem(target, record, contents)) ??
    (pages && interruptedProblem(target, pages)) ??
    (record && staleProblem(path, record, clock.now(), maxAge));
  const row = {
    file: path,
    reference,
    id,
    entries: contents?.entries ?? null,
    missing: record?.checks.missing ?? null,
    newest: contents?.newest ?? null,
    checked: record?.checks.checked ?? null,
    whole: record?.whole ?? null,
    problem,
  };
  return { row, references: [id, reference, ...(record?.aliases ?? [])] };
}

/** Returns the row of an archive if FILE, its record or its pages cannot be read. */
function unreadRow({ path: file }: FoundArchive, failure: Failure): CheckRow<Command> {
  const { code, message, step } = failure;
  // Only a record can be deleted for free.
  const fix = code === 'damaged' && isCommand(step) ? step : null;
  const what = (fix ? message : failure.line()).replace(`${file}: `, '');
  return { ...emptyRow, file, problem: { code: 'damaged', message: what, fix } };
}

type Problem = CheckRow<Command>['problem'];

/** Returns what is wrong with FILE itself, or that its channel was gone in the last run; null if neither applies. */
function archiveProblem(target: Target, record: ArchiveRecord, contents: ArchiveScan | null): Problem {
  const { path } = target;
  const { failure } = record.checks;
  if (contents === null) return { code: 'lost', message: 'the file is gone', fix: fixOf(path, record) };
  const damage = damageOf(target, record, contents);
  if (damage !== null) {
    const { code, message, isRepairable } = damage;
    if (!isRepairable) return { code, message: `${message}; ${changedBytesStep}`, fix: null };
    return { code, message, fix: fixOf(path, record, '--update', '--all') };
  }
  if (failure?.code !== 'gone') return null;
  return { code: 'gone', message: `404 since ${failure.since.slice(0, 10)}`, fix: null };
}

function interruptedProblem(target: Target, { header, position, end, isTokenRefused }: PagesFile): Problem {
  const { path, stats } = target;
  const message =
    header.update === null
      ? `its export was interrupted after ${count(position.entries, 'entry', 'entries')}`
      : `its update was interrupted after ${count(position.pages, 'page', 'pages')}`;
  const hasAppeared = !header.foundFile && stats !== null && !isEmpty(target) && !matchesStamp(stats, end);
  // Only a person can decide which file to keep.
  if (hasAppeared)
    return {
      code: 'interrupted',
      message: `${message}; the file appeared since: move it away, and export again`,
      fix: null,
    };
  // An export whose list repeats itself, or whose token is refused, has no page to resume at.
  const isStuck = header.update === null && (position.next === 'stuck' || isTokenRefused);
  const { request, reference } = header;
  const fix = exportCommand({ path, request, reference, flags: isStuck ? switchesOf('--restart') : [] });
  return { code: 'interrupted', message, fix };
}

function staleProblem(path: string, record: ArchiveRecord, now: number, maxAge: number): Problem {
  const { checked, withoutFeed, failure } = record.checks;
  const stale = (message: string): Problem => ({
    code: 'stale',
    message,
    fix: fixOf(path, record, '--update'),
  });
  if (checked === null) return maxAge === Number.POSITIVE_INFINITY ? null : stale('never checked');
  const age = now - Date.parse(checked);
  if (age < 0) return stale(`last successful check ${checked}, which is in the future`);
  // Without a feed, an update buys one page every seven days (docs/updates.md, rule 3).
  const isWithoutFeed = withoutFeed !== null || failure?.code === 'no_feed';
  const limit = isWithoutFeed ? Math.max(maxAge, (daysWithoutFeed + 1) * dayMs) : maxAge;
  if (age <= limit) return null;
  const message = `last successful check ${checked}`;
  if (failure?.code !== 'unauthorized') return stale(message);
  const since = failure.since.slice(0, 10);
  return { code: 'stale', message: `${message}; access was refused (403) since ${since}`, fix: null };
}

function fixOf(
  path: string,
  { id, service, reference }: ArchiveRecord,
  ...switches: readonly string[]
): Command {
  return exportCommand({ path, request: { id, service }, reference, flags: switchesOf(...switches) });
}
