import { Failure, usage } from '../errors.ts';
import { firstEntries, repeatFilter } from '../run/listing.ts';
import { noCredits, spent } from '../service/budget.ts';
import { operations } from '../service/contract.ts';
import type { Page } from '../service/pages.ts';
import { ExistingExport } from './existing-export.ts';
import { readFeed } from './feed.ts';
import {
  creditsSoFar,
  type ExportJob,
  fieldsText,
  fileFormat,
  hasOwnMemory,
  identityFor,
  itemOf,
  remember,
  wantsPublished,
} from './job.ts';
import type { Memory } from './memory.ts';
import { type FinishedFile, PartialFile, type ReplacedFile } from './partial-file.ts';
import { IdSet } from './read/id-set.ts';
import type { Progress } from './state.ts';
import { writePages } from './write-pages.ts';

/**
 * Exports a listing into FILE, or resumes an interrupted export (unless `restart`). FILE is replaced once all pages
 * are there. The result is in the receipt; failures are thrown.
 */
export async function exportFull(job: ExportJob, restart: boolean): Promise<void> {
  const { run, target } = job;
  const { session, task } = run;
  const { limit } = task.options;
  // --restart replaces an interrupted export that is damaged, too.
  const replaced = restart ? await PartialFile.peek(target).catch(() => null) : null;
  const interrupted = restart ? null : await PartialFile.peek(target);
  const published = interrupted === null && wantsPublished(run) ? await publishedDates(job) : {};
  const file = await PartialFile.open(target, await identityFor(job, interrupted), {
    mode: 'export',
    restart,
    now: session.context.clock.now(),
    digest: run.remembers,
    published,
    creditsBefore: creditsSoFar(job),
  });
  try {
    if (file.finished !== null) return await noteFinishedBefore(job, file, file.finished);
    const done = isLimitReached(job, file);
    const { progress } = file;
    const written = await idsWritten(job, file, done);
    const repeats = repeatFilter(task.operation, progress.ids, written);
    const select = firstEntries(limit, repeats.take);
    const format = await fileFormat(run, progress.columns);
    await writePages(job, file, {
      format,
      item: itemOf(job, file.header.published),
      limit,
      select: (page, count) => {
        // Nothing is written yet: the interrupted export stays.
        if ((replaced?.progress.entries ?? 0) > 0 && isEmptyList(page, file.progress))
          throw emptyList(
            `the interrupted export of ${target.path}`,
            'run the same command without --restart to resume it',
          );
        return select(page, count);
      },
      pageIds: repeats.ids,
      reserve: 0,
      done,
    });
    await refuseEmpty(job, file);
    // The JSON document of a limited export names its next page.
    const { hasMore, token } = file.progress;
    const closing = format.close(
      { reference: null },
      { hasMore, token: hasMore ? token : null, failure: null },
    );
    const result = await file.finish(closing + format.tail());
    await noteFinished(job, result, emptySeen);
    warnOfCleanup(job, result);
  } finally {
    await file.close();
  }
}

/** What the replaced FILE held says nothing about the new one. */
const emptySeen: Partial<Memory> = { seen: [] };

/** Puts an export in place that an earlier run had completed when it was interrupted. */
async function noteFinishedBefore(job: ExportJob, file: PartialFile, result: ReplacedFile): Promise<void> {
  const { run, receipt, target } = job;
  const { id, entries, hasMore, credits } = file.progress;
  receipt.id ??= id;
  receipt.entries = entries;
  receipt.status = hasMore ? 'limited' : 'complete';
  receipt.resumed = { entries, credits: spent(credits) };
  run.session.stderr.verbose(
    `${target.path}: finished the interrupted export of ${file.header.started}; nothing was bought`,
  );
  await noteFinished(job, result, emptySeen);
  warnOfCleanup(job, result);
}

/**
 * The video IDs that a resumed export holds already: the list may have moved since the interruption, by any number of
 * pages.
 */
async function idsWritten(job: ExportJob, file: PartialFile, done: boolean): Promise<IdSet> {
  const ids = new IdSet();
  // The last row may have no end yet.
  for (const id of file.progress.ids) ids.add(id);
  if (file.resumed && !done && job.run.task.operation.distinct)
    for await (const id of new ExistingExport(job).idsIn(`${job.target.real}.part`)) ids.add(id);
  return ids;
}

