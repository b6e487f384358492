import { usage } from '../errors.ts';
import { firstEntries } from '../run/listing.ts';
import type { PartialFile } from './partial-file.ts';
import { type ExportTask, openExport, tellDone } from './task.ts';
import { columnsOf, fileFormat, positionOf, writePages } from './write-pages.ts';

/** Writes the file anew, or goes on with that where it was interrupted (unless `restart`). */
export async function exportFull(task: ExportTask, restart = false): Promise<void> {
  const { settings, receipt } = task;
  const { limit } = settings.listing.options;
  const file = await openExport(task, 'export', restart);
  try {
    if (!file.alreadyDone) return await goOn(task, file, limit);
    tellDone(task, file);
    await task.finishing?.();
    const { entries, hasMore } = positionOf(file.state);
    receipt.id ??= file.state.id;
    receipt.entries = entries;
    receipt.status = hasMore ? 'limited' : 'complete';
    if (entries === limit || (!hasMore && (limit === null || entries < limit))) return;
  } finally {
    await file.close();
  }
  // The interrupted run had another --limit: its file is in its place, and the one asked for now begins anew.
  await exportFull(task);
}

async function goOn(task: ExportTask, file: PartialFile, limit: number | null): Promise<void> {
  const before = positionOf(file.state);
  const { entries, hasMore, cut } = before;
  // Where a page was cut, that was by the limit it was begun with.
  const begunFor = cut && hasMore ? entries : null;
  if (begunFor !== null ? begunFor !== limit : limit !== null && entries > limit) {
    const right = begunFor === null ? 'without --limit, or with a larger one' : `with --limit ${begunFor}`;
    throw usage(
      `${task.target.path}: the interrupted export has ${entries} entries, which does not fit --limit`,
      `go on ${right}, or throw it away with --restart`,
    );
  }
  const columns = task.settings.format === 'csv' ? columnsOf(file.state) : null;
  const format = await fileFormat(task.settings, columns);
  await writePages(task, file, format, {
    before: { ...before, done: !hasMore || entries === limit },
    select: firstEntries(limit),
    finish: async (closing) => {
      await task.finishing?.();
      await file.finish(closing + format.tail());
    },
  });
}
