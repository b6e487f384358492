import { markOf } from '../../fs/output-target.ts';
import { creditsLeft, firstEntries } from '../../run/list-pages.ts';
import type { Result } from '../../run/results.ts';
import { type LockedExport, loadContents, saveRecord } from '../locked-export.ts';
import { emptyList } from '../messages.ts';
import { nothingChecked } from '../record/after-run.ts';
import { newProgress, type Progress } from '../record/export-record.ts';
import { fetchRows } from './fetch-rows.ts';
import { needsDates, publishedDates, requestFeed } from './latest-feed.ts';
import { putInPlace } from './put-in-place.ts';
import { recordFailure } from './record-failure.ts';

/**
 * Exports all pages of a list into FILE; `interrupted`: from where an earlier run was interrupted. FILE is replaced once
 * all pages are there.
 */
export async function exportList(locked: LockedExport, interrupted: Progress | null): Promise<Result> {
  const { operation, file } = locked;
  const resumed = interrupted?.entries ?? 0;
  const progress = interrupted ?? (await newExport(locked));
  if (interrupted === null && progress.request.format !== 'ndjson') locked.session.stderr.note(viewNote);
  const { limit } = progress.request;
  const written = operation.distinct ? new Set(interrupted === null ? [] : file.rowIds) : null;
  const fetched = await fetchRows(locked, progress, firstEntries(operation, limit, written));
  using rows = fetched.rows;
  const { failure } = fetched;
  const { entries } = fetched.progress;
  const facts = { ...fetched.facts, entries, resumed };
  if (failure !== null)
    return recordFailure(locked, failure, { ...facts, creditsLeft: creditsLeft(fetched.progress, limit) });
  if (entries === 0 && file.entries > 0) {
    rows.remove();
    saveRecord(locked, { ...locked.record, progress: null });
    return recordFailure(locked, emptyList(file.target.path), facts);
  }
  return await putInPlace(locked, fetched, facts, { ...nothingChecked, missing: facts.missing });
}

const viewNote =
  'only ndjson exports can be updated; to render one in another format: chanlist show FILE -o VIEW';

/** The progress of an export that starts now. `@published` needs the dates of the feed, and those in FILE. */
async function newExport(locked: LockedExport): Promise<Progress> {
  const { operation, fields, item, file, flags } = locked;
  const { stats } = file.target;
  const facts = {
    kind: file.state === 'none' && !flags.restart ? 'export' : 'restart',
    fileAtStart: stats === null ? null : markOf(stats),
  } as const;
  if (!needsDates(operation, fields)) return newProgress(flags, facts);
  const feed = publishedDates(await requestFeed(locked, item.id, false, item.tally));
  const isRead = file.state !== 'none' && (file.record?.request.format ?? 'ndjson') === 'ndjson';
  const inFile = isRead ? (await loadContents(locked)).published : [];
  return newProgress(flags, { ...facts, published: { ...feed, ...Object.fromEntries(inFile) } });
}
