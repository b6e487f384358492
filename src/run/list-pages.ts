import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { limitHeapGrowth } from '../fs/line-chunks.ts';
import type { JsonText } from '../json/json-text.ts';
import { spent, type Tally } from '../service/budget.ts';
import type { Run } from './run.ts';

/** Where a listing continues; `stuck`: nowhere, because the list loops or its token is no longer accepted. */
export type Next = 'start' | 'end' | 'stuck' | { readonly token: string };

export const tokenOf = (next: Next): string | null => (typeof next === 'string' ? null : next.token);

/** One page of a listing (docs/service.md, 2.4). */
export interface Page {
  /** Its own place in the list. */
  readonly at: Next;
  readonly entries: readonly JsonText[];
  readonly list: Buffer;
  readonly info: JsonText | null;
  /** numVideos of playlist_info; null if that is not a number. */
  readonly total: number | null;
  readonly next: Next;
  /** Why the listing is stuck here: thrown after the page was yielded. `invalid_response` or `loop`; null if it is not. */
  readonly broken: Failure | null;
}

export interface Position {
  /** The first page that is not fully written. */
  readonly next: Next;
  /** Entries and pages written, in all runs. */
  readonly entries: number;
  readonly pages: number;
  readonly total: number | null;
}

export const startPosition: Position = { next: 'start', entries: 0, pages: 0, total: null };

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
 * Lists one reference into a sink: a page is requested only after the one before has been written. Returns the pages of this
 * run, and the failure that ended the listing early; null if that was a closed pipe.
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
    // Pages of an update repeat entries that FILE has.
    const shown = update ? null : total === null ? limit : expected;
    run.progress.update({ reference, page, entries, credits: spent(credits), total: shown });
  };
  try {
    showProgress();
    if (!needsPage(before, limit)) return { position, pages: 0, failure: null };
    sink.beforePage?.();
    for await (const page of fetchPages(run, value, before.next, tally)) {
      count++;
      const selected = sink.select(page, position.entries);
      const { entries, done, isWhole } = selected;
      const next = {
        next: isWhole ? page.next : page.at,
        entries: position.entries + entries.length,
        pages: position.pages + 1,
        total: page.total ?? position.total,
      };
      await sink.write(selected, next, page);
      position = next;
      showProgress();
      if (done || next.next === 'end') break;
      if (count === 1) await limitHeapGrowth();
      if (page.broken === null) sink.beforePage?.();
    }
    return { position, pages: count, failure: null };
  } catch (error) {
    run.pipeClosed ||= error instanceof ClosedPipe;
    if (isTokenRefused(position.next, error)) position = { ...position, next: 'stuck' };
    return { position, pages: count, failure: error instanceof ClosedPipe ? null : toFailure(error) };
  }
}

export const needsPage = ({ next, entries }: Position, limit: number | null): boolean =>
  next !== 'end' && (limit === null || entries < limit);

/** numVideos less entries; null if no page was fetched, or it is unknown. */
export const missingEntries = (total: number | null, pages: number, entries: number): number | null =>
  total === null || pages === 0 ? null : Math.max(0, total - entries);

/** The `videoId` of an entry; null if it has none. */
export const videoIdOf = (entry: JsonText): string | null => entry.get('videoId')?.string() || null;

/** Selects the first `limit` entries; of uploads none of the page before (the list has moved), and none of `exported`. */
export function firstEntries(
  { operation, options }: Run,
  exported: ReadonlySet<string> = new Set(),
): Sink['select'] {
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  let previous: ReadonlySet<string> = new Set();
  return ({ entries }, count) => {
    const onPage = new Set<string>();
    const selected: JsonText[] = [];
    let isWhole = true;
    for (const entry of entries) {
      const id = operation.name === 'uploads' ? videoIdOf(entry) : null;
      if (id !== null) onPage.add(id);
      if (id !== null && (previous.has(id) || exported.has(id))) continue;
      if (selected.length === limit - count) isWhole = false;
      else selected.push(entry);
    }
    if (entries.length > 0) previous = onPage;
    return { entries: selected, done: selected.length === limit - count, isWhole };
  };
}

