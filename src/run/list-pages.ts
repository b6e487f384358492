import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { limitHeapGrowth } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';
import { spent, type Tally } from '../service/budget.ts';
import type { Run } from './run.ts';

/** One page of a listing (docs/service.md, 2.4). */
export interface Page {
  /** The token that fetched it; null: the first page. */
  readonly token: string | null;
  readonly entries: readonly JsonText[];
  readonly list: Buffer;
  readonly info: JsonText | null;
  /** numVideos of playlist_info; null if that is no number. */
  readonly total: number | null;
  /** Token of the next page; null on the last page, and on the last readable one. */
  readonly next: string | null;
  readonly hasMore: boolean;
  /** Why this is the last readable page: thrown after it was yielded. `invalid_response` or `loop`; null if it is not. */
  readonly broken: Failure | null;
}

/** The position of a listing: what is needed to resume it. */
export interface Position {
  /** Token of the first page that is not fully written; null: the first page. */
  readonly token: string | null;
  readonly hasMore: boolean;
  /** Entries and pages written, in all runs. */
  readonly entries: number;
  readonly pages: number;
  readonly total: number | null;
}

export const startPosition: Position = { token: null, hasMore: true, entries: 0, pages: 0, total: null };

export interface Sink {
  /**
   * The entries of a page that are written, after `written` others. `done`: no further page is wanted. `isWhole`: false if
   * the limit cut the page; a resumed listing starts with this page again.
   */
  select(
    page: Page,
    written: number,
  ): { readonly entries: readonly JsonText[]; readonly done: boolean; readonly isWhole: boolean };
  /** Runs before each page is fetched; throws to stop it. */
  beforePage?(): void;
  /** Writes the selected part of a page; `next` resumes the listing after it. */
  write(selected: ReturnType<Sink['select']>, next: Position, page: Page): Promise<void>;
}

/**
 * Lists one reference into a sink: a page is fetched only after the one before has been written. `value`: what is sent for
 * the first page. Returns the pages of this run, and the failure that ended the listing early; a closed pipe is
 * none (`Run.pipeClosed`).
 */
export async function listPages(
  run: Run,
  value: string,
  before: Position,
  sink: Sink,
  tally: Tally,
): Promise<{ readonly position: Position; readonly pages: number; readonly failure: Failure | null }> {
  const { limit, update } = run.options;
  let position = before;
  let count = 0;
  const showProgress = (): void => {
    const { entries, pages: page, total } = position;
    const expected = Math.min(Math.max(total ?? 0, entries), limit ?? Number.POSITIVE_INFINITY);
    const { reference, credits } = tally;
    run.progress.update({
      ...{ reference, page, entries, credits: spent(credits) },
      // The pages of an update hold entries that are there already.
      total: update ? null : total === null ? limit : expected,
    });
  };
  try {
    showProgress();
    if (!needsPage(before, limit)) return { position, pages: 0, failure: null };
    sink.beforePage?.();
    for await (const page of fetchPages(run, value, before.token, tally)) {
      count++;
      const selected = sink.select(page, position.entries);
      const { entries, done, isWhole } = selected;
      const next = {
        token: isWhole && page.broken === null ? page.next : page.token,
        hasMore: page.hasMore || !isWhole,
        entries: position.entries + entries.length,
        pages: position.pages + 1,
        total: page.total ?? position.total,
      };
      await sink.write(selected, next, page);
      position = next;
      showProgress();
      if (done || !next.hasMore) break;
      if (count === 1) await limitHeapGrowth();
      if (page.broken === null) sink.beforePage?.();
    }
    return { position, pages: count, failure: null };
  } catch (error) {
    run.pipeClosed ||= error instanceof ClosedPipe;
    return { position, pages: count, failure: error instanceof ClosedPipe ? null : toFailure(error) };
  }
}

export const needsPage = ({ hasMore, entries }: Position, limit: number | null): boolean =>
  hasMore && (limit === null || entries < limit);

/** numVideos less entries; null if no page was fetched, or it is unknown. */
export const missingEntries = (total: number | null, pages: number, entries: number): number | null =>
  total === null || pages === 0 ? null : Math.max(0, total - entries);

const idStart = Buffer.from('{"videoId":"');

/** The `videoId` of an entry; null if it has none. */
export function videoIdOf(entry: JsonText): string | null {
  return entry.textAfter(idStart) || entry.get('videoId')?.string() || null;
}

/**
 * Selects the first `limit` entries; of uploads none that stood on the page before (the list has moved). `before`: the IDs
 * on the one before the first.
 */
