import { hour } from '../../accounts/local-time.ts';
import type { Failure } from '../../errors.ts';
import { type ExportFile, isIntact } from '../inspect/inspect-export.ts';
import { type ExportRequest, isFetched, isSameRequest, type Progress } from '../record/export-record.ts';

/** What a run was asked to do with one export. */
export interface ExportFlags {
  readonly request: ExportRequest;
  readonly update: boolean;
  /** With `update`: fetch every page. */
  readonly all: boolean;
  readonly restart: boolean;
  /** The interrupted run cannot be resumed: the service no longer accepts its token. */
  readonly unresumable: boolean;
  /** `--output-dir`: FILE is named by its ID. */
  readonly isFolder: boolean;
  /** The run has several references. */
  readonly several: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type Kept = 'complete' | 'adopted' | 'recent';
export type Refusal =
  | 'foreign'
  | 'unusable record'
  | 'appeared'
  | 'changed since'
  | 'other request'
  | 'damaged rows'
  | 'unresumable'
  | 'absent'
  | 'lost'
  | 'damaged'
  | 'adoptable'
  | 'not adoptable';

/**
 * What to do with one export. `resume`: to finish the interrupted run, also where only FILE has to be written; `record`:
 * FILE has been replaced already, which its record does not know; `update` may start an interrupted update over;
 * `adopt`: FILE gets a record first.
 */
export type Step =
  | { readonly do: 'export' | 'resume' | 'record' | 'update' | 'adopt' }
  | { readonly do: 'keep'; readonly why: Kept }
  | { readonly do: 'refuse'; readonly why: Refusal };

const step = (what: Exclude<Step['do'], 'keep' | 'refuse'>): Step => ({ do: what });
const keep = (why: Kept): Step => ({ do: 'keep', why });
const refuse = (why: Refusal): Step => ({ do: 'refuse', why });

/** `--restart` of several references keeps exports that were finished within these hours. */
export const recentHours = 22;

/** The table "What a run does with one export" of docs/updates.md, row by row. Pure. */
export function nextStep(file: ExportFile, flags: ExportFlags): Step {
  const { state, progress } = file;
  const finished = file.record?.finished ?? null;
  if (isForeign(file, flags.request)) return refuse('foreign');
  // Without a record it is not known what these rows belong to, but they were paid for.
  if (file.hasUnrecordedRows && !flags.restart) return refuse('unusable record');
  if (file.isInPlace) return step('record');
  if (state === 'none' && progress === null && finished === null) return step('export');
  if (state !== 'none' && beganWithoutFile(progress))
    return flags.restart ? step('export') : refuse('appeared');
  return interruptedStep(file, flags) ?? finishedStep(file, flags);
}

/** Whether an interrupted export began without a FILE. */
const beganWithoutFile = (progress: Progress | null): boolean =>
  progress?.kind === 'export' || (progress?.kind === 'restart' && progress.fileAtStart === null);

/** The row of interrupted runs; null: a row below it applies. */
function interruptedStep(file: ExportFile, flags: ExportFlags): Step | null {
  const { progress } = file;
  if (progress === null) return null;
  const { kind, request } = progress;
  const isUpdate = kind === 'update';
  const isSame = isSameRequest(request, flags.request);
  const isSound = file.rowsDamage === null;
  const canResume = isSound && !progress.isLoop && !flags.unresumable && isSameService(request, flags);
  // FILE is not intact: its own row of the table applies; only a repair is resumed.
  if (isUpdate && !isIntact(file))
    return flags.all && progress.isAll && isSame && canResume && file.state !== 'none'
      ? step('resume')
      : null;
  const finish =
    kind === 'restart' && !isFileToReplace(file, progress) ? refuse('changed since') : step('resume');
  if (isSound && isFetched(progress)) return finish;
  if (flags.restart) return kind === 'restart' && isSame && canResume ? finish : null;
  if (!isSame) return refuse('other request');
  if (canResume) return finish;
  if (isUpdate) return step('update');
  if (!isSound) return refuse('damaged rows');
  return refuse(isSameService(request, flags) ? 'unresumable' : 'other request');
}

/** Whether FILE is what an interrupted run is to replace, or gone. A copied folder has other inodes. */
const isFileToReplace = ({ state, target: { stats } }: ExportFile, { fileAtStart }: Progress): boolean =>
  stats === null ||
  state === 'recorded' ||
  (stats.size === fileAtStart?.size && stats.mtimeMs === fileAtStart.mtime);

/** The rows of a FILE without an interrupted run. */
function finishedStep(file: ExportFile, flags: ExportFlags): Step {
  const { record, state } = file;
  const finished = record?.finished ?? null;
  if (flags.restart) return isRecent(file, flags) ? keep('recent') : step('export');
  if (finished === null) return state === 'none' ? step('export') : unrecordedStep(file, flags);
  if (state === 'none') return flags.update ? refuse('absent') : step('export');
  if (record !== null && !isSameRequest(record.request, flags.request)) return refuse('other request');
  if (isIntact(file)) return flags.update ? step('update') : keep('complete');
  if (flags.all) return step('update');
  return refuse(state === 'lost' ? 'lost' : 'damaged');
}

function unrecordedStep(file: ExportFile, { request, update, isFolder }: ExportFlags): Step {
  if (!isAdoptable(file, request)) return refuse('not adoptable');
  if (update) return step('adopt');
  return isFolder ? keep('adopted') : refuse('adoptable');
}

/**
 * What the flags still ask for after a step; null: nothing. An update whose token is refused starts over, once per run.
 * `failed`: the failure of that step; null: it succeeded.
 */
export function flagsLeft(
  { do: what }: Step,
  interrupted: Progress | null,
  failed: Pick<Failure, 'code' | 'status'> | null,
  flags: ExportFlags,
): ExportFlags | null {
  const isUpdate = interrupted?.kind === 'update';
  if (failed !== null) {
    // A list that repeats itself from its first page on would do so again.
    const isRefused = (what === 'update' || what === 'adopt') && failed.status !== 200;
    const startsOver = what === 'resume' ? isUpdate || flags.restart : isRefused;
    const isFirst = failed.code === 'unresumable' && !flags.unresumable;
    return isFirst && startsOver ? { ...flags, unresumable: true } : null;
  }
  if (interrupted === null || (what !== 'resume' && what !== 'record')) return null;
  const { isAll, request } = interrupted;
  const isRestarted = flags.restart && !isUpdate;
  if (isSameRequest(request, flags.request) && !flags.update && (isRestarted || !flags.restart)) return null;
  // A list that was fetched completely is not fetched again.
  return { ...flags, all: flags.all && isUpdate && !isAll };
}

/** Whether `--restart` of several references keeps an export: its last full export ended a short time ago. */
function isRecent(file: ExportFile, { several, request, now }: ExportFlags): boolean {
  const { record, progress } = file;
  if (!several || progress !== null || !record?.finished || !isSameRequest(record.request, request))
    return false;
  const age = now - Date.parse(record.finished.exported);
  return isIntact(file) && age >= 0 && age < recentHours * hour;
}

/** Whether FILE can become an archive of this request: every line is an entry of its channel or playlist. */
export function isAdoptable({ contents }: ExportFile, request: ExportRequest): boolean {
  if (request.format !== 'ndjson' || request.limit !== null || contents === null) return false;
  return (
    contents.damage === null && contents.ids.size > 0 && otherChannel(contents.channels, request) === null
  );
}

/** A channel other than that of the request; null if all entries are of its channel, or it is a playlist. */
export const otherChannel = (channels: ReadonlySet<string>, { command, id }: ExportRequest): string | null =>
  command === 'uploads' ? ([...channels].find((one) => one !== '' && one !== id) ?? null) : null;

/** Whether FILE, or an interrupted run, is of another channel or playlist. */
function isForeign({ record, state, progress, contents }: ExportFile, request: ExportRequest): boolean {
  const isOther = ({ id, command }: ExportRequest): boolean =>
    id !== request.id || command !== request.command;
  if (progress !== null && isOther(progress.request)) return true;
  if (state === 'none') return false;
  if (record?.finished && isOther(record.request)) return true;
  if (contents === null || contents.entries === 0) return false;
  const { channels } = contents;
  return otherChannel(channels, request) !== null && !channels.has(request.id) && !channels.has('');
}

const isSameService = ({ service }: ExportRequest, { request }: ExportFlags): boolean =>
  service === request.service;
