import type { PagesFile } from '../archive/pages-file.ts';
import { ReferenceIndex } from '../archive/reference-index.ts';
import { Failure, toFailure } from '../errors.ts';
import { isLocked, lockedFailure } from '../fs/file-lock.ts';
import { needsPage } from '../run/list-pages.ts';
import type { DryRun, FirstRequest } from '../run/print-dry-run.ts';
import type { Reference } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import { operations, parametersFor } from '../service/contract.ts';
import { type Position, startPosition, tokenOf } from '../service/page.ts';
import { canContinueUpdate } from './add-new-entries.ts';
import { stuckFailure } from './buy-pages.ts';
import { type ExportFolder, type ExportItem, readItem } from './export-item.ts';
import { type Plan, planExport } from './plan.ts';
import { readIntact } from './updated-file.ts';

/** Placeholder for the ID of a reference that is not resolved yet: no record has this ID. */
const unresolvedId = '';

/** Throws a usage error if an export to `-o FILE` is refused: before anything is sent, and before the summary is replaced. */
export async function assertExportable(
  exportFolder: ExportFolder,
  [reference]: readonly Reference[],
): Promise<void> {
  if (exportFolder.file === null || reference === undefined) return;
  try {
    const id = new ReferenceIndex(exportFolder).knownId(reference);
    using item = await readItem(exportFolder, { reference, id: id ?? unresolvedId });
    // The record or the pages may belong to the ID that is not resolved yet.
    const mayBeOwn = id === null && (item.foreignId ?? item.interrupted) !== null;
    if (!mayBeOwn) await unlockedPlan(item);
  } catch (error) {
    // Other failures are reported by the run itself.
    if (!(error instanceof Failure) || error.exit === 2) throw error;
  }
}

/** Returns the first request of each reference, or the result of a reference that the run would refuse. */
export async function firstRequests(
  exportFolder: ExportFolder,
  references: readonly Reference[],
): Promise<DryRun> {
  const { options } = exportFolder;
  const index = new ReferenceIndex(exportFolder);
  const ids = new Set<string>();
  const requests: FirstRequest[] = [];
  const results: Result[] = [];
  for (const reference of references) {
    const id = index.knownId(reference);
    if (reference.failure !== null) results.push(resultOf(reference));
    else if (id === null)
      requests.push({
        reference: reference.given,
        operation: operations.resolve,
        parameters: { input: reference.value },
        nextCost: options.update && !options.all ? 0 : 1,
      });
    else if (!ids.has(id))
      try {
        ids.add(id);
        using item = await readItem(exportFolder, { reference, id });
        requests.push({ reference: reference.given, ...(await firstRequest(item)) });
      } catch (error) {
        results.push(resultOf(reference, { failure: toFailure(error).with({ scope: 'reference' }) }));
      }
  }
  return { requests, results };
}

/** Returns the plan of an export. Throws `locked` while another run works on it. */
async function unlockedPlan(item: ExportItem): Promise<Plan> {
  const { exportFolder, name, target } = item;
  if (await isLocked(exportFolder.privateFolder, name)) throw lockedFailure(target.path);
  return planExport(item);
}

type FirstOfItem = Omit<FirstRequest, 'reference'>;

/** Returns the first request of an export. Throws the failure with which a run would refuse the export. */
async function firstRequest(item: ExportItem): Promise<FirstOfItem> {
  const plan = await unlockedPlan(item);
  switch (plan.action) {
    case 'keep':
    case 'finish':
      return noRequest;
    case 'export': {
      const stuck = plan.pages && stuckFailure(item, plan.pages);
      if (stuck !== null) throw stuck;
      return pageRequest(item, plan.pages?.position ?? startPosition);
    }
    case 'update': {
      const checksum = await checksumOf(item);
      if (plan.pages === null) return updateRequest(item);
      return pageRequest(item, updatePosition(item, plan.pages, checksum));
    }
  }
}

/** Returns the checksum of FILE. Like a run, reads a FILE that is not as recorded, and throws if it is refused. */
async function checksumOf(item: ExportItem): Promise<number> {
  const { record, onDisk } = item;
  const file = onDisk.file === 'archive' && record !== null ? record : await readIntact(item);
  return file.checksum;
}

/** Returns the first request of an update: for the feed of a channel, for the first page of a playlist. */
function updateRequest(item: ExportItem): FirstOfItem {
  const { operation, options } = item.exportFolder;
  if (operation.name === 'playlist') return pageRequest(item, startPosition);
  return { operation: operations.latest, parameters: { channel: item.id }, nextCost: options.all ? 1 : 0 };
}

const noRequest: FirstOfItem = { operation: null, parameters: {} };

/** Returns the request for the page at a position, if one is needed. */
function pageRequest({ exportFolder, id }: ExportItem, position: Position): FirstOfItem {
  const { operation, options } = exportFolder;
  if (!needsPage(position, options.limit)) return noRequest;
  return { operation, parameters: parametersFor(operation, id, tokenOf(position.next)), nextCost: 0 };
}

/** Returns where an interrupted update continues: at the start if it cannot use its pages. */
function updatePosition(item: ExportItem, pages: PagesFile, checksum: number): Position {
  const isContinued = stuckFailure(item, pages) === null && canContinueUpdate(pages, item, checksum);
  return isContinued ? pages.position : startPosition;
}
