import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE } from './byte-writer.ts';

/** Checks a text in UTF-8 as strictly as `JSON.parse` does and finds where values end, in a sixth of the time. */

/** Values of a text, at most: a small body may hold so many that their positions fill the memory. */
export const maxValues = 1_000_000;

export interface JsonIndex {
  /** The text without white space between tokens. */
  readonly bytes: Buffer;
  /** No string contains an escape or a character that its canonical form writes differently. */
  readonly canonical: boolean;
  /** Start and end of each part of the outermost value in bytes: each element; for an object key, value, key, value. */
  readonly parts: readonly number[];
  /** Parts of other values that are indexed, by the byte of their bracket; null if there is none. */
  readonly inner: ReadonlyMap<number, readonly number[]> | null;
}

/** First position at or after `at` that is not white space, or the length. */
function skipSpace(bytes: Buffer, at: number): number {
  let position = at;
  while (position < bytes.length && tokens[bytes[position] as number] === SPACE) position++;
  return position;
}

/** The index of a text: of the outermost value, arrays in it, and (`withMembers`) objects that are their elements. */
export function indexJson(text: Buffer, withMembers = false): JsonIndex | 'not JSON' | 'too many values' {
  const start = skipSpace(text, 0);
  const bytes = start === 0 ? text : text.subarray(start);
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const parts: number[] = [];
  let inner: Map<number, number[]> | null = null;
  /** Parts of the innermost open value, and of those around it; null if they are not indexed. */
  let list: number[] | null = parts;
  const around: (number[] | null)[] = [];
  const closing: number[] = [];
  let next: number = VALUE;
  let canonical = true;
  let values = 0;
  /** White space so far, and the bytes without it. */
  let spaces = 0;
  let compact: Buffer | null = null;
  let position = 0;

  for (; position < length && (closing.length > 0 || position === 0) && values <= maxValues; position++) {
    const from = position;
    const first = bytes[position] as number;
    switch (tokens[first]) {
      case STRING: {
        if (next > KEY) return 'not JSON';
        for (;;) {
          position = nextSpecial(bytes, view, position + 1, length);
          if (position >= length) return 'not JSON';
          const kind = characters[bytes[position] as number];
          if (kind === END) break;
          if (kind === ESCAPE) {
            const escaped = escapeLength(bytes, position);
            if (escaped === 0) return 'not JSON';
            // The canonical form writes \/ and \uXXXX differently.
            if (escaped > 1 || bytes[position + 1] === SLASH) canonical = false;
            position += escaped;
          } else if (kind !== BEYOND) return 'not JSON';
          else if (canonical && isUnsafeAt(bytes, position)) canonical = false;
        }
        if (next <= VALUE_OR_END) values++;
        next = next >= KEY_OR_END ? COLON : SEPARATOR;
        break;
      }
      case OPEN: {
        if (next > VALUE_OR_END) return 'not JSON';
        values++;
        const isObject = first === OPEN_BRACE;
        const parent = closing.at(-1);
        closing.push(first + 2);
        next = isObject ? KEY_OR_END : VALUE_OR_END;
        if (parent !== undefined) {
          around.push(list);
          const isEntry: boolean = list !== null && parent === CLOSE_BRACKET;
          list = (isObject ? withMembers && isEntry : closing.length === 2) ? [] : null;
          if (list !== null) {
            inner ??= new Map();
            inner.set(position - spaces, list);
          }
        }
        list?.push(position - spaces + 1);
        break;
      }
      case CLOSE:
        if ((next !== SEPARATOR && next !== VALUE_OR_END && next !== KEY_OR_END) || closing.pop() !== first)
          return 'not JSON';
        if (next === SEPARATOR) list?.push(position - spaces);
        else if (list !== null) list.length = 0;
        list = around.pop() ?? null;
        next = SEPARATOR;
        break;
      case COMMA_OR_COLON:
        if (next !== (first === COLON_BYTE ? COLON : SEPARATOR)) return 'not JSON';
        next = first !== COLON_BYTE && closing.at(-1) === CLOSE_BRACE ? KEY : VALUE;
        list?.push(position - spaces, position - spaces + 1);
        break;
      case SPACE:
        if (compact === null) {
          compact = Buffer.allocUnsafe(length);
          bytes.copy(compact, 0, 0, position);
        }
        spaces++;
        continue;
      default: {
        if (next > VALUE_OR_END) return 'not JSON';
        values++;
        const isNumber = first === MINUS || digits[first] === 1;
        const size = isNumber ? numberLength(bytes, position) : wordLength(bytes, position);
        if (size === 0) return 'not JSON';
        position += size - 1;
        next = SEPARATOR;
      }
    }
    if (compact !== null) for (let i = from; i <= position; i++) compact[i - spaces] = bytes[i] as number;
  }
  if (values > maxValues) return 'too many values';
  if (closing.length > 0 || next !== SEPARATOR || skipSpace(bytes, position) < length) return 'not JSON';
  return { bytes: (compact ?? bytes).subarray(0, position - spaces), canonical, parts, inner };
}

