import { hash, mix } from './random.ts';

/** What a continuation token stands for: a place in a list. No process keeps anything for it. */
export interface Place {
  readonly operation: 'uploads' | 'playlist';
  /** Code of the list. */
  readonly list: number;
  /** Entries before the page. */
  readonly offset: number;
}

/** These bytes make every token begin with `+/`, its length makes it end with `=`: none survives careless encoding. */
const mark = [0xfb, 0xff] as const;
const length = 19;

/** The token of a place: the same in every process, for every page size. */
export function writeToken({ operation, list, offset }: Place): string {
  const kind = operation === 'uploads' ? 1 : 2;
  const check = hash(kind, list, offset, 8);
  const bytes = Buffer.alloc(length);
  bytes.set(mark);
  bytes.writeUInt32BE(check, 2);
  bytes.writeUInt32BE((list ^ mix(check)) >>> 0, 6);
  bytes.writeUInt32BE((offset ^ hash(check)) >>> 0, 10);
  bytes.writeUInt32BE(hash(check, kind, offset, list), 14);
  bytes.writeUInt8(kind ^ (check & 0xff), 18);
  return bytes.toString('base64');
}

/** The place of a token; null for anything that is not, to the letter, a token of this service. */
export function readToken(token: string): Place | null {
  const bytes = Buffer.from(token, 'base64');
  if (bytes.length !== length) return null;
  const check = bytes.readUInt32BE(2);
  const place: Place = {
    operation: (bytes.readUInt8(18) ^ (check & 0xff)) === 1 ? 'uploads' : 'playlist',
    list: (bytes.readUInt32BE(6) ^ mix(check)) >>> 0,
    offset: (bytes.readUInt32BE(10) ^ hash(check)) >>> 0,
  };
  return writeToken(place) === token ? place : null;
}
