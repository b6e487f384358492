import { dirname } from 'node:path';
import type { Failure } from '../errors.ts';
import { checkFreeSpace, minFreeSpace } from '../fs/free-space.ts';
import { type Format, type Item, joined, type Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { type Listing, listPages, type Position, type Selection, type Sink } from '../run/listing.ts';
import type { Result } from '../run/results.ts';
import { cannotResume, type Page } from '../service/pages.ts';
import { withProgress } from './after-run.ts';
import type { LockedExport } from './locked-export.ts';
import { unresumable } from './messages.ts';
import { type ExportRecord, type Progress, writeRecord } from './record.ts';
import { damageOfRows, missingRows, Rows, rowsFormat } from './rows.ts';

/** The progress of a run that has fetched nothing yet. */
export function newProgress(
  { flags }: Pick<LockedExport, 'flags'>,
  facts: Pick<Progress, 'isUpdate' | 'published'> & Partial<Progress>,
): Progress {
  return {
    request: flags.request,
    isRestart: flags.restart,
    isAll: flags.all,
    started: new Date(flags.now).toISOString(),
    rows: '',
    bytes: 0,
    entries: 0,
    pages: 0,
    token: null,
    hasMore: true,
    total: null,
    columns: null,
    info: null,
    expected: [],
    isOutOfBudget: false,
    broken: null,
    result: null,
    ...facts,
  };
}

/** The rows of an interrupted run, read and counted before the first paid request; a text says why they cannot be used. */
export async function reopenRows(
  { folder }: LockedExport,
  progress: Progress,
): Promise<{ readonly rows: Rows; readonly ids: ReadonlySet<string> } | string> {
  const rows = Rows.reopen(folder, progress);
  if (rows === null) return missingRows;
  const contents = await rows.contents(progress.request.format, progress.request.fields);
  const damage = damageOfRows(progress, contents);
  if (damage === null) return { rows, ids: contents.ids };
  rows.close();
  return damage;
}

/** Pages of a list, as rows in the private folder. */
export interface Fetched {
  readonly rows: Rows;
  /** The record on disk; its progress is that of the rows. */
  readonly record: ExportRecord;
  readonly progress: Progress;
  readonly facts: Pick<Result, 'pages' | 'missing' | 'token'>;
  readonly hasMore: boolean;
  readonly failure: Failure | null;
}

/**
 * Fetches the remaining pages of an export into its rows. `inFile`: entries that FILE keeps. Returns every failure; a
 * token that is refused and a list that loops say that the export cannot be resumed.
 */
export async function fetchPages(
  locked: LockedExport,
  progress: Progress,
  rows: Rows | null,
  select: Listing['select'],
  inFile = 0,
): Promise<Fetched> {
  const { operation, item, run, flags, fields, format, record, folder, name } = locked;
  const options = { operation, fields, several: false, terminal: null, columns: progress.columns };
  const writer = await createFormat(rowsFormat(format), options);
  const sink = new RowSink(locked, rows ?? Rows.create(folder, name), writer, progress, record);
  const { limit } = flags.request;
  const isFull = limit !== null && progress.pages > 0 && progress.entries >= limit;
  const { token, entries, pages, total } = progress;
  const before = { token, entries, pages, total, hasMore: progress.hasMore && !isFull };
  const listing = { operation, reference: item.id, before, limit, select };
  const listed = await listPages(run, listing, sink, item.tally);
  for (const message of writer.warnings()) run.warn(`format: ${message.split(':', 1)}`, item.label, message);
  const { position, failure } = listed;
  const kept = sink.progress;
  const isBroken = failure !== null && cannotResume(failure, kept.token);
  if (kept.pages === 0) sink.rows.remove();
  else if (failure === null) sink.close();
  const all = inFile + position.entries;
  return {
    rows: sink.rows,
    record: isBroken ? withProgress(sink.record, { ...kept, broken: kept.broken ?? 'refused' }) : sink.record,
    progress: kept,
    facts: {
      pages: listed.pages,
      missing: position.total === null || listed.pages === 0 ? null : Math.max(0, position.total - all),
      token: kept.hasMore && failure !== null ? kept.token : null,
    },
    hasMore: position.hasMore,
    failure: isBroken ? unresumable(locked, sink.record, failure) : failure,
  };
}

/** The item of an export, as formats see it. */
export const itemOf = ({ item }: LockedExport, { published }: Progress): Item => ({
  reference: item.reference,
  published: (videoId) => (Object.hasOwn(published, videoId) ? (published[videoId] ?? null) : null),
});

/**
 * Commits pages: rows are durable, then the record says so; only then the next page is fetched. Until the first commit,
 * the record names the rows of the run before.
 */
class RowSink implements Sink {
  readonly rows: Rows;
  record: ExportRecord;
  progress: Progress;
  readonly #locked: LockedExport;
  readonly #format: Format;
  #lastPageBytes = 0;

  constructor(locked: LockedExport, rows: Rows, format: Format, progress: Progress, record: ExportRecord) {
    this.#locked = locked;
    this.rows = rows;
    this.#format = format;
    this.progress = { ...progress, rows: rows.name };
    this.record = record;
  }

  /** Throws `failed` if the disk has not enough space for the next page and for the copy at the end. */
  beforePage(): void {
    const { file, format } = this.#locked;
    // An update copies FILE, json is written a second time.
    const copied = this.progress.isUpdate
      ? (file.finished?.size ?? 0)
      : format === 'json'
        ? this.rows.bytes
        : 0;
    checkFreeSpace(dirname(file.target.real), Math.max(minFreeSpace, 2 * this.#lastPageBytes) + copied);
  }

  async write({ entries, done }: Selection, next: Position, page: Page): Promise<void> {
    // The next run requests an invalid page again; a listing that loops is not.
    if (page.broken !== null && page.broken.code !== 'loop') return;
    const { progress } = this;
    const item = itemOf(this.#locked, progress);
    const opening = progress.pages === 0 ? this.#format.head() + this.#format.open(item, page.info) : '';
    const text = this.#format.rows(item, entries);
    this.rows.append(joined(opening, text));
    this.#lastPageBytes = this.rows.bytes - progress.bytes;
    this.rows.sync();
    const info = this.#locked.format === 'json' ? (page.info?.toString() ?? null) : null;
    this.progress = {
      ...progress,
      bytes: this.rows.bytes,
      // id has no line for an entry without an ID.
      entries: progress.entries + (this.#locked.format === 'id' ? linesIn(text) : entries.length),
      pages: next.pages,
      token: next.token,
      // An update that has reached a known entry needs no further page.
      hasMore: next.hasMore && !(progress.isUpdate && done),
      total: next.total,
      columns: this.#format.columns(),
      info: progress.info ?? info,
      isOutOfBudget: false,
      broken: page.broken === null ? null : 'loop',
    };
    const { folder, name } = this.#locked;
    const replaced = this.record.progress?.rows;
    this.record = withProgress(this.record, this.progress);
    writeRecord(folder, name, this.record);
    if (replaced !== undefined && replaced !== this.rows.name) folder.remove(replaced);
  }

  /** Writes what follows the last row: a header of csv without rows. */
  close(): void {
    const end = { hasMore: false, token: null, failure: null };
    this.rows.append(this.#format.close({ reference: null }, end) + this.#format.tail());
  }
}

const linesIn = (text: Text): number => text.toString().split('\n').length - 1;
