import { basename, extname } from 'node:path';
import { commandLine, type Flag } from '../cli/invocation.ts';
import { toFailure } from '../errors.ts';
import { isLocked } from '../fs/file-lock.ts';
import { resolveTarget } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { exportName, formatByExtension } from '../output/formats.ts';
import { creditsLeft } from '../run/listing.ts';
import type { InputReference } from '../run/references.ts';
import { count, credits } from '../text/count.ts';
import { day, daysWithoutFeed } from './decide-update.ts';
import type { FoundExport } from './find-exports.ts';
import { type ExportFile, inspect } from './inspect.ts';
import { costText, isUpdatable } from './messages.ts';
import { nextStep, type Step } from './next-step.ts';
import { readFileContents } from './read.ts';
import { type ExportRecord, type ExportRequest, positionOf, stampOf } from './record.ts';
import { readRows } from './rows.ts';

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

/** Checks one export, FILE read whole; null for a record without FILE that nothing needs. Throws the reason of `stop`. */
export async function checkExport(
  { path, folder, stored }: FoundExport,
  expectations: Expectations,
  stop: AbortSignal,
): Promise<CheckedExport | null> {
  const { record, stamp } = stored;
  const request = requestOf(record, path);
  const facts: CheckedExport = {
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
    file = await inspect(folder, { target, ...stored }, request, stop);
    if (file.state !== 'none' && file.contents === null)
      file = { ...file, contents: await readFileContents(target, { ...request, stop }) };
  } catch (error) {
    stop.throwIfAborted();
    return { ...facts, problem: { code: 'damaged', message: toFailure(error).message, fix: null } };
  }
  const { contents, state, target } = file;
  if (state === 'none' && record?.progress == null && !expectations.isExpected) return null;
  const name = basename(target.real);
  // A run that has ended since the record was read has left another one.
  const isBusy = folder !== null && ((await isLocked(folder, name)) || stampOf(folder, name) !== stamp);
  const problem = await problemOf(file, request, isBusy ? null : folder, isBusy, expectations, stop);
  const newest = contents?.ids.values().next().value ?? null;
  return { ...facts, entries: contents?.entries ?? null, newest, problem };
}

/** The request of an export; without a record, what its name says. An ID of '' is unknown. */
function requestOf(record: ExportRecord | null, path: string): ExportRequest {
  if (record !== null) return record.request;
  const extension = extname(path).slice(1);
  const known = extension === 'id' ? 'id' : formatByExtension(extension);
  const format = known === undefined || known === 'table' ? 'ndjson' : known;
  const id = exportName.test(basename(path)) ? basename(path, extname(path)) : '';
  const command = id === '' || id.startsWith('UC') ? 'uploads' : 'playlist';
  return { command, id, format, fields: null, limit: null, service: '' };
}

/** The gravest problem. While another run writes the export, only what FILE itself shows is certain. */
async function problemOf(
  file: ExportFile,
  request: ExportRequest,
  folder: PrivateFolder | null,
  isBusy: boolean,
  { now, maxAge, isExpected }: Expectations,
  stop: AbortSignal,
): Promise<Problem | null> {
  const { record, contents, state, pending } = file;
  const progress = record?.progress ?? null;
  const fix = (unresumable = record?.failure?.code === 'unresumable'): Fix | null =>
    fixOf(file, request, now, unresumable);
  const problem = (code: ProblemCode, message: string, repair: Fix | null = null): Problem => ({
    code,
    message: repair?.cost ? `${message} (repair: ${repair.cost})` : message,
    fix: repair?.command ?? null,
  });
  if (contents?.damage != null) return problem('damaged', contents.damage, fix());
  if (folder !== null && progress !== null && pending === null) {
    const rows = await readRows(folder, progress, stop);
    if (typeof rows === 'string') return problem('damaged', rows, fix(true));
  }
  if (request.command === 'uploads' && contents !== null) {
    const other = [...contents.channels].find((channel) => channel !== request.id);
    if (request.id !== '' && other !== undefined)
      return problem('foreign', `it contains entries of ${other}`);
    if (contents.duplicate !== null) return problem('duplicate', `${contents.duplicate} is in it twice`);
  }
  if (isBusy) return null;
  const had = record?.finished?.entries ?? 0;
  if (state === 'lost') return problem('lost', `${contents?.entries ?? 0} entries, but it had ${had}`, fix());
  if (state === 'none' && isExpected && progress === null)
    return problem('absent', 'export file is missing', fix());
  if (record?.failure?.code === 'gone')
    return problem('gone', `404 since ${record.failure.since.slice(0, 10)}`);
  if (progress !== null) {
    const what = progress.isUpdate ? 'update' : 'export';
    return problem(
      'interrupted',
      `its ${what} was interrupted after ${count(progress.entries, 'entry', 'entries')}`,
      fix(),
    );
  }
  if (!isStale(record, now, maxAge)) return null;
  const last = record?.checked == null ? 'never checked' : `last successful check ${record.checked}`;
  return problem('stale', last, fix());
}