const maxEmptyPages = 10;
const refusedStatuses: ReadonlySet<number | null> = new Set([400, 404, 410, 422]);

const isTokenRefused = (at: Next, error: unknown): error is Failure =>
  tokenOf(at) !== null && error instanceof Failure && refusedStatuses.has(error.status);

/** Requests the pages of a listing one by one. Throws the client's failures, and `Page.broken` after its page. */
export async function* fetchPages(
  { client, operation }: Pick<Run, 'client' | 'operation'>,
  value: string,
  start: Next,
  tally: Tally,
): AsyncGenerator<Page, void> {
  const [first] = operation.parameters;
  let at = start;
  const seenTokens = new Set([tokenOf(at)]);
  let previous: Buffer | null = null;
  let empty = 0;
  for (;;) {
    const continuation = tokenOf(at);
    const parameters = continuation === null ? { [first.name]: value } : { continuation };
    const response = await client.call(operation, parameters, tally).catch((error: unknown) => {
      throw isTokenRefused(at, error) ? tokenRefused(error) : error;
    });
    let page = readPage(response, at);
    empty = page.entries.length === 0 ? empty + 1 : 0;
    const token = tokenOf(page.next);
    if (token !== null && seenTokens.has(token))
      page = stuckAt(page, 'loop', 'the service repeated a continuation token');
    else if (token !== null && empty >= maxEmptyPages)
      page = stuckAt(page, 'loop', `the service sent ${maxEmptyPages} empty pages in a row`);
    else if (empty === 0 && previous?.equals(page.list))
      page = stuckAt(page, 'loop', 'the service sent the same page twice');
    if (empty === 0) previous = page.list;
    seenTokens.add(token);
    yield page;
    if (page.broken !== null) throw page.broken;
    if (page.next === 'end') return;
    at = page.next;
  }
}

/** A token that is not accepted does not mean that the reference is gone. */
const tokenRefused = ({ message, status }: Failure): Failure =>
  new Failure('unresumable', `the service no longer accepts the continuation token: ${message}`, {
    status,
    next: 'start the listing again from its first page',
  });

const stuckAt = (
  page: Omit<Page, 'next' | 'broken'>,
  code: 'loop' | 'invalid_response',
  what: string,
): Page => ({ ...page, next: 'stuck', broken: new Failure(code, what, { status: 200 }) });

function readPage(json: JsonText, at: Next): Page {
  const hasMore = json.get('has_more')?.boolean();
  const token = json.get('continuation_token')?.string();
  const results = json.get('results');
  const list = json.kind === 'array' ? json : results;
  const info = json.get('playlist_info');
  const page = {
    at,
    entries: list?.elements() ?? [],
    list: list?.utf8 ?? Buffer.alloc(0),
    info: info === undefined || info.kind === 'null' ? null : info,
    total: wholeNumber(info?.get('numVideos')?.plain().trim()),
  };
  const invalid = (what: string): Page => stuckAt(page, 'invalid_response', what);
  if (hasMore === undefined) return invalid('has_more is missing or not a boolean');
  if (results?.kind !== 'array') return invalid('results is missing or not an array');
  if (!hasMore) return { ...page, next: 'end', broken: null };
  if (!token) return invalid('has_more is true, but there is no continuation token');
  // Servers do not take longer addresses.
  if (token.length > 1024 * 1024 || !token.isWellFormed())
    return invalid('the continuation token cannot be sent back');
  return { ...page, next: { token }, broken: null };
}

/** A whole number of at most 15 digits, also with thousands separators (`12,345`); null for anything else. */
function wholeNumber(text = ''): number | null {
  const isWhole = /^\d{1,3}(?:([ .,'\u2019\u00a0\u2009\u202f]?)\d{3}(?:\1\d{3}){0,3})?$/.test(text);
  return isWhole ? Number(text.replace(/\D/g, '')) : null;
}
