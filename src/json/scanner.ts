/** Checks a text in UTF-8 as strictly as `JSON.parse` does, but faster, and finds where values end. */
import { escapeUnsafe } from '../text/sanitize.ts';
import {
  BACKSLASH,
  ByteWriter,
  byteSet,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './byte-writer.ts';

/** Maximum size of a JSON text that is read, either a response or a line: in bytes, and as messages name it. */
export const maxJsonBytes = 64 * 1024 * 1024;
export const maxJsonSize = '64 MiB';

/** Maximum number of values in a text: even if the text is small, the positions of more values could fill the memory. */
export const maxValues = 1_000_000;

export interface JsonIndex {
  /** The text in canonical form: without white space between tokens, and with as few escapes as are safe. */
  readonly bytes: Buffer;
  /** Start and end, in bytes, of each part of the outermost value: each element or, in an object, each key and value. */
  readonly parts: readonly number[];
  /** Parts of other values that are indexed, by the position of their opening bracket; null if there are none. */
  readonly inner: ReadonlyMap<number, readonly number[]> | null;
}

type Problem = 'not JSON' | 'too many values';

/** Indexes the outermost value of a text and, if `withEntries`, arrays in it and objects that are elements of these. */
export function indexJson(text: Buffer, withEntries = false): JsonIndex | Problem {
  let index = indexCompact(text, withEntries);
  if (index === 'white space') index = indexCompact(withoutSpace(text), withEntries);
  if (typeof index === 'object' && !isCanonical(index.bytes))
    index = indexCompact(withFewEscapes(index.bytes), withEntries);
  return index === 'white space' ? 'not JSON' : index;
}

/** Matches an escape; the escapes of the two halves of a surrogate pair are one match. */
const escapes = /(?:\\u....){1,1000}(?:\\u[dD][c-fC-F]..)?|\\./g;

function withFewEscapes(bytes: Buffer): Buffer {
  const written = (found: string): string => JSON.stringify(JSON.parse(`"${found}"`)).slice(1, -1);
  return Buffer.from(escapeUnsafe(bytes.toString().replace(escapes, written)));
}

function indexCompact(bytes: Buffer, withEntries: boolean): JsonIndex | Problem | 'white space' {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const parts: number[] = [];
  let inner: Map<number, number[]> | null = null;
  /** Parts of the innermost open value, and of the open values around it; null for a value that is not indexed. */
  let list: number[] | null = parts;
  const around: (number[] | null)[] = [];
  /** The closing brackets of the open values. */
  const closing: number[] = [];
  let expected: number = VALUE;
  let values = 0;

  for (let at = 0; at < length; at++) {
    const first = bytes[at] as number;
    switch (first) {
      case QUOTE:
        if (expected & VALUE) {
          values++;
          expected = SEPARATOR | END;
        } else if (expected & KEY) expected = COLON_AFTER_KEY;
        else return 'not JSON';
        at = stringEnd(bytes, view, at);
        if (at < 0) return 'not JSON';
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET: {
        if (!(expected & VALUE)) return 'not JSON';
        values++;
        const isObject = first === OPEN_BRACE;
        expected = isObject ? KEY | END : VALUE | END;
        if (closing.length > 0) {
          const isEntry: boolean = list !== null && closing.at(-1) === CLOSE_BRACKET;
          around.push(list);
          list = withEntries && (isObject ? isEntry : closing.length === 1) ? [] : null;
          if (list !== null) {
            inner ??= new Map();
            inner.set(at, list);
          }
        }
        closing.push(isObject ? CLOSE_BRACE : CLOSE_BRACKET);
        list?.push(at + 1);
        break;
      }
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (!(expected & END) || closing.pop() !== first) return 'not JSON';
        if (expected & SEPARATOR) list?.push(at);
        else if (list !== null) list.length = 0;
        list = around.pop() ?? null;
        expected = SEPARATOR | END;
        break;
      case COMMA:
        if (!(expected & SEPARATOR) || closing.length === 0) return 'not JSON';
        expected = closing.at(-1) === CLOSE_BRACE ? KEY : VALUE;
        list?.push(at, at + 1);
        break;
      case COLON:
        if (expected !== COLON_AFTER_KEY) return 'not JSON';
        expected = VALUE;
        list?.push(at, at + 1);
        break;
      case SPACE:
      case TAB:
      case LINE_FEED:
      case CARRIAGE_RETURN:
        return 'white space';
      default: {
        const size = expected & VALUE ? scalarLength(bytes, at) : 0;
        if (size === 0) return 'not JSON';
        values++;
        at += size - 1;
        expected = SEPARATOR | END;
      }
    }
    if (values > maxValues) return 'too many values';
  }
  if (closing.length > 0 || !(expected & SEPARATOR)) return 'not JSON';
  return { bytes, parts, inner };
}

/** Bits for what may come next; END is a closing bracket. */
const VALUE = 1;
const KEY = 2;
const COLON_AFTER_KEY = 4;
const SEPARATOR = 8;
const END = 16;

const SPACE = 0x20;
const TAB = 0x09;
const spaces = byteSet(' \t\n\r');
const structure = byteSet('"{}[],: \t\n\r');
const shortEscapes = byteSet('"\\/bfnrt');
const digits = byteSet('0123456789');
const hexDigits = byteSet('0123456789abcdefABCDEF');

/** Whether a byte belongs to a number or a word. */
const isScalar = (byte: number | undefined): boolean => byte !== undefined && structure[byte] === 0;

/** Returns a text without white space between tokens; unchanged if it is certainly not JSON. */
function withoutSpace(text: Buffer): Buffer {
  const view = new DataView(text.buffer, text.byteOffset, text.length);
  const compact = new ByteWriter();
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(text, view, at);
      if (at < 0) return text;
    } else if (spaces[byte] === 1) {
      compact.copy(text, start, at);
      const before = at - 1;
      while (spaces[text[at + 1] ?? 0] === 1) at++;
      start = at + 1;
      if (isScalar(text[before]) && isScalar(text[start])) return text;
    }
  }
  compact.copy(text, start);
  return compact.take();
}

