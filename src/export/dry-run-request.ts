import type { Target } from '../fs/target.ts';
import { type DryRunRequest, firstRequest } from '../run/dry-run.ts';
import type { ListingStart } from '../run/run-listing.ts';
import { operations } from '../service/contract.ts';
import { count } from '../text/count.ts';
import type { ExportSettings } from './export-settings.ts';
import { fullCost } from './job.ts';
import type { Memory } from './memory.ts';
import { PartialFile } from './partial-file.ts';

/**
 * The first request of an export, for `--dry-run`: an interrupted one resumes at its token, an update asks `latest`
 * first. `target`: null if the name of the file is known only after a request.
 */
export async function dryRunRequest(
  { task, folder }: ExportSettings,
  start: ListingStart,
  target: Target | null,
  memory: Memory | null,
): Promise<DryRunRequest> {
  const { operation, options } = task;
  const updates = options.update && !options.restart;
  const when = updates && target?.exists !== false ? ' for new entries' : '';
  const isRemembered = options.restart && Object.hasOwn(memory?.references ?? {}, start.value ?? '');
  if (start.id === null && (target === null || options.update || isRemembered))
    return {
      operation: operations.resolve,
      parameters: { input: start.value ?? '' },
      next: { operation, when },
    };
  const state = target === null || options.restart ? null : await PartialFile.peek(target).catch(() => null);
  const isUpdate = updates && target?.exists === true && state?.header.mode === 'update';
  if (state !== null && !isUpdate && !state.progress.done && state.progress.result === null) {
    const { entries, total, token } = state.progress;
    const note = `resumes after ${total === null ? count(entries, 'entry', 'entries') : `${entries} of ${count(total, 'entry', 'entries')}`}`;
    return { ...firstRequest(operation, { value: start.value, token }), note };
  }
  const isComplete = target?.exists === true && !options.restart;
  const known =
    memory === null || memory.finished === null
      ? null
      : `${count(memory.entries, 'entry', 'entries')} so far`;
  if (updates && isComplete)
    return {
      operation: operations.latest,
      parameters: { channel: start.value ?? '' },
      next: { operation, when },
      ...(known !== null && { note: known }),
    };
  if (isComplete && folder !== null)
    return { ...firstRequest(operation, start), note: 'complete: kept, not requested' };
  return {
    ...firstRequest(operation, start),
    ...(known !== null && { note: `${known}: ${fullCost(memory?.entries ?? null)}` }),
  };
}
