import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../errors.ts';
import { guardFile } from '../fs/file-error.ts';
import { checkFreeSpace, minFreeSpace } from '../fs/free-space.ts';
import { type Format, type Item, joined, type Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import {
  type Listing,
  listPages,
  needsPage,
  type Position,
  type Selection,
  type Sink,
} from '../run/listing.ts';
import type { Result } from '../run/results.ts';
import { isUnresumable, type Page } from '../service/pages.ts';
import { commit, type LockedExport } from './locked-export.ts';
import { unresumable } from './messages.ts';
import { type Progress, positionOf } from './record.ts';
import { Rows, rowsFormat } from './rows.ts';

/** Pages of a list, as rows in the private folder. */
export interface Fetched {
  readonly rows: Rows;
  readonly progress: Progress;
  readonly facts: Pick<Result, 'pages' | 'missing' | 'token'>;
  readonly failure: Failure | null;
}

/**
 * Fetches the remaining pages of an export: into the rows of its interrupted run if there is one (`progress.rows`), else
 * into new ones. `inFile`: entries that FILE keeps. Returns every failure.
 */
export async function fetchPages(
  locked: LockedExport,
  before: Progress,
  select: Listing['select'],
  inFile = 0,
): Promise<Fetched> {
  const { operation, item, run, flags, fields, format, folder, name } = locked;
  const options = { operation, fields, several: false, terminal: null, columns: before.columns };
  const writer = await createFormat(rowsFormat(format), options);
  const rows = before.rows === '' ? Rows.create(folder, name) : Rows.reopen(folder, before);
  const sink = new RowSink(locked, rows, writer, before);
  const { limit } = flags.request;
  const position = positionOf(before);
  const start = { ...position, hasMore: needsPage(position, limit) };
  const listing = { operation, reference: item.id, before: start, limit, select };
  const { position: end, pages, failure } = await listPages(run, listing, sink, item.tally);
  for (const message of writer.warnings()) run.warn(`format: ${message.split(':', 1)}`, item.label, message);
  const { progress } = sink;
  if (progress.pages === 0) rows.remove();
  else if (failure === null) sink.close();
  const { total, entries } = end;
  const isBroken = failure !== null && isUnresumable(failure, progress.token);
  return {
    rows,
    progress,
    facts: {
      pages,
      missing: total === null || pages === 0 ? null : Math.max(0, total - inFile - entries),
      token: progress.hasMore && failure !== null && !isBroken ? progress.token : null,
    },
    failure: isBroken ? unresumable(locked, failure.message, { status: failure.status }) : failure,
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
  progress: Progress;
  readonly #locked: LockedExport;
  readonly #rows: Rows;
  readonly #format: Format;
  #lastPageBytes = 0;

  constructor(locked: LockedExport, rows: Rows, format: Format, progress: Progress) {
    this.#locked = locked;
    this.#rows = rows;
    this.#format = format;
    this.progress = { ...progress, rows: rows.name };
  }

  /** Throws if the folder cannot be written, or has not enough space for the next page and for the copy at the end. */
  beforePage(): void {
    const { file, format } = this.#locked;
    const { isUpdate, bytes } = this.progress;
    const folder = dirname(file.target.real);
    guardFile(folder, 'open', () => accessSync(folder, constants.W_OK));
    // An update copies FILE, json is written a second time.
    const copied = isUpdate ? (file.finished?.size ?? 0) : format === 'json' ? bytes : 0;
    checkFreeSpace(folder, Math.max(minFreeSpace, 2 * this.#lastPageBytes) + copied);
  }

  async write({ entries, done }: Selection, next: Position, page: Page): Promise<void> {
    // The next run requests an invalid page again; of a list that loops, it requests nothing.
    if (page.broken !== null && page.broken.code !== 'loop') return;
    const { folder, format, record } = this.#locked;
    const { progress } = this;
    const rows = this.#rows;
    const item = itemOf(this.#locked, progress);
    const opening = progress.pages === 0 ? this.#format.head() + this.#format.open(item, page.info) : '';
    const text = this.#format.rows(item, entries);
    rows.append(joined(opening, text));
    rows.sync();
    this.#lastPageBytes = rows.bytes - progress.bytes;
    this.progress = {
      ...progress,
      ...next,
      bytes: rows.bytes,
      taken: next.entries,
      entries: progress.entries + (format === 'id' ? linesIn(text) : entries.length),
      // An update that has reached a known entry needs no further page.
      hasMore: next.hasMore && !(progress.isUpdate && done),
      columns: this.#format.columns(),
      info: progress.info ?? (format === 'json' ? (page.info?.toString() ?? null) : null),
      isOutOfBudget: false,
      isLoop: page.broken !== null,
    };
    commit(this.#locked, { ...record, progress: this.progress });
    if (record.progress !== null && record.progress.rows !== rows.name) folder.remove(record.progress.rows);
  }

  /** Writes what follows the last row: a header of csv without rows. */
  close(): void {
    const end = { hasMore: false, token: null, failure: null };
    this.#rows.append(this.#format.close({ reference: null }, end) + this.#format.tail());
  }
}

const linesIn = (text: Text): number => text.toString().split('\n').length - 1;
