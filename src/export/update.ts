import { operations, pageSize } from '../api/contract.ts';
import { resolvedId } from '../api/resolved-id.ts';
import { Failure, usage } from '../errors.ts';
import { resolveFile } from '../fs/target.ts';
import { keepMemoryFlat } from '../run/flat-heap.ts';
import type { ListingPlan } from '../run/listing.ts';
import { credits } from '../text/count.ts';
import { ExistingExport } from './existing-export.ts';
import { exportFull } from './export-full.ts';
import { latestOf } from './latest.ts';
import { PartialFile } from './partial-file.ts';
import { restartCommand } from './restart-command.ts';
import { type ExportTask, openExport, tellDone } from './task.ts';
import { fileFormat, positionOf, writePages } from './write-pages.ts';

/**
 * `--update`: finishes what was interrupted first, then asks the free `latest` whether there is anything new,
 * and only then buys pages until the first known video. The new entries go on top of the old ones, atomically.
 */
export async function updateFile(task: ExportTask): Promise<void> {
  await keepMemoryFlat();
  const { call, receipt, target } = task;
  const interrupted = await PartialFile.peek(target);
  const begun = interrupted !== null && (interrupted.pages > 0 || interrupted.done);
  if (!begun && !target.exists) return await exportAll(task);
  if (interrupted !== null) {
    if (!begun) await throwAway(task);
    else if (interrupted.mode === 'export') {
      await exportFull(task);
      if (!target.exists) receipt.added = receipt.entries;
    } else if (interrupted.done) await putInPlace(task);
    else if (target.exists || !positionOf(interrupted).cut) await fetchNew(task, null);
    else {
      call.stderr.warn(
        `${target.path} has been removed since its update was interrupted: all is exported anew`,
      );
      return await exportAll(task);
    }
  }
  const finished = receipt.status === 'complete';
  await bringUpToDate({ ...task, target: await resolveFile(target.path) });
  if (finished && receipt.status === 'unchanged') receipt.status = 'complete';
  compare(task);
}

/** Without FILE all entries are new. */
async function exportAll(task: ExportTask): Promise<void> {
  await exportFull(task, true);
  task.receipt.added = task.receipt.entries;
}

/** What was only begun, without a page, needs no going on with. */
async function throwAway(task: ExportTask): Promise<void> {
  await (await openExport(task, 'update', true)).discard();
}

/**
 * With --restart: throws an interrupted update away; false where there is none, for then it is the whole export that
 * starts over.
 */
export async function throwUpdateAway(task: ExportTask): Promise<boolean> {
  const interrupted = await PartialFile.peek(task.target).catch(() => null);
  if (interrupted?.mode !== 'update' || !task.target.exists) return false;
  await throwAway(task);
  return true;
}

/** The interrupted update had everything: its last step is done. */
async function putInPlace(task: ExportTask): Promise<void> {
  const { receipt } = task;
  const file = await openExport(task, 'update', false);
  await file.close();
  tellDone(task, file);
  receipt.id ??= file.state.id;
  receipt.status = 'complete';
  receipt.added = file.state.entries;
}

async function bringUpToDate(task: ExportTask): Promise<void> {
  const { call, start, receipt } = task;
  const file = new ExistingExport(task);
  // What is wrong with the old file shows before anything is sent.
  const { entries, channelId } = await file.look();
  const answer = await call.client.call(operations.latest, { channel: start.value ?? '' }, receipt.tally);
  const latest = latestOf(answer);
  if (channelId !== null) await checkChannel(task, file, channelId, latest.channelId);
  const known = await file.find(latest.videos.flat());
  const isKnown = (names: readonly string[]): boolean => names.some((name) => known.has(name));
  const firstKnown = latest.videos.findIndex(isKnown);
  if (latest.videos.every(isKnown)) {
    receipt.status = 'unchanged';
    receipt.entries = entries;
    receipt.added ??= 0;
    return;
  }
  await fetchNew(task, firstKnown === -1 ? null : firstKnown);
}

/**
 * Buys pages until the first known video, and puts what is new on top. `firstKnown`: how many new videos `latest`
 * has before a known one; null where it has none that is known.
 */
