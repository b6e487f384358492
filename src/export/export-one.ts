import { basename } from 'node:path';
import { type Failure, toFailure } from '../errors.ts';
import { resolveTarget } from '../fs/output-target.ts';
import { type Result, resultOf } from '../run/results.ts';
import { flagsLeft, nextStep, type Step } from './decide/next-step.ts';
import { type ExportFile, inspect, type Snapshot } from './inspect/inspect-export.ts';
import { type ExportItem, type ExportSetup, type ExportState, exportFlags } from './locked-export.ts';
import { givenUpText, refusal, unusableText } from './messages.ts';
import { withReferences } from './record/after-run.ts';
import { newRecord, readRecord, stampOf } from './record/export-record.ts';
import { rowsNames } from './record/rows-name.ts';

/** Does what was decided: in a run, or in a dry run, which only finds the first request. */
export interface Performer<Setup extends ExportSetup> {
  /** Does a step. Returns the failures of requests in the result. */
  perform(step: Step, one: Setup & ExportState): Promise<Result>;
  /** FILE and its record after a step; null: nothing else is to be done. */
  inspectAgain(step: Step, one: Setup & ExportState): Promise<ExportFile | null>;
}

/** Exports one item, or brings it up to date: inspect, decide, perform. Returns every failure in the result. */
export async function exportOne<Setup extends ExportSetup>(
  exports: Setup,
  item: ExportItem,
  performer: Performer<Setup>,
): Promise<Result> {
  const { warn, context, folder, names } = exports;
  const name = nameOf(item.snapshot);
  const flags = exportFlags(exports, item.id, context.clock.now());
  const result = await decideAndPerform().catch((error) => failedResult(item, toFailure(error)));
  const { failure } = result;
  if (failure === null || failure.exit !== 2 || item.tally.paidRequests === 0) return result;
  // Exit code 2 promises that nothing was spent, so after a paid page it becomes 1.
  return { ...result, failure: failure.with({ exit: 1 }) };

  async function decideAndPerform(): Promise<Result> {
    const snapshot = currentSnapshot(exports, item);
    const rows = rowsNames(names, name);
    const file = await inspect(folder, snapshot, { stop: context.stop, rows });
    if (file.unusable !== null && folder !== null && (flags.restart || !file.hasUnrecordedRows))
      warn('record', item.label, unusableText(file, folder));
    const interrupted = file.record?.progress ?? null;
    if (interrupted !== null && file.progress === null && !file.isInPlace)
      warn('given up', item.label, givenUpText(interrupted));
    // The record of another channel, whose FILE is gone, says nothing about this one.
    const isKnown = file.record !== null && file.record.request.id === item.id;
    const known = isKnown ? file.record : newRecord(item.reference, flags.request);
    const record = { ...withReferences(known, item.reference, item.references), progress: file.progress };
    const one = { ...exports, item, flags, file, record, name, stamp: file.stamp };
    return await performSteps(one, performer);
  }
}

/** Name of FILE. */
export const nameOf = ({ target }: Snapshot): string => basename(target.real);

/** Decides and performs; after an interrupted run has been dealt with, once more for what is left to do. */
async function performSteps<Setup extends ExportSetup>(
  one: Setup & ExportState,
  performer: Performer<Setup>,
): Promise<Result> {
  const { item, flags, file } = one;
  const step = nextStep(file, flags);
  if (step.do === 'refuse') return failedResult(item, refusal(step.why, one), file.entries);
  const interrupted = one.record.progress;
  const result = await performer.perform(step, one);
  const left = flagsLeft(step, interrupted, result.failure, flags);
  const present = left === null ? null : await performer.inspectAgain(step, one);
  if (left === null || present === null) return result;
  const record = present.record ?? one.record;
  const next = await performSteps({ ...one, flags: left, file: present, record }, performer);
  return mergeResults(result, next);
}

/** What was read before the lock, read again if another run has written since. */
function currentSnapshot({ folder, options }: ExportSetup, { snapshot }: ExportItem): Snapshot {
  const name = nameOf(snapshot);
  if (folder === null || stampOf(folder, name) === snapshot.stamp) return snapshot;
  return {
    ...readRecord(folder, name),
    target: resolveTarget(snapshot.target.path, { onlyFiles: options.outputDir !== null }),
  };
}

/** What is refused of one export stops only that one. */
export const failedResult = (item: ExportItem, failure: Failure, entries = 0): Result =>
  resultOf(item, {
    failure: failure.code === 'usage' ? failure.with({ scope: 'reference' }) : failure,
    entries,
  });

/** Two steps of one export as one result. */
const mergeResults = (first: Result, second: Result): Result => ({
  ...second,
  status: second.status === 'unchanged' && first.failure === null ? first.status : second.status,
  added: second.added === null ? first.added : second.added + (first.added ?? 0),
  pages: first.pages + second.pages,
  resumed: first.failure === null || second.added !== null ? first.resumed : second.resumed,
  missing: second.missing ?? first.missing,
  unlisted: second.unlisted ?? first.unlisted,
  why: first.why ?? second.why,
});
