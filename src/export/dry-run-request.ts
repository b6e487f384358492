import { operations } from '../api/contract.ts';
import type { Target } from '../fs/target.ts';
import type { DryRunRequest } from '../run/dry-run.ts';
import { firstRequest, type ListStart } from '../run/listing-plan.ts';
import { PartialFile } from './partial-file.ts';
import type { ExportSettings } from './task.ts';
import { positionOf } from './write-pages.ts';

/**
 * The first request of an export, for `--dry-run`: an interrupted one goes on at its token, an update asks
 * `latest` first. `target` is null where the file's name is only known after a request, or its folder is missing.
 */
export async function dryRunRequest(
  { listing }: ExportSettings,
  start: ListStart,
  target: Target | null,
): Promise<DryRunRequest> {
  const { operation, options } = listing;
  if (target === null && start.id === null) {
    const when = options.update && !options.restart ? ' for what is new' : '';
    return {
      operation: operations.resolve,
      parameters: { input: start.value ?? '' },
      next: { operation, when },
    };
  }
  const state = target === null || options.restart ? null : await PartialFile.peek(target);
  const going = state !== null && state.pages > 0 && !state.done ? positionOf(state) : null;
  if (going !== null && !going.done) return firstRequest(operation, { value: null, token: going.token });
  const updates = options.update && !options.restart && target?.exists === true;
  if (!updates) return firstRequest(operation, start);
  const next = { operation, when: ' for what is new' };
  return { operation: operations.latest, parameters: { channel: start.value ?? '' }, next };
}
