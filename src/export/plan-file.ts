import { stat } from 'node:fs/promises';
import { effectiveFormat } from '../cli/options.ts';
import type { Target } from '../fs/target.ts';
import type { ListingStart, ListingTask } from '../run/run-listing.ts';
import type { SessionPlan } from '../run/session.ts';
import { dryRunRequest } from './dry-run-request.ts';
import { exportReference } from './export-reference.ts';
import { type ExportSettings, exportRun, settingsOf } from './export-settings.ts';
import { IdIndex, withKnownId } from './id-index.ts';
import { completeFile } from './job.ts';
import { type Memory, readMemory, UnusableMemory } from './memory.ts';
import { PartialFile } from './partial-file.ts';

/** Plans the export of one reference into FILE. */
export async function planFile(task: ListingTask, target: Target): Promise<SessionPlan> {
  const { options } = task;
  const [start] = task.starts;
  if (start === undefined) throw new Error('an export needs a reference');
  const { receipt } = start;
  const settings = settingsOf(task, effectiveFormat(options.shared, false), null, options.update);
  await refuseCompleteFile(settings, start, target);
  return {
    receipts: [receipt],
    requests: async () => {
      const memory = await memoryAt(target);
      const keepsId = options.update || options.restart;
      const known = keepsId && memory !== null ? withKnownId(task, start, [memory]) : start;
      return [await dryRunRequest(settings, known, target, memory)];
    },
    concurrency: 1,
    isPaid: true,
    destination: target.path,
    resumeHint: () => receipt.resumeHint,
    work: async (session) => {
      const { memory, exists } = await findMemory(target);
      // An existing memory is kept up to date, whatever the options are.
      const run = exportRun(session, { ...settings, remembers: settings.remembers || exists });
      const index = new IdIndex(memory === null ? [] : [memory], run);
      await exportReference(run, start, async () => {
        // An update needs to know the channel before the first page; --restart keeps to the one that is known.
        const needsId = options.update || (options.restart && index.memoryOf(start) !== null);
        return { target, id: needsId ? () => index.idOf(start, run) : start.id };
      });
    },
  };
}

async function memoryAt(target: Target): Promise<Memory | null> {
  return (await findMemory(target)).memory;
}

/** The memory at FILE. One that exists may be damaged or of a newer version: then it is null. */
async function findMemory(target: Target): Promise<{ memory: Memory | null; exists: boolean }> {
  try {
    const memory = await readMemory(target.real);
    return { memory, exists: memory !== null };
  } catch (error) {
    return { memory: null, exists: error instanceof UnusableMemory && !error.inTheWay };
  }
}

/** A complete export is not bought twice by accident: `uploads -o FILE` needs --update or --restart. */
async function refuseCompleteFile(
  settings: ExportSettings,
  start: ListingStart,
  target: Target,
): Promise<void> {
  const { operation, options } = settings.task;
  if (!operation.updatable || options.update || options.restart || !target.exists) return;
  if ((await stat(target.real)).size === 0) return;
  if (await isInterrupted(target)) return;
  throw completeFile(target, (await memoryAt(target))?.entries ?? null, settings.task, start);
}

/** Whether FILE has an interrupted export. A damaged one counts: the work reports it. */
async function isInterrupted(target: Target): Promise<boolean> {
  return await PartialFile.peek(target).then(
    (state) => state !== null,
    () => true,
  );
}