export function firstEntries(
  { operation, options }: Run,
  before: ReadonlySet<string> = new Set(),
): Sink['select'] {
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  let previous = before;
  return ({ entries }, count) => {
    const onPage = new Set<string>();
    const selected: JsonText[] = [];
    let isWhole = true;
    for (const entry of entries) {
      const id = operation.name === 'uploads' ? videoIdOf(entry) : null;
      if (id !== null) onPage.add(id);
      if (id !== null && previous.has(id)) continue;
      if (selected.length === limit - count) isWhole = false;
      else selected.push(entry);
    }
    if (entries.length > 0) previous = onPage;
    return { entries: selected, done: selected.length === limit - count, isWhole };
  };
}

const maxEmptyPages = 10;
const refusedStatuses: ReadonlySet<number | null> = new Set([400, 404, 410, 422]);

/**
 * Whether no run can continue a listing: it loops, or the service no longer accepts the `token` of the page that failed
 * (null: the first page).
 */
export function isUnresumable({ code, status }: Failure, token: string | null): boolean {
  return code === 'loop' || (token !== null && refusedStatuses.has(status));
}

/**
 * Fetches the pages of a listing; each request is sent when the caller asks for the next page. Throws the client's
 * failures, and after yielding the page that shows it `loop` if paging would never end, or `invalid_response`.
 */
export async function* fetchPages(
  { client, operation }: Pick<Run, 'client' | 'operation'>,
  value: string,
  start: string | null,
  tally: Tally,
): AsyncGenerator<Page, void> {
  const [first] = operation.parameters;
  let token = start;
  const seenTokens = new Set([token]);
  let previous: Buffer | null = null;
  let empty = 0;
  for (;;) {
    const parameters = token === null ? { [first.name]: value } : { continuation: token };
    const response = await client.call(operation, parameters, tally).catch((error: unknown) => {
      throw token === null ? error : asTokenRefused(error);
    });
    let page = readPage(response, token);
    empty = page.entries.length === 0 ? empty + 1 : 0;
    const isSame = empty === 0 && previous?.equals(page.list);
    if (page.next !== null && seenTokens.has(page.next))
      page = lastReadable(page, 'loop', 'the service repeated a continuation token');
    else if (page.next !== null && empty >= maxEmptyPages)
      page = lastReadable(page, 'loop', `the service sent ${maxEmptyPages} empty pages in a row`);
    else if (isSame) page = lastReadable(page, 'loop', 'the service sent the same page twice');
    if (empty === 0) previous = page.list;
    seenTokens.add(page.next);
    yield page;
    if (page.broken !== null) throw page.broken;
    if (!page.hasMore) return;
    token = page.next;
  }
}

/** A token that is not accepted does not mean that the reference is gone. */
function asTokenRefused(error: unknown): unknown {
  if (!(error instanceof Failure) || !refusedStatuses.has(error.status)) return error;
  const { message, status } = error;
  return new Failure('unresumable', `the service no longer accepts the continuation token: ${message}`, {
    status,
    next: 'start the listing again from its first page',
  });
}

function lastReadable(
  page: Omit<Page, 'next' | 'hasMore' | 'broken'>,
  code: 'loop' | 'invalid_response',
  what: string,
): Page {
  return { ...page, next: null, hasMore: true, broken: new Failure(code, what, { status: 200 }) };
}

function readPage(json: JsonText, token: string | null): Page {
  const hasMore = json.get('has_more')?.boolean();
  const next = json.get('continuation_token')?.string();
  const results = json.get('results');
  const list = json.kind === 'array' ? json : results;
  const info = json.get('playlist_info');
  const page = {
    token,
    entries: list?.elements() ?? [],
    list: list?.utf8 ?? Buffer.alloc(0),
    info: info === undefined || info.kind === 'null' ? null : info,
    total: wholeNumber(info?.get('numVideos')?.plain().trim()),
  };
  const invalid = (what: string): Page => lastReadable(page, 'invalid_response', what);
  if (hasMore === undefined) return invalid('has_more is missing or not a boolean');
  if (results?.kind !== 'array') return invalid('results is missing or not an array');
  if (!hasMore) return { ...page, next: null, hasMore, broken: null };
  if (!next) return invalid('has_more is true, but there is no continuation token');
  // Servers do not take longer addresses.
  if (next.length > 1024 * 1024 || !next.isWellFormed())
    return invalid('the continuation token cannot be sent back');
  return { ...page, next, hasMore, broken: null };
}

/** A whole number of at most 15 digits, also with thousands separators (`12,345`); null for anything else. */
function wholeNumber(text = ''): number | null {
  const isWhole = /^\d{1,3}(?:([ .,'\u2019\u00a0\u2009\u202f]?)\d{3}(?:\1\d{3}){0,3})?$/.test(text);
  return isWhole ? Number(text.replace(/\D/g, '')) : null;
}