async function fetchNew(task: ExportTask, firstKnown: number | null): Promise<void> {
  const { call, settings, target, receipt } = task;
  const known = new ExistingExport(task);
  // Everything that could be wrong with the old file shows before anything is paid.
  const { entries: old, channelId } = await known.survey();
  let file = await openExport(task, 'update', false);
  try {
    let ends = endsOf(file);
    if (file.baseChanged && (await known.find(ends)).size > 0) {
      call.stderr.warn(
        `${target.path} has what the interrupted update had fetched: it was changed meanwhile; the update begins anew`,
      );
      await file.close();
      file = await openExport(task, 'update', true);
      ends = [];
    }
    let met = false;
    const select: ListingPlan['select'] = async (page) => {
      const ids = page.entries.map((entry) => entry.get('videoId')?.string() ?? '');
      const found = await known.find(ids);
      const first = ids.findIndex((id) => found.has(id));
      met = first >= 0;
      // A short page may end before the one that latest has.
      const expected = firstKnown !== null && (firstKnown < ids.length || ids.length === 0);
      if (!met && page.token === null && old > 0 && expected) throw unlike(target.path);
      const taken = met ? first : ids.length;
      if (taken > 0) ends = [ends[0] ?? ids[0] ?? '', ids[taken - 1] ?? ''];
      return { entries: page.entries.slice(0, taken), done: met };
    };
    const before = positionOf(file.state);
    // An update that has met a known entry has left the rest of that page.
    met = before.done && before.hasMore;
    const format = await fileFormat(settings, await known.header());
    const finish = async (): Promise<void> => {
      const fresh = receipt.entries;
      if (!met && old > 0 && channelId === null) throw perhapsAnother(target.path);
      const end = format.close(
        { reference: null, position: 0 },
        { hasMore: false, token: null, failure: null },
      );
      if (fresh > 0) {
        await task.finishing?.();
        await file.finishWith(known.rows(), end + format.tail());
      } else await file.discard();
      receipt.added = (receipt.added ?? 0) + fresh;
      receipt.entries = fresh + old;
      receipt.token = null;
    };
    await writePages(task, file, format, { before, select, finish, known: old, extra: () => ({ ends }) });
    receipt.status = receipt.added === 0 ? 'unchanged' : 'complete';
    if (!met && old > 0) {
      call.stderr.warn(
        `${target.path}: none of the ${old} entries that it had is in the list any more; they are kept below the new ones`,
      );
    }
  } finally {
    await file.close();
  }
}

/** IDs of the newest and the oldest entry that an interrupted update has fetched. */
function endsOf({ state }: PartialFile): string[] {
  const { ends } = state.extra;
  return Array.isArray(ends) ? ends.filter((id) => typeof id === 'string' && id !== '') : [];
}

/** Holds the file's entries against numVideos. */
function compare(task: ExportTask): void {
  const { call, target, receipt } = task;
  if (receipt.total === null) return;
  receipt.missing = Math.max(0, receipt.total - receipt.entries);
  receipt.disappeared = Math.max(0, receipt.entries - receipt.total);
  if (receipt.missing === 0) return;
  const cost = credits(Math.ceil(receipt.total / pageSize));
  const are = receipt.missing === 1 ? 'video is' : 'videos are';
  call.stderr.warn(
    `${target.path}: ${receipt.missing} of ${receipt.total} ${are} missing; fix it for about ${cost} with: ${restartCommand(task)}`,
  );
}

/** The file, whose newest entry is of channel `held`, must be of the channel that was asked for: told by free calls. */
async function checkChannel(
  task: ExportTask,
  file: ExistingExport,
  held: string,
  latest: string | null,
): Promise<void> {
  const { call, start, target, receipt } = task;
  receipt.id ??= latest;
  if (receipt.id === null) {
    const answer = await call.client.call(operations.resolve, { input: start.value ?? '' }, receipt.tally);
    receipt.id = resolvedId(answer);
  }
  if (receipt.id === null || receipt.id === held || (await file.hasChannel(receipt.id))) return;
  throw usage(
    `${target.path} holds another channel: ${held}, not ${receipt.id} (${start.given})`,
    'name another file',
  );
}

function unlike(path: string): Failure {
  return new Failure(
    'bad_answer',
    `none of the first page's videos is in ${path}, though latest names known ones`,
    {
      hint: 'if the file is right, try again later; --restart exports everything anew',
    },
  );
}

/** Nothing in the file says whose it is, and nothing of it is in the list: what was fetched waits beside it. */
function perhapsAnother(path: string): Failure {
  return new Failure(
    'bad_answer',
    `none of the entries in ${path} is in the list: it may hold another channel, and is left as it is`,
    { hint: 'move it away, and the same command writes what it has fetched, at no cost' },
  );
}
