import { basename } from 'node:path';
import { type Failure, toFailure } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { resolveTarget } from '../fs/output-target.ts';
import { type Result, resultOf } from '../run/results.ts';
import { flagsLeft, nextStep } from './decide/next-step.ts';
import { inspect, type Snapshot } from './inspect/inspect-export.ts';
import {
  type ExportItem,
  type ExportRun,
  type ExportSetup,
  type ExportState,
  exportFlags,
  type Performer,
} from './locked-export.ts';
import { givenUpText, refusal, unusableText } from './messages.ts';
import { performer } from './perform/perform-step.ts';
import { withReferences } from './record/after-run.ts';
import { newRecord, readRecord, stampOf, writeRecord } from './record/export-record.ts';
import { rowsNames } from './record/rows-name.ts';

/** Writes what was resolved to the ID of an item into its record, in case the run ends before its export. */
export async function rememberReferences(exports: ExportRun, item: ExportItem): Promise<void> {
  if (Object.keys(item.references).length === 0) return;
  const { folder } = exports;
  const name = nameOf(item.snapshot);
  try {
    using _lock = await acquireLock(folder, name, item.snapshot.target.path);
    const { record, unusable } = readRecord(folder, name);
    const { request } = exportFlags(exports, item.id);
    const isOther = record?.request.id !== item.id;
    if (unusable !== null || (isOther && (record?.finished ?? record?.progress ?? null) !== null)) return;
    const known = record === null || isOther ? newRecord(item.reference, request) : record;
    writeRecord(folder, name, withReferences(known, item.reference, item.references), { durable: false });
  } catch {
    // The export itself fails in the same way, and reports it.
  }
}

/** Exports one item under its lock. Returns every failure in the result. */
export async function exportItem(exports: ExportRun, item: ExportItem): Promise<Result> {
  const { folder, warn } = exports;
  const name = nameOf(item.snapshot);
  try {
    using lock = await acquireLock(folder, name, item.snapshot.target.path);
    if (lock === null && folder.created)
      warn(
        'no lock',
        null,
        `${folder.path}: this file system cannot hold locks; do not let two runs write one file`,
      );
    return await exportOne(exports, item, performer);
  } catch (error) {
    return failedResult(item, toFailure(error));
  }
}

/** Exports one item, or brings it up to date: inspect, decide, perform. Returns every failure in the result. */
export async function exportOne<Setup extends ExportSetup>(
  exports: Setup,
  item: ExportItem,
  performer: Performer<Setup>,
): Promise<Result> {
  const { warn, context, folder, names } = exports;
  const name = nameOf(item.snapshot);
  const flags = exportFlags(exports, item.id);
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
      warn(`record: ${file.unusable}`, item.label, unusableText(file, folder));
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
const nameOf = ({ target }: Snapshot): string => basename(target.real);

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
const failedResult = (item: ExportItem, failure: Failure, entries = 0): Result =>
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
