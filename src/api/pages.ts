import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Client } from './client.ts';
import type { operations } from './contract.ts';
import type { Tally } from './credits.ts';

export type PagedOperation = typeof operations.uploads | typeof operations.playlist;

/** One page of a listing (service specification, 2.4). */
export interface Page {
  /** The token that fetched it; null: the first page. */
  readonly token: string | null;
  readonly entries: readonly JsonText[];
  /** The text of its results, in UTF-8. */
  readonly list: Buffer;
  /** Its playlist_info; null where it has none. */
  readonly info: JsonText | null;
  /** numVideos of playlist_info, where that is a number. */
  readonly total: number | null;
  /** Token of the next page; null on the last one, and where there is none that could be used. */
  readonly next: string | null;
  /** False on the last page. */
  readonly hasMore: boolean;
  /** The page cannot be gone on from: thrown once the page has been taken. */
  readonly broken: Failure | null;
}

/** Where a listing starts: the first page of a reference, or the page of a token. */
export interface PagesStart {
  readonly reference: string | null;
  readonly token: string | null;
  /** Digest of the page before, where a listing is continued. */
  readonly lastPage?: string | null;
  /** Empty pages that came one after another before (0). */
  readonly empty?: number;
  /** Marks (`tokenMark`) of the tokens that were sent before, one behind the other. */
  readonly sent?: string;
}

/** Empty pages running that end a listing. */
const mostEmptyPages = 10;
/** Characters of a token that a request can carry. */
const longestToken = 1024 * 1024;

/**
 * The pages of a listing, one request at a time: the next one is only asked for when the caller asks for the
 * next page (service specification, 4.3 and 4.5). Ends after the page whose `has_more` is false. Throws the
 * client's failures, and `bad_answer` where paging would go on for ever; never before the page that shows it has
 * been handed out, unless that page is the one before once more.
 */
export async function* pages(
  client: Client,
  operation: PagedOperation,
  start: PagesStart,
  tally: Tally,
): AsyncGenerator<Page, void> {
  const [first] = operation.parameters;
  const seen = new Set<string>();
  const seenBefore = new Set(start.sent?.match(/.{8}/g));
  const isSeen = (next: string): boolean =>
    seen.has(mark(next)) || (seenBefore.size > 0 && seenBefore.has(tokenMark(next)));
  let token = start.token;
  let before: Buffer | null = null;
  let empty = start.empty ?? 0;
  for (;;) {
    if (token !== null) seen.add(mark(token));
    const parameters = token === null ? { [first.name]: start.reference ?? '' } : { continuation: token };
    const page = readPage(await client.call(operation, parameters, tally), token, isSeen);
    const again =
      before === null ? start.lastPage && pageDigest(page) === start.lastPage : page.list.equals(before);
    if (again && page.entries.length > 0) {
      throw new Failure('bad_answer', 'the service sent the same page twice', {
        status: 200,
        hint: 'try again later',
      });
    }
    if (page.entries.length > 0) before = page.list;
    empty = page.entries.length === 0 ? empty + 1 : 0;
    yield page;
    if (page.broken !== null) throw page.broken;
    if (!page.hasMore) return;
    if (empty >= mostEmptyPages) {
      throw new Failure('bad_answer', `the service sent ${mostEmptyPages} empty pages in a row`, {
        status: 200,
        hint: 'try again later',
      });
    }
    token = page.next;
  }
}

/** Tells a token from others: itself, or a digest of a long one. */
function mark(token: string): string {
  return token.length <= digestLength ? token : digest(token);
}

/** Eight characters that tell a token from others, for keeping: as long as a token, they would be too many. */
export function tokenMark(token: string): string {
  return digest(token).slice(0, 8);
}

const digestLength = 44;

function digest(text: string | Buffer): string {
  // Loading it takes 3 ms, and only listings need it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('base64');
}

/** What tells a page from another: a digest of its entries; null for an empty one. */
export function pageDigest(page: Page): string | null {
  if (page.entries.length === 0) return null;
  return digest(page.list);
}

function readPage(json: JsonText, token: string | null, isSeen: (token: string) => boolean): Page {
  const hasMore = json.get('has_more')?.boolean();
  const next = json.get('continuation_token')?.string();
  const results = json.get('results');
  const list = json.kind === 'array' ? json : results;
  const info = json.get('playlist_info');
  const page = {
    token,
    entries: list?.kind === 'array' ? [...list.elements()] : [],
    list: list?.utf8 ?? Buffer.alloc(0),
    info: info === undefined || info.kind === 'null' ? null : info,
    total: wholeNumber(info?.get('numVideos')?.plain()),
  };
  const broken = (what: string): Page => ({
    ...page,
    next: null,
    hasMore: true,
    broken: new Failure('bad_answer', what, { status: 200, hint: 'try again later' }),
  });
  if (hasMore === undefined) return broken('the page does not say whether there are more (has_more)');
  if (results?.kind !== 'array') return broken('the page has no list of results');
  if (!hasMore) return { ...page, next: null, hasMore, broken: null };
  if (next === undefined || next === '')
    return broken('the page says that there are more, but has no continuation token');
  if (next.length > longestToken || !next.isWellFormed())
    return broken('the continuation token cannot be sent back');
  if (isSeen(next)) return broken('the service sent a continuation token again that it has sent before');
  return { ...page, next, hasMore, broken: null };
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