/** Whether the partial file has all entries that `--limit` allows. Throws a usage error for another `--limit`. */
function isLimitReached({ run, target }: ExportJob, { progress }: PartialFile): boolean {
  const { limit } = run.task.options;
  const { entries, hasMore, cut, pages } = progress;
  if (pages === 0) return false;
  // Only --limit cuts a page.
  const cutAt = cut && hasMore ? entries : null;
  if (cutAt !== null ? cutAt !== limit : limit !== null && entries > limit) {
    const fitting = cutAt === null ? 'without --limit, or with a larger one' : `with --limit ${cutAt}`;
    throw usage(
      `${target.path}: the interrupted export has ${entries} entries, which does not fit --limit`,
      `resume it ${fitting}, or start over with --restart`,
    );
  }
  return !hasMore || entries === limit;
}

/** A listing without entries never replaces a FILE that has some. */
async function refuseEmpty(job: ExportJob, file: PartialFile): Promise<void> {
  if (file.progress.entries > 0 || !job.target.exists) return;
  const existing = new ExistingExport(job);
  if (await existing.isEmpty()) return;
  await file.discard();
  throw emptyList(job.target.path, 'check the reference; if the list is really empty, remove the file');
}

/** Whether the first page is the last one, and holds nothing. */
const isEmptyList = ({ entries, hasMore }: Page, { pages }: Progress): boolean =>
  pages === 0 && entries.length === 0 && !hasMore;

const emptyList = (what: string, hint: string): Failure =>
  new Failure('bad_answer', `the service lists no entries, but ${what} has some; it is left as it is`, {
    status: 200,
    hint,
  });

/**
 * Publication dates by video ID, known before the first page: those of `latest` (free) and those in FILE. A missing
 * feed is no failure.
 */
async function publishedDates(job: ExportJob): Promise<Record<string, string>> {
  const { run, start, receipt, target } = job;
  const { session } = run;
  const dates: Record<string, string> = {};
  if (run.task.operation.updatable && start.token === null) {
    try {
      const channel = job.id ?? start.value ?? '';
      const body = await session.client.call(operations.latest, { channel }, receipt.tally);
      for (const { videoId, published } of readFeed(body, session.context.clock.now())?.entries ?? [])
        if (published !== null) dates[videoId] = published;
    } catch (error) {
      if (!(error instanceof Failure) || error.scope !== 'reference') throw error;
    }
  }
  if (target.exists) await new ExistingExport(job).addPublished(dates);
  return dates;
}

/**
 * Notes the finished file and a successful look in the memory, and `more`. The memory describes this FILE from now on:
 * another reference may have been exported to it before.
 */
export async function noteFinished(
  job: ExportJob,
  result: FinishedFile,
  more: Partial<Memory> = {},
): Promise<void> {
  const { run, receipt, target } = job;
  receipt.file = target.path;
  if (!run.remembers) return;
  if (job.memory !== null && !hasOwnMemory(job)) {
    const { reported } = job.memory;
    job.memory = null;
    remember(job, () => ({
      reported,
      credits: { ...noCredits(), confirmed: receipt.resumed?.credits ?? 0 },
    }));
  }
  remember(job, () => ({ format: run.format, fields: fieldsText(run.fields), ...more }));
  if (result.digest === null) return;
  const { stat } = await import('node:fs/promises');
  const found = await stat(target.real).catch(() => null);
  const now = new Date(run.session.context.clock.now()).toISOString();
  remember(job, () => ({
    checked: now,
    changed: now,
    entries: receipt.entries,
    limited: receipt.status === 'limited',
    finished: {
      size: result.size,
      digest: result.digest ?? '',
      mtime: found?.mtimeMs ?? 0,
      inode: found?.ino ?? 0,
    },
  }));
}

/** Warns of a problem after FILE was replaced: the export itself has succeeded. */
export function warnOfCleanup(job: ExportJob, { problem }: ReplacedFile): void {
  if (problem === null) return;
  const message = problem instanceof Error ? problem.message : String(problem);
  job.run.session.warn({
    label: job.receipt.label,
    message: `${job.target.path} is complete, but cleaning up after it failed: ${message}`,
    hint: 'the next run cleans up',
  });
}
