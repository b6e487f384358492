import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';

/** Where a listing continues. `stuck` means nowhere, because the list loops or its token is no longer accepted. */
export type Next = 'start' | 'end' | 'stuck' | { readonly token: string };

export const tokenOf = (next: Next): string | null => (typeof next === 'string' ? null : next.token);

/** One page of a listing (docs/service.md, 2.4). */
export interface Page {
  readonly entries: readonly JsonText[];
  readonly info: JsonText | null;
  /** numVideos of playlist_info; null if that is not a number. */
  readonly total: number | null;
  readonly next: Next;
  /** Why the listing is stuck after this page: `invalid_response` or `loop`; null if it is not. */
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

/** Returns the `videoId` of an entry; null if it has none. */
export const videoIdOf = (entry: JsonText): string | null => entry.get('videoId')?.string() || null;

/** Finds the ID of an entry of a feed, whose shape is not specified (docs/service.md, 4.4); null if none is found. */
export const feedIdOf = (entry: JsonText): string | null =>
  videoIdOf(entry) ??
  entry.at(['id', 'videoId'])?.string() ??
  entry.get('id')?.string() ??
  entry.string() ??
  null;

type Continuation = Pick<Page, 'next' | 'broken'>;

export const stuckContinuation = (code: 'loop' | 'invalid_response', what: string): Continuation => ({
  next: 'stuck',
  broken: new Failure(code, what, { status: 200 }),
});

/** Reads the body of a 200. Never throws: if the body is invalid, `broken` says why. */
export function readPage(json: JsonText): Page {
  const list = json.kind === 'array' ? json : json.get('results');
  const info = json.get('playlist_info');
  return {
    entries: list?.elements() ?? [],
    info: info === undefined || info.kind === 'null' ? null : info,
    total: wholeNumber(info?.get('numVideos')?.plain().trim()),
    ...continuationOf(json),
  };
}

function continuationOf(json: JsonText): Continuation {
  const hasMore = json.get('has_more')?.boolean();
  const token = json.get('continuation_token')?.string();
  const invalid = (what: string): Continuation => stuckContinuation('invalid_response', what);
  if (hasMore === undefined) return invalid('has_more is missing or not a boolean');
  if (json.get('results')?.kind !== 'array') return invalid('results is missing or not an array');
  if (!hasMore) return { next: 'end', broken: null };
  if (!token) return invalid('has_more is true, but there is no continuation token');
  // Servers do not accept longer URLs.
  if (token.length > 1024 * 1024 || !token.isWellFormed())
    return invalid('the continuation token cannot be sent back');
  return { next: { token }, broken: null };
}

/** Parses a whole number of at most 15 digits, with or without thousands separators (`12,345`); null for anything else. */
function wholeNumber(text = ''): number | null {
  const isWhole = /^\d{1,3}(?:([ .,'\u2019\u00a0\u2009\u202f]?)\d{3}(?:\1\d{3}){0,3})?$/.test(text);
  return isWhole ? Number(text.replace(/\D/g, '')) : null;
}
