import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Tally } from './budget.ts';
import type { Client } from './client.ts';
import type { PagedOperation } from './contract.ts';

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

const maxEmptyPages = 10;
const refusedStatuses: ReadonlySet<number | null> = new Set([400, 404, 410, 422]);

/**
 * Whether no run can continue a listing: it loops, or the service no longer accepts the `token` of the page that failed
 * (null: the first page).
 */
export function isUnresumable({ code, status }: Failure, token: string | null): boolean {
  return code === 'loop' || (token !== null && refusedStatuses.has(status));
}

/** Whether the failure of a first page means that there is no such list. */
export const isNoList = ({ code }: Failure): boolean => ['not_found', 'usage', 'refused'].includes(code);

/**
 * Fetches the pages of a listing; each request is sent when the caller asks for the next page. Throws the client's
 * failures, and after yielding the page that shows it `loop` if paging would never end, or `invalid_response`.
 */
export async function* fetchPages(
  client: Client,
  operation: PagedOperation,
  start: { readonly reference: string | null; readonly token: string | null },
  tally: Tally,
): AsyncGenerator<Page, void> {
  const [first] = operation.parameters;
  let token = start.token;
  const seenTokens = new Set([token]);
  let previous: Buffer | null = null;
  let empty = 0;
  for (;;) {
    const parameters = token === null ? { [first.name]: start.reference ?? '' } : { continuation: token };
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
  return new Failure('refused', `the service no longer accepts the continuation token: ${message}`, {
    status,
    hint: 'start the listing again from its first page',
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
