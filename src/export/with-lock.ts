import { acquireLock } from '../fs/lock.ts';
import { resolveFile } from '../fs/target.ts';
import { exportFull } from './export-full.ts';
import type { ExportTask } from './task.ts';
import { throwUpdateAway, updateFile } from './update.ts';

/**
 * Exports one reference into a file that is never half-written: goes on with an interrupted export, brings a
 * complete file up to date with `--update`, otherwise writes it anew. How it went is in the receipt; failures
 * are thrown.
 */
export async function withLock(task: ExportTask): Promise<void> {
  const { options } = task.settings.listing;
  const lock = await acquireLock(task.target.real, task.target.path);
  try {
    // Looked at again: another run may have finished the file until it let go of the lock.
    const now = await resolveFile(task.target.path);
    const own = { ...task, target: now.real === task.target.real ? now : task.target };
    if (options.update && (!options.restart || (await throwUpdateAway(own)))) await updateFile(own);
    else await exportFull(own, options.restart);
  } finally {
    await lock.release();
  }
}
