import type { FailureCode } from '../errors.ts';
import type { ExportFile } from './inspect.ts';
import type { ExportRequest, Progress } from './record.ts';

/** What a run was asked to do with one export. */
export interface ExportFlags {
  readonly request: ExportRequest;
  readonly update: boolean;
  /** With `update`: fetch every page. */
  readonly all: boolean;
  readonly restart: boolean;
  /** The interrupted run cannot be resumed: its token is refused, or its rows are damaged. */
  readonly unresumable: boolean;
  /** `--output-dir`: FILE is named by its ID. */
  readonly isFolder: boolean;
  /** The run has several references. */
  readonly several: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type Kept = 'complete' | 'adopted' | 'recent' | 'interrupted restart' | 'interrupted update';
export type Refusal =
  | 'foreign'
  | 'unresumable'
  | 'other request'
  | 'other format'
  | 'other columns'
  | 'other limit'
  | 'file gone'
  | 'lost'
  | 'damaged'
  | 'no record'
  | 'no ids';

/** What to do with one export. */
export type Step =
  | { readonly do: 'full' | 'resume' | 'update' | 'publish' }
  | { readonly do: 'keep'; readonly why: Kept }
  | { readonly do: 'refuse'; readonly why: Refusal };

const full: Step = { do: 'full' };
const resume: Step = { do: 'resume' };
const update: Step = { do: 'update' };
const keep = (why: Kept): Step => ({ do: 'keep', why });
const refuse = (why: Refusal): Step => ({ do: 'refuse', why });

const hour = 60 * 60 * 1000;
/** `--restart` of several references keeps exports that were finished within this time (ms). */
const recent = 22 * hour;

/** The table "What a run does with one export" of docs/updates.md. Pure: everything it needs is in its arguments. */
export function nextStep(file: ExportFile, flags: ExportFlags): Step {
  const { record, pending } = file;
  if (isForeign(file, flags)) return refuse('foreign');
  if (pending !== null) return { do: 'publish' };
  if (flags.update && hasNoIds(file)) return refuse('no ids');
  if (flags.restart) return restartStep(file, flags);
  if (record?.progress) return interruptedStep(file, record.progress, flags);
  if (file.state === 'none') {
    if (record?.finished && flags.update) return refuse('file gone');
    return full;
  }
  if (file.state === 'unrecorded') return unrecordedStep(file, flags);
  return finishedStep(file, flags);
}

function restartStep({ record, state }: ExportFile, flags: ExportFlags): Step {
  const { progress = null, finished = null } = record ?? {};
  if (progress?.isRestart && isSameRun(progress.request, flags.request) && !isUnresumable(progress, flags))
    return resume;
  const isComplete = record !== null && finished !== null && isIntact(state);
  if (flags.several && progress === null && isComplete && isSameFile(record.request, flags.request)) {
    const age = flags.now - Date.parse(finished.exported);
    const isWanted = !finished.isCut || record.request.limit === flags.request.limit;
    if (isWanted && age >= 0 && age < recent) return keep('recent');
  }
  return full;
}

function interruptedStep(file: ExportFile, progress: Progress, flags: ExportFlags): Step {
  if (!isSameRun(progress.request, flags.request)) return refuse('other request');
  if (progress.isUpdate) return interruptedUpdateStep(file, progress, flags);
  if (file.state === 'unrecorded' && !progress.isRestart) return refuse('no record');
  const isComplete = file.finished !== null && !file.finished.isCut && isIntact(file.state);
  if (progress.isRestart && isComplete && !flags.update) return keep('interrupted restart');
  return isUnresumable(progress, flags) ? refuse('unresumable') : resume;
}

function interruptedUpdateStep(
  { state, contents }: ExportFile,
  progress: Progress,
  flags: ExportFlags,
): Step {
  const again = isUnresumable(progress, flags) ? update : resume;
  if (state === 'none') return flags.update ? refuse('file gone') : full;
  if (isIntact(state) || (state === 'unrecorded' && contents?.damage == null))
    return flags.update ? again : keep('interrupted update');
  if (!flags.all) return refuse(state === 'lost' ? 'lost' : 'damaged');
  return progress.isAll ? again : update;
}

/**
 * What the flags still ask for after a step has dealt with an interrupted run; null: nothing. `failed`: the code of the
 * failure of that step; null: it succeeded.
 */
export function flagsLeft(
  { do: step }: Step,
  interrupted: Progress | null,
  failed: FailureCode | null,
  flags: ExportFlags,
): ExportFlags | null {
  if (interrupted === null || (step !== 'resume' && step !== 'publish')) return null;
  const { isUpdate, isRestart, isAll, request } = interrupted;
  if (failed !== null)
    return failed === 'unresumable' && (isUpdate || flags.restart) ? { ...flags, unresumable: true } : null;
  const isOther = !isSameFile(request, flags.request) || request.limit !== flags.request.limit;
  if (!flags.update && !(flags.restart && !isRestart) && !isOther) return null;
  // The pages of an update of every page that was resumed are not fetched twice.
  return { ...flags, all: flags.all && !isAll };
}

/** Whether no run can resume an interrupted one. */
const isUnresumable = (progress: Progress, flags: ExportFlags): boolean =>
  progress.isLoop || flags.unresumable;

function unrecordedStep({ contents }: ExportFile, { request, ...flags }: ExportFlags): Step {
  const isDamaged = contents?.damage != null;
  if (contents?.columns && request.fields !== null && contents.columns.join(',') !== request.fields)
    return refuse('other columns');
  if (!flags.update && !flags.isFolder) return refuse('no record');
  if (isDamaged && !flags.all) return refuse('damaged');
  return flags.update ? update : keep('adopted');
}

function finishedStep({ record, state }: ExportFile, { request, ...flags }: ExportFlags): Step {
  if (record === null || record.finished === null) return full;
  const { finished } = record;
  if (!isSameFile(record.request, request)) return refuse('other format');
  if (!isIntact(state)) return flags.all ? update : refuse(state === 'damaged' ? 'damaged' : 'lost');
  if (finished.isCut && request.limit !== record.request.limit) return full;
  if (!finished.isCut && request.limit !== null && request.limit < finished.entries)
    return refuse('other limit');
  return flags.update ? update : keep('complete');
}

const isIntact = (state: ExportFile['state']): boolean => state === 'recorded' || state === 'changed';

/** Whether FILE has entries, but none with an ID: an update would add all of them again. */
const hasNoIds = ({ contents }: ExportFile): boolean =>
  contents !== null && contents.entries > 0 && contents.ids.size === 0;

/** Whether FILE, or an interrupted run, is of another channel or playlist. */
function isForeign({ record, state, contents }: ExportFile, { request }: ExportFlags): boolean {
  const isOther = ({ id, command }: ExportRequest): boolean =>
    id !== request.id || command !== request.command;
  if (record?.progress && isOther(record.progress.request)) return true;
  if (state === 'none') return false;
  if (record?.finished && isOther(record.request)) return true;
  if (contents === null || request.command !== 'uploads') return false;
  return contents.channels.size > 0 && !contents.channels.has(request.id);
}

/** Whether an interrupted run can be continued by this request. */
const isSameRun = (one: ExportRequest, other: ExportRequest): boolean =>
  isSameFile(one, other) && one.limit === other.limit && one.service === other.service;

/** Whether FILE has the format and the fields of this request. */
const isSameFile = (one: ExportRequest, other: ExportRequest): boolean =>
  one.format === other.format && one.fields === other.fields;
