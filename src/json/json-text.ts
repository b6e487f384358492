/**
 * JSON values as the service wrote them: slices of its text, never parsed and printed again, so that numbers
 * beyond 2^53, key order and duplicate keys survive digit for digit. All functions here take text that
 * `JSON.parse` has already accepted; they find boundaries, they do not validate.
 */

import { escapeUnsafe, isUnsafeJson } from '../text/unsafe.ts';
import { indexJson, type JsonIndex, type Parts } from './json-index.ts';
import { isSpace, skipSpace, skipString, skipValue } from './scan.ts';

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/** Anything in a string that its canonical form writes differently. */
const isNotCanonical = (text: string): boolean => /\\[u/]/.test(text) || isUnsafeJson(text);

/** A JSON string literal with DEL, C1 and bidirectional formatting escaped, otherwise as few escapes as JSON allows. */
export function quoteJson(value: string): string {
  return escapeUnsafe(JSON.stringify(value));
}

/** The characters of a JSON string literal. */
function charactersOf(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/** A whole text, which the values in it share. */
class Source {
  /** The text in UTF-8, without white space between tokens; null where only the text itself is known. */
  readonly bytes: Buffer | null;
  /** No string holds anything that its canonical form writes differently. */
  readonly canonicalStrings: boolean;
  /** Where the elements of some arrays are, by the byte of their bracket. */
  readonly inner: JsonIndex['inner'] | null;
  #text: string | null;

  constructor(text: string | null, outline: JsonIndex | null) {
    this.#text = text;
    this.bytes = outline?.bytes ?? null;
    this.canonicalStrings = outline?.canonical ?? !isNotCanonical(text ?? '');
    this.inner = outline?.inner ?? null;
  }

  get text(): string {
    this.#text ??= this.bytes?.toString('utf8') ?? '';
    return this.#text;
  }
}

/** Values of up to so many bytes are decoded alone rather than with the whole page. */
const small = 4096;

/** One JSON value inside the text of an answer. */
export class JsonText {
  readonly #source: Source;
  readonly #start: number;
  readonly #end: number;
  /** Its first byte and the one behind it; -1: not known. */
  readonly #from: number;
  readonly #to: number;
  /** Where its elements or members are; null: not known. */
  readonly #parts: Parts | null;

  private constructor(
    source: Source,
    start: number,
    end: number,
    from = -1,
    to = -1,
    parts: Parts | null = null,
  ) {
    this.#source = source;
    this.#start = start;
    this.#end = end;
    this.#from = from;
    this.#to = to;
    this.#parts = parts;
  }

  /** The value of a whole text that `JSON.parse` has accepted. */
  static of(text: string): JsonText {
    const start = skipSpace(text, 0);
    return new JsonText(new Source(text, null), start, skipValue(text, start));
  }

  /**
   * The value of a text in UTF-8 (`isUtf8`); null where it is no JSON text. White space between its tokens is
   * gone, and what is only passed on (`lines`) is never decoded.
   */
  static parse(bytes: Buffer): JsonText | null {
    const outline = indexJson(bytes);
    if (outline === null) return null;
    const { length } = outline.bytes;
    // The end in characters is that of the last part and its bracket.
    const end = (outline.parts.characters.at(-1) ?? 1) + 1;
    const isContainer = outline.bytes[0] === OPEN_BRACE || outline.bytes[0] === OPEN_BRACKET;
    if (!isContainer) return JsonText.of(outline.bytes.toString('utf8'));
    return new JsonText(new Source(null, outline), 0, end, 0, length, outline.parts);
  }

  /**
   * The canonical JSON of entries that follow each other in a page, a line each, in UTF-8: in `room`, where that
   * is large enough. Null where it takes more than copying.
   */
  static lines(entries: readonly JsonText[], room: Buffer): Buffer | null {
    const [first] = entries;
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return null;
    const { bytes, canonicalStrings } = first.#source;
    if (bytes === null || !canonicalStrings || first.#from === -1) return null;
    const length = last.#to - first.#from + 1;
    const out = room.length < length ? Buffer.allocUnsafeSlow(length) : room.subarray(0, length);
    let next = first.#from;
    for (const entry of entries) {
      if (entry.#source !== first.#source || entry.#from !== next) return null;
      next = entry.#to + 1;
    }
    bytes.copy(out, 0, first.#from, last.#to);
    // In place of the commas between them.
    for (const entry of entries) out[entry.#to - first.#from] = LINE_FEED;
    return out;
  }

  /** What kind of JSON value this is. */
  get kind(): 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' {
    const { bytes } = this.#source;
    switch (
      bytes !== null && this.#from >= 0 ? bytes[this.#from] : this.#source.text.charCodeAt(this.#start)
    ) {
      case OPEN_BRACE:
        return 'object';
      case OPEN_BRACKET:
        return 'array';
      case QUOTE:
        return 'string';
      case 116:
      case 102:
        return 'boolean';
      case 110:
        return 'null';
      default:
        return 'number';
    }
  }

  #slice(start: number, end: number): JsonText {
    return new JsonText(this.#source, start, end);
  }

  /** The part whose positions are the pair at `i` of the known ones. */
  #part({ bytes, characters }: Parts, i: number): JsonText {
    const [from = 0, to = 0] = [bytes[i], bytes[i + 1]];
    const parts = this.#source.inner?.get(from) ?? null;
    return new JsonText(this.#source, characters[i] ?? 0, characters[i + 1] ?? 0, from, to, parts);
  }

  /** The same for a part that is wanted at once: a small one alone, so that the page need not be decoded. */
  #member(parts: Parts, i: number): JsonText {
    const part = this.#part(parts, i);
    const { bytes } = this.#source;
    if (bytes === null || part.#parts !== null || part.#to - part.#from > small) return part;
    return JsonText.of(bytes.toString('utf8', part.#from, part.#to));
  }

  /** The text as it stands: for comparing. */
  get raw(): string {
    return this.#source.text.slice(this.#start, this.#end);
  }

  /** The same in UTF-8. */
  get utf8(): Buffer {
    const { bytes } = this.#source;
    return bytes !== null && this.#from >= 0 ? bytes.subarray(this.#from, this.#to) : Buffer.from(this.raw);
  }

  /** The elements of an array; nothing for any other value. */
  *elements(): Generator<JsonText, void> {
    if (this.kind !== 'array') return;
    const parts = this.#parts;
    if (parts !== null) {
      for (let i = 0; i < parts.bytes.length; i += 2) yield this.#part(parts, i);
      return;
    }
    const text = this.#source.text;
    let position = skipSpace(text, this.#start + 1);
    while (text.charCodeAt(position) !== CLOSE_BRACKET) {
      const end = skipValue(text, position);
      yield this.#slice(position, end);
      position = skipSpace(text, end);
      if (text.charCodeAt(position) === COMMA) position = skipSpace(text, position + 1);
    }
  }

  /** The members of an object as they stand, duplicates too; nothing for any other value. */
  *members(): Generator<readonly [key: string, value: JsonText], void> {
    if (this.kind !== 'object') return;
    const parts = this.#parts;
    if (parts !== null) {
      for (let i = 0; i < parts.bytes.length; i += 4) {
        yield [this.#member(parts, i).string() ?? '', this.#member(parts, i + 2)];
      }
      return;
    }
    const { text } = this.#source;
    let position = skipSpace(text, this.#start + 1);
    while (text.charCodeAt(position) !== CLOSE_BRACE) {
      const keyEnd = skipString(text, position);
      const key = charactersOf(text.slice(position, keyEnd));
      const colon = skipSpace(text, keyEnd);
      if (text.charCodeAt(colon) !== COLON) throw new Error('not a JSON object');
      const start = skipSpace(text, colon + 1);
      const end = skipValue(text, start);
      yield [key, this.#slice(start, end)];
      position = skipSpace(text, end);
      if (text.charCodeAt(position) === COMMA) position = skipSpace(text, position + 1);
    }
  }

  /** The member or element of that name; the last one where a key is given twice, as `JSON.parse` has it. */
  get(key: string): JsonText | undefined {
    let found: JsonText | undefined;
    if (this.kind === 'array') {
      if (!/^(0|[1-9]\d*)$/.test(key)) return undefined;
      let left = Number(key);
      for (const element of this.elements()) if (left-- === 0) return element;
      return undefined;
    }
    const parts = this.#parts;
    if (parts === null) {
      for (const [name, value] of this.members()) if (name === key) found = value;
      return found;
    }
    for (let i = parts.bytes.length - 4; i >= 0 && found === undefined; i -= 4) {
      if (this.#member(parts, i).string() === key) found = this.#member(parts, i + 2);
    }
    return found;
  }

  /** The value that a path of keys and indices reaches. */
  at(path: readonly string[]): JsonText | undefined {
    let value: JsonText | undefined = this;
    for (const key of path) value = value?.get(key);
    return value;
  }

  /** True or false; undefined for a value that is neither. */
  boolean(): boolean | undefined {
    return this.kind === 'boolean' ? this.raw === 'true' : undefined;
  }

  /** The characters of a string value; undefined for any other. */
  string(): string | undefined {
    if (this.kind !== 'string') return undefined;
    return charactersOf(this.raw);
  }

  /** The value as plain text: a string's characters, nothing for null, otherwise its canonical JSON. */
  plain(): string {
    return this.kind === 'null' ? '' : (this.string() ?? this.toString());
  }

  /**
   * Canonical JSON: no white space between tokens, Unicode unescaped, control and bidirectional formatting
   * characters escaped; numbers, order and duplicate keys as sent.
   */
  toString(): string {
    const { text, bytes, canonicalStrings } = this.#source;
    if (canonicalStrings && bytes !== null) return this.raw;
    let out = '';
    let copied = this.#start;
    let position = this.#start;
    const end = this.#end;
    while (position < end) {
      const code = text.charCodeAt(position);
      if (code === QUOTE) {
        const stringEnd = skipString(text, position);
        if (!canonicalStrings) {
          const raw = text.slice(position, stringEnd);
          if (isNotCanonical(raw)) {
            out += text.slice(copied, position) + quoteJson(JSON.parse(raw) as string);
            copied = stringEnd;
          }
        }
        position = stringEnd;
      } else if (isSpace(code)) {
        out += text.slice(copied, position);
        position = skipSpace(text, position + 1);
        copied = position;
      } else position++;
    }
    return copied === this.#start ? text.slice(copied, end) : out + text.slice(copied, end);
  }
}