/** Returns the position of the quote that ends the string that begins at `start`; -1 if there is no valid string. */
function stringEnd(bytes: Buffer, view: DataView, start: number): number {
  for (let at = start + 1; ; ) {
    at = nextSpecial(bytes, view, at);
    if (bytes[at] === QUOTE) return at;
    const size = bytes[at] === BACKSLASH ? escapeLength(bytes, at) : 0;
    if (size === 0) return -1;
    at += 1 + size;
  }
}

/** A table that has 1 for a control character, a quote and a backslash. */
const specialBytes = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/** Whether at least one of the four bytes in an integer is special. */
const hasSpecial = (four: number): boolean =>
  (((four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101)) &
    ~four &
    0x80808080) !==
  0;

/** Returns the position of the next control character, quote or backslash, or the length. Four at once save a third. */
function nextSpecial(bytes: Buffer, view: DataView, start: number): number {
  const { length } = bytes;
  let at = start;
  while (at + 4 <= length && !hasSpecial(view.getInt32(at, true))) at += 4;
  while (at < length && specialBytes[bytes[at] as number] === 0) at++;
  return at;
}

/** Returns the number of bytes of an escape after its backslash; 0 if the escape is invalid. */
function escapeLength(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (letter !== 0x75) return shortEscapes[letter] as number;
  for (let i = at + 2; i < at + 6; i++) if (hexDigits[bytes[i] ?? 0] === 0) return 0;
  return 5;
}

/** Whether a text is canonical: it has no `\/`, no `\uXXXX`, and no character that has to be escaped. */
function isCanonical(bytes: Buffer): boolean {
  if (bytes.includes(BACKSLASH) && (bytes.includes('\\/') || bytes.includes('\\u'))) return false;
  if (bytes.includes(0x7f)) return false;
  for (const lead of [0xc2, 0xe2])
    for (let at = bytes.indexOf(lead); at >= 0; at = bytes.indexOf(lead, at + 1))
      if (isUnsafeAt(bytes, at)) return false;
  return true;
}

/** Whether DEL, a C1 character or bidirectional formatting starts here. */
export function isUnsafeAt(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === 0x7f) return true;
  if (byte !== 0xc2 && byte !== 0xe2) return false;
  const second = bytes[at + 1] as number;
  if (byte === 0xc2) return second < 0xa0;
  const third = bytes[at + 2] as number;
  return (
    (second === 0x80 && third >= 0xaa && third <= 0xae) || (second === 0x81 && third >= 0xa6 && third <= 0xa9)
  );
}

const scalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const ZERO = 0x30;

/** Returns the length of the number, `true`, `false` or `null` that begins at `at`; 0 if there is none. */
function scalarLength(bytes: Buffer, at: number): number {
  let end = at;
  while (digits[bytes[end] ?? 0] === 1) end++;
  // Most numbers are integers, which need no regular expression.
  const isWhole = bytes[at] !== ZERO && !isScalar(bytes[end]);
  while (isScalar(bytes[end])) end++;
  return isWhole || scalar.test(bytes.toString('latin1', at, end)) ? end - at : 0;
}

/** Whether `bytes` has at `at` the bytes of `text` from `start` to `end`. */
export function isTextAt(bytes: Buffer, at: number, text: Buffer, start = 0, end = text.length): boolean {
  for (let i = start; i < end; i++) if (bytes[at + i - start] !== text[i]) return false;
  return true;
}
