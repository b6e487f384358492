import { assertUnchanged } from '../fs/atomic.ts';
import { firstEntries } from '../run/list-pages.ts';
import { type Result, resultOf } from '../run/results.ts';
import { buyPages } from './buy-pages.ts';
import { endRun } from './end-run.ts';
import { beginRun, failedExport, type LockedExport } from './locked-export.ts';
import { emptyList, moveAway } from './messages.ts';
import { noChecks } from './record.ts';
import type { RunFile } from './run-file.ts';

/** Exports a list from its first page. */
export async function exportList(locked: LockedExport): Promise<Result> {
  using run = beginRun(locked, null);
  return await resumeExport(locked, run);
}

/** Buys the remaining pages of an export, and replaces FILE once all of them are there. */
export async function resumeExport(locked: LockedExport, run: RunFile): Promise<Result> {
  const { operation, target, item, context } = locked;
  const { started, replaces, request } = run.header;
  if (!replaces) assertUnchanged(target, null, moveAway(locked));
  const resumed = run.position.entries;
  const select = firstEntries(operation, request.limit, await run.lastPageIds(context.stop));
  const { facts: bought, failure } = await buyPages(locked, run, select);
  const { entries, hasMore } = run.position;
  const facts = { ...bought, entries, resumed };
  if (failure !== null) return failedExport(locked, failure, facts);
  if (entries === 0 && target.stats !== null && target.stats.size > 0) {
    run.remove();
    return failedExport(locked, emptyList(target.path), facts);
  }
  const checks = { ...noChecks, checked: started, missing: bought.missing };
  await endRun(locked, run, checks);
  return resultOf(item, { ...facts, status: hasMore ? 'limited' : 'complete' });
}
