import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Tally } from './budget.ts';
import type { Client } from './client.ts';
import type { PagedOperation } from './contract.ts';

/** One page of a listing (service specification, 2.4). */
export interface Page {
  /** The token that fetched it; null: the first page. */
  readonly token: string | null;
  readonly entries: readonly JsonText[];
  /** Text of its results, in UTF-8. */
  readonly list: Buffer;
  /** Its playlist_info; null if it has none. */
  readonly info: JsonText | null;
  /** numVideos of playlist_info; null if that is no number. */
  readonly total: number | null;
  /** Token of the next page; null on the last page, and if the page has no usable one. */
  readonly next: string | null;
  /** False on the last page. */
  readonly hasMore: boolean;
  /** Why no page can follow: thrown after the page was yielded. */
  readonly broken: Failure | null;
}

/** Where a listing starts: the first page of a reference, or the page of a token. */
export interface PagesStart {
  readonly reference: string | null;
  readonly token: string | null;
  /** Digest (`pageDigest`) of the last page, if a listing is resumed. */
  readonly lastPage?: string | null;
  /** Consecutive empty pages at the end of the resumed listing (0). */
  readonly empty?: number;
  /** Concatenated marks (`tokenMark`) of the tokens that earlier runs sent. */
  readonly sent?: string;
}

/** Consecutive empty pages before giving up. */
const maxEmptyPages = 10;
/** Maximum length of a token in a request, in characters. */
const maxTokenLength = 1024 * 1024;

/**
 * The pages of a listing; each request is sent when the caller takes the next page (service specification, 4.3 and
 * 4.5). Ends after the page whose `has_more` is false. Throws the client's failures, and `bad_answer` if paging would
 * never end, after yielding the page that shows it.
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
  let previous: Buffer | null = null;
  let empty = start.empty ?? 0;
  for (;;) {
    if (token !== null) seen.add(mark(token));
    const parameters = token === null ? { [first.name]: start.reference ?? '' } : { continuation: token };
    let page = readPage(await client.call(operation, parameters, tally), token, isSeen);
    if (page.entries.length === 0) empty++;
    else {
      if (isRepeated(page, previous, start.lastPage ?? null))
        page = broken(page, 'the service sent the same page twice');
      previous = page.list;
      empty = 0;
    }
    yield page;
    if (page.broken !== null) throw page.broken;
    if (!page.hasMore) return;
    if (empty >= maxEmptyPages) throw endless(`the service sent ${maxEmptyPages} empty pages in a row`);
    token = page.next;
  }
}

function isRepeated(page: Page, previous: Buffer | null, lastPage: string | null): boolean {
  if (previous !== null) return page.list.equals(previous);
  return lastPage !== null && pageDigest(page) === lastPage;
}

function endless(what: string): Failure {
  return new Failure('bad_answer', what, { status: 200, hint: 'try again later' });
}

/** Marks a page as one that no page can follow. */
function broken(page: Omit<Page, 'next' | 'hasMore' | 'broken'>, what: string): Page {
  return { ...page, next: null, hasMore: true, broken: endless(what) };
}

/** Identifies a token: itself, or a digest of a long one. */
function mark(token: string): string {
  return token.length <= digestLength ? token : digest(token);
}

/** A digest of a token in 8 characters: whole tokens would be too large for the state of an export. */
export function tokenMark(token: string): string {
  return digest(token).slice(0, 8);
}

const digestLength = 44;

function digest(text: string | Buffer): string {
  // Loaded late: it takes 3 ms, and only listings need it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('base64');
}

/** The digest of a page covers this many bytes at each end. */
const digestedBytes = 4096;

/** A digest of the length and both ends of a page, to detect a repeated page; null for an empty page. */
export function pageDigest({ entries, list }: Page): string | null {
  if (entries.length === 0) return null;
  const ends = [list.subarray(0, digestedBytes), list.subarray(-digestedBytes)];
  return digest(Buffer.concat([Buffer.from(`${list.length} `), ...ends]));
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
    total: wholeNumber(info?.get('numVideos')?.plain().trim()),
  };
  if (hasMore === undefined) return broken(page, 'the page does not say whether there are more (has_more)');
  if (results?.kind !== 'array') return broken(page, 'the page has no list of results');
  if (!hasMore) return { ...page, next: null, hasMore, broken: null };
  if (next === undefined || next === '')
    return broken(page, 'the page says that there are more, but has no continuation token');
  if (next.length > maxTokenLength || !next.isWellFormed())
    return broken(page, 'the continuation token cannot be sent back');
  if (isSeen(next))
    return broken(page, 'the service sent a continuation token again that it has sent before');
  return { ...page, next, hasMore, broken: null };
}

/** A whole number, also with thousands separators (`12,345`); null for anything else. */
function wholeNumber(text: string | undefined): number | null {
  if (text === undefined) return null;
  const grouped = /^\d{1,3}(?:([ .,'\u2019\u00a0\u2009\u202f])\d{3}(?:\1\d{3})*)$/.test(text);
  const digits = grouped ? text.replace(/\D/g, '') : text;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}