/** Without a feed, a page is fetched every seven days (docs/updates.md, rule 3). */
const ageWithoutFeed = (daysWithoutFeed + 1) * day;

/** Whether the last successful check is older than `maxAge`, in the future, or unknown. */
function isStale(record: ExportRecord | null, now: number, maxAge: number | null): boolean {
  if (maxAge === null) return false;
  if (record?.checked == null) return true;
  const age = now - Date.parse(record.checked);
  return age < 0 || age > (record.withoutFeed === null ? maxAge : Math.max(maxAge, ageWithoutFeed));
}

/** A command that repairs an export, and what it costs, if that is known. */
interface Fix {
  readonly command: string;
  readonly cost: string | null;
}

const attempts = [
  { update: false, all: false, restart: false },
  { update: true, all: false, restart: false },
  { update: true, all: true, restart: false },
  { update: false, all: false, restart: true },
] as const;

/**
 * The cheapest command that a run would not refuse, by the decision that the run makes; null without an ID. `known`: the
 * request of FILE. `unresumable`: its interrupted run cannot be resumed.
 */
function fixOf(file: ExportFile, known: ExportRequest, now: number, unresumable: boolean): Fix | null {
  const { progress = null, finished = null } = file.record ?? {};
  const base = progress?.request ?? known;
  if (base.id === '') return null;
  for (const attempt of attempts) {
    // An update has no limit: it would export the whole list.
    if (attempt.update && (!isUpdatable(base) || finished?.isCut)) continue;
    const request = attempt.update ? { ...base, limit: null } : base;
    const flags = { ...attempt, request, unresumable, isFolder: false, several: false, now };
    const step = nextStep(file, flags);
    if (step.do === 'keep' || step.do === 'refuse') continue;
    const cost = costOf(step, file, attempt.all, request.limit);
    return { command: commandOf(request, file.target.path, attempt), cost };
  }
  return null;
}

function costOf(step: Step, { record }: ExportFile, all: boolean, limit: number | null): string | null {
  const { progress = null } = record ?? {};
  if (step.do === 'update' && !all) return progress === null ? 'free if there is nothing new' : null;
  if (step.do === 'publish') return 'free';
  if (step.do !== 'resume' || progress === null) return costText(record, all ? null : limit);
  // The entries of an update are only those that FILE lacks: they do not show how many pages are left.
  if (progress.isUpdate) return null;
  const left = creditsLeft(positionOf(progress), progress.request.limit);
  return left === null ? null : left === 0 ? 'free' : `about ${credits(left)}`;
}

function commandOf(request: ExportRequest, path: string, attempt: (typeof attempts)[number]): string {
  const flags: Flag[] = [{ name: '-o', value: path }];
  if (formatByExtension(extname(path).slice(1)) !== request.format)
    flags.push({ name: '--format', value: request.format });
  if (request.fields !== null) flags.push({ name: '--fields', value: request.fields });
  if (request.limit !== null) flags.push({ name: '--limit', value: String(request.limit) });
  if (attempt.update) flags.push({ name: '--update', value: null });
  if (attempt.all) flags.push({ name: '--all', value: null });
  if (attempt.restart) flags.push({ name: '--restart', value: null });
  return commandLine({ name: request.command, flags }, [request.id]);
}

/** The command that exports a reference which has no export yet. */
export function exportCommand({ reference, value }: InputReference, folder: string): string {
  const name = /^(?:PL|UU|LL|FL|OL)/.test(value) ? 'playlist' : 'uploads';
  return commandLine({ name, flags: [{ name: '--output-dir', value: folder }] }, [reference]);
}
