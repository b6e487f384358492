import { isPaged, operationNames, type PagedName } from '../service/contract.ts';
import { hash, mix } from './random.ts';

/** Tokens name an operation by its place in this list. */
const pagedNames = operationNames.filter(isPaged);

/** The page that a continuation token leads to. The token holds all of it: the sandbox stores nothing. */
export interface Place {
  readonly operation: PagedName;
  /** Code of the list. */
  readonly list: number;
  /** Entries before the page. */
  readonly offset: number;
  /** Empty pages already sent at this offset (fault `page-empty`), 0 to `maxTurn`. */
  readonly turn: number;
}

export const maxTurn = 63;

/** These bytes make a token begin with `+/`, and its length makes it end with `=`: careless encoding breaks it. */
const mark = [0xfb, 0xff] as const;
const length = 19;

/** Begins a URL-safe token, in place of the mark. */
const plainMark = '4qmF';

/** The token of a place: the same in every process and for every page size; `plain`: URL-safe. */
export function writeToken({ operation, list, offset, turn }: Place, plain: boolean): string {
  const kind = pagedNames.indexOf(operation) + 1 + 4 * turn;
  const check = hash(kind, list, offset, 8);
  const bytes = Buffer.alloc(length);
  bytes.set(mark);
  bytes.writeUInt32BE(check, 2);
  bytes.writeUInt32BE((list ^ mix(check)) >>> 0, 6);
  bytes.writeUInt32BE((offset ^ hash(check)) >>> 0, 10);
  bytes.writeUInt32BE(hash(check, kind, offset, list), 14);
  bytes.writeUInt8(kind ^ (check & 0xff), 18);
  return plain ? plainMark + bytes.subarray(mark.length).toString('base64url') : bytes.toString('base64');
}

/** The place that a token of either form leads to; null if it differs in any character from one of ours. */
export function readToken(token: string): Place | null {
  const plain = token.startsWith(plainMark);
  const bytes = plain
    ? Buffer.concat([Buffer.from(mark), Buffer.from(token.slice(plainMark.length), 'base64url')])
    : Buffer.from(token, 'base64');
  if (bytes.length !== length) return null;
  const check = bytes.readUInt32BE(2);
  const kind = bytes.readUInt8(18) ^ (check & 0xff);
  const operation = pagedNames[(kind & 3) - 1];
  if (operation === undefined) return null;
  const place: Place = {
    operation,
    list: (bytes.readUInt32BE(6) ^ mix(check)) >>> 0,
    offset: (bytes.readUInt32BE(10) ^ hash(check)) >>> 0,
    turn: kind >> 2,
  };
  return writeToken(place, plain) === token ? place : null;
}
