/** The page that a continuation token names. The token contains all of it: the sandbox stores nothing. */
export interface Place {
  readonly operation: string;
  readonly list: string;
  /** Number of entries before the page. */
  readonly offset: number;
  /** Number of empty pages sent before at this offset (fault `page-empty`). */
  readonly empty: number;
}

/** Begins a token: text that a query must encode. */
const mark = '+/';
/** Begins a URL-safe token. */
const plainMark = '4qmF';
const form = /^\{"operation":"([a-z]+)","list":"([\w-]+)","offset":(\d{1,9}),"empty":(\d{1,9})\}$/;

/** The token of a place: JSON in base64, the same in every process and for every page size. */
export function writeToken({ operation, list, offset, empty }: Place, plain: boolean): string {
  const bytes = Buffer.from(JSON.stringify({ operation, list, offset, empty }));
  return plain ? plainMark + bytes.toString('base64url') : mark + bytes.toString('base64');
}

/** The place that a token of either form names; null if `writeToken` writes no such token. */
export function readToken(token: string): Place | null {
  const plain = token.startsWith(plainMark);
  const json = Buffer.from(token.slice((plain ? plainMark : mark).length), 'base64').toString();
  const [, operation, list, offset, empty] = form.exec(json) ?? [];
  if (operation === undefined || list === undefined) return null;
  const place = { operation, list, offset: Number(offset), empty: Number(empty) };
  return writeToken(place, plain) === token ? place : null;
}
