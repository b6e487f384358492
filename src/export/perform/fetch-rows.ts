import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../../errors.ts';
import { assertReplaceable } from '../../fs/atomic.ts';
import { guardFile } from '../../fs/files.ts';
import { assertFreeSpace, minFreeSpace } from '../../fs/free-space.ts';
import type { Format } from '../../output/format.ts';
import { createFormat } from '../../output/formats.ts';
import {
  type Listing,
  listPages,
  missingEntries,
  needsPage,
  type Position,
  type Selection,
  type Sink,
} from '../../run/list-pages.ts';
import type { Result } from '../../run/results.ts';
import { isUnresumable, type Page } from '../../service/pages.ts';
import { assertOnlyWriter, commitRecord, type LockedExport } from '../locked-export.ts';
import { unresumable } from '../messages.ts';
import type { Progress } from '../record/export-record.ts';
import { Rows } from './rows.ts';

/** Pages of a list, as rows in the private folder. */
export interface Fetched {
  readonly rows: Rows;
  readonly progress: Progress;
  readonly facts: Pick<Result, 'pages' | 'missing' | 'token'>;
  readonly failure: Failure | null;
}

/**
 * Fetches the remaining pages of an export: into the rows of its interrupted run if there is one (`before.rows`), else
 * into new ones. `inFile`: entries that FILE keeps. Returns every failure.
 */
export async function fetchRows(
  locked: LockedExport,
  before: Progress,
  select: Listing['select'],
  inFile = 0,
): Promise<Fetched> {
  const { operation, item, folder, name, file } = locked;
  const format = await createFormat('ndjson', { operation, fields: null, several: false, terminal: null });
  if (needsPage(before, before.request.limit)) assertReplaceable(file.target);
  const rows = before.rows === '' ? Rows.create(folder, name) : Rows.reopen(folder, before);
  const sink = new RowSink(locked, rows, format, before);
  const { limit } = before.request;
  const listing = { operation, reference: item.id, before, limit, select };
  const { position: end, pages, failure } = await listPages(locked, listing, sink, item.tally);
  const { progress } = sink;
  if (progress.pages === 0 && before.rows === '') rows.remove();
  const { total, entries } = end;
  const isBroken = failure !== null && isUnresumable(failure, progress.token);
  return {
    rows,
    progress,
    facts: {
      pages,
      missing: missingEntries(total, pages, inFile + entries),
      token: progress.hasMore && failure !== null && !isBroken ? progress.token : null,
    },
    failure: isBroken ? unresumable(locked, failure.message, { status: failure.status }) : failure,
  };
}

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

  /** Throws if the folder cannot be written, or has not enough space for the next page and for the new FILE. */
  beforePage(): void {
    const { file } = this.#locked;
    const { kind, bytes, request } = this.progress;
    const folder = dirname(file.target.real);
    guardFile(folder, 'open', () => accessSync(folder, constants.W_OK));
    const rendered = request.format === 'ndjson' && request.fields === null ? 0 : bytes;
    const copied = kind === 'update' ? (file.target.stats?.size ?? 0) : 0;
    assertFreeSpace(folder, Math.max(minFreeSpace, 2 * this.#lastPageBytes) + rendered + copied);
  }

  async write({ entries, done }: Selection, next: Position, page: Page): Promise<void> {
    // An invalid page is not committed, so the next run requests it again; a loop is, so that no later run continues it.
    if (page.broken !== null && page.broken.code !== 'loop') return;
    const { folder, record } = this.#locked;
    const { progress } = this;
    const rows = this.#rows;
    assertOnlyWriter(this.#locked);
    rows.append(this.#format.rows({ reference: null }, entries));
    rows.sync();
    this.#lastPageBytes = rows.bytes - progress.bytes;
    this.progress = {
      ...progress,
      ...next,
      bytes: rows.bytes,
      listed: progress.listed + page.entries.length,
      // An update that has reached a known entry needs no further page.
      hasMore: next.hasMore && !(progress.kind === 'update' && done),
      info: progress.info ?? (progress.request.format === 'json' ? (page.info?.toString() ?? null) : null),
      isOutOfBudget: false,
      isLoop: page.broken !== null,
    };
    commitRecord(this.#locked, { ...record, progress: this.progress });
    const { rows: others = rows.name } = record.progress ?? {};
    if (others !== rows.name) folder.remove(others);
  }
}