/** What may come next. The order matters: a value up to VALUE_OR_END, a string up to KEY, a key from KEY_OR_END. */
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY_OR_END = 2;
const KEY = 3;
const COLON = 4;
/** A comma, a closing bracket, or the end of the text. */
const SEPARATOR = 5;

const SLASH = 0x2f;
const MINUS = 0x2d;
const COLON_BYTE = 0x3a;

/** The token that a byte starts; 0: a number, a word, or none. */
const STRING = 1;
const OPEN = 2;
const CLOSE = 3;
const COMMA_OR_COLON = 4;
const SPACE = 5;
const tokens = table({ '"': STRING, '{[': OPEN, '}]': CLOSE, ',:': COMMA_OR_COLON, ' \t\n\r': SPACE });

/** The class of a byte in a string. */
const PLAIN = 0;
const END = 1;
const ESCAPE = 2;
const CONTROL = 3;
/** DEL, or a part of a character beyond ASCII. */
const BEYOND = 4;
const characters = table({ '"': END, '\\': ESCAPE }).fill(CONTROL, 0, 0x20).fill(BEYOND, 0x7f);

const shortEscapes = table({ '"\\/bfnrt': 1 });
const digits = table({ '0123456789': 1 });
const hexDigits = table({ '0123456789abcdefABCDEF': 1 });

function table(kinds: Readonly<Record<string, number>>): Uint8Array {
  const kindOf = new Uint8Array(256);
  for (const [all, kind] of Object.entries(kinds)) {
    for (const character of all) kindOf[character.charCodeAt(0)] = kind;
  }
  return kindOf;
}

/** Whether one of four bytes is no plain character: below 0x20, a quote, a backslash, DEL or beyond ASCII. */
const isSpecial = (four: number): boolean =>
  (((four - 0x20202020) |
    ((four ^ 0x22222222) - 0x01010101) |
    ((four ^ 0x5c5c5c5c) - 0x01010101) |
    (four + 0x01010101) |
    four) &
    0x80808080) !==
  0;

/** The first byte that is no plain character, or the length. Four at a time save a third of the scan. */
function nextSpecial(bytes: Buffer, view: DataView, at: number, length: number): number {
  let i = at;
  while (i + 4 <= length && !isSpecial(view.getInt32(i, true))) i += 4;
  while (i < length && characters[bytes[i] as number] === PLAIN) i++;
  return i;
}

/** Length of an escape after its backslash; 0: there is no such escape. */
function escapeLength(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (letter !== 0x75) return shortEscapes[letter] as number;
  for (let i = at + 2; i < at + 6; i++) if (hexDigits[bytes[i] ?? 0] === 0) return 0;
  return 5;
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

/** Length of the number that starts here; 0: it is none. */
function numberLength(bytes: Buffer, at: number): number {
  const whole = bytes[at] === MINUS ? at + 1 : at;
  let end = bytes[whole] === 0x30 ? whole + 1 : digitsEnd(bytes, whole);
  if (end === whole) return 0;
  if (bytes[end] === 0x2e) {
    const fraction = end + 1;
    end = digitsEnd(bytes, fraction);
    if (end === fraction) return 0;
  }
  if (bytes[end] === 0x65 || bytes[end] === 0x45) {
    const sign = bytes[end + 1];
    const exponent = sign === 0x2b || sign === MINUS ? end + 2 : end + 1;
    end = digitsEnd(bytes, exponent);
    if (end === exponent) return 0;
  }
  return end - at;
}

function digitsEnd(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && digits[bytes[end] as number] === 1) end++;
  return end;
}

const words = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** Length of the `true`, `false` or `null` that starts here; 0 if it is none of them. */
function wordLength(bytes: Buffer, at: number): number {
  for (const word of words) if (standsAt(bytes, at, word)) return word.length;
  return 0;
}

/** Whether a text (`start`, `end`: a part of it) stands in `bytes` at a place. */
export function standsAt(bytes: Buffer, at: number, text: Buffer, start = 0, end = text.length): boolean {
  for (let i = start; i < end; i++) if (bytes[at + i - start] !== text[i]) return false;
  return true;
}
