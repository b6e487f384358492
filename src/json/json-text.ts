import { escapeUnsafe } from '../text/sanitize.ts';
import { type ByteWriter, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './byte-writer.ts';
import { indexJson, isTextAt, type JsonIndex } from './scanner.ts';

const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;

type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** The kind of a value by its first byte; any other byte starts a number. */
const kinds: Readonly<Record<number, Kind>> = {
  [OPEN_BRACE]: 'object',
  [OPEN_BRACKET]: 'array',
  [QUOTE]: 'string',
  [LETTER_N]: 'null',
  [LETTER_F]: 'boolean',
  [LETTER_T]: 'boolean',
};

/** Returns the JSON of a value with DEL, C1 and bidirectional formatting escaped, else with as few escapes as JSON allows. */
export function quoteJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value));
}

function decodeString(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/** A cache of the canonical literals of keys that have been looked up. */
const keyLiterals = new Map<string, Buffer>();

function keyLiteral(key: string): Buffer {
  const known = keyLiterals.get(key);
  if (known !== undefined) return known;
  const literal = Buffer.from(quoteJson(key));
  if (keyLiterals.size < 100) keyLiterals.set(key, literal);
  return literal;
}

/**
 * One JSON value as the service wrote it: a slice of its bytes, never parsed and printed again, so that numbers
 * beyond 2^53, key order and duplicate keys survive digit for digit. Only white space and unnecessary escapes are gone.
 */
export class JsonText {
  /** The text that contains the value. */
  #index: JsonIndex;
  #from: number;
  #to: number;
  /** Positions of its elements or members in that text; null until they are needed (`#opened`). */
  #parts: readonly number[] | null;

  private constructor(index: JsonIndex, from: number, to: number, parts: readonly number[] | null) {
    this.#index = index;
    this.#from = from;
    this.#to = to;
    this.#parts = parts;
  }

  /** Parses JSON; null if it is invalid or has too many values. `withEntries` also indexes the entries of a list in it. */
  static parse(bytes: Buffer, withEntries = false): JsonText | null {
    const index = indexJson(bytes, withEntries);
    return typeof index === 'string' ? null : new JsonText(index, 0, index.bytes.length, index.parts);
  }

  /** Parses a text that is known to be JSON. */
  static of(text: string): JsonText {
    const value = JsonText.parse(Buffer.from(text));
    if (value === null) throw new Error('not JSON');
    return value;
  }

  /** Writes the JSON, as `toString` returns it. */
  writeTo(out: ByteWriter): void {
    out.copy(this.#index.bytes, this.#from, this.#to);
  }

  /** Writes the plain text (`plain`); returns false and writes nothing if `special` has 1 for a byte of it. */
  writePlain(out: ByteWriter, special: Uint8Array): boolean {
    const { bytes } = this.#index;
    const isString = bytes[this.#from] === QUOTE;
    const from = isString ? this.#from + 1 : this.#from;
    const to = isString ? this.#to - 1 : this.#to;
    for (let i = from; i < to; i++) if (special[bytes[i] as number] === 1) return false;
    if (isString || bytes[from] !== LETTER_N) out.copy(bytes, from, to);
    return true;
  }

  get kind(): Kind {
    return kinds[this.#index.bytes[this.#from] ?? 0] ?? 'number';
  }

  /** The JSON (`toString`) in UTF-8. */
  get utf8(): Buffer {
    return this.#index.bytes.subarray(this.#from, this.#to);
  }

  /** Returns the positions of the parts. A nested value is indexed when they are first needed. */
  #opened(): readonly number[] {
    if (this.#parts !== null) return this.#parts;
    const index = indexJson(this.utf8);
    if (typeof index === 'string') throw new Error(index);
    this.#index = index;
    this.#from = 0;
    this.#to = index.bytes.length;
    this.#parts = index.parts;
    return index.parts;
  }

  /** Returns the elements of an array; none for any other value. */
  elements(): JsonText[] {
    const elements: JsonText[] = [];
    if (this.kind !== 'array') return elements;
    const parts = this.#opened();
    for (let i = 0; i < parts.length; i += 2) elements.push(this.#part(parts, i));
    return elements;
  }

  /** Yields the members of an object in order, with duplicates; none for any other value. */
  *members(): Generator<readonly [key: string, value: JsonText], void> {
    if (this.kind !== 'object') return;
    const parts = this.#opened();
    for (let i = 0; i < parts.length; i += 4) yield [this.#key(parts, i), this.#part(parts, i + 2)];
  }

  /** Returns the keys of an object in order, with duplicates; none for any other value. */
  keys(): string[] {
    return Array.from(this.members(), ([key]) => key);
  }

  /** Whether both are objects with the same keys in the same order. */
  hasKeysOf(other: JsonText): boolean {
    if (this.kind !== 'object' || other.kind !== 'object') return false;
    const [parts, others] = [this.#opened(), other.#opened()];
    const [{ bytes }, { bytes: text }] = [this.#index, other.#index];
    if (parts.length !== others.length) return false;
    for (let i = 0; i < parts.length; i += 4) {
      const [from, to] = [parts[i] as number, parts[i + 1] as number];
      const [start, end] = [others[i] as number, others[i + 1] as number];
      if (to - from !== end - start || !isTextAt(bytes, from, text, start, end)) return false;
    }
    return true;
  }

  /** Returns the member or element with this key; the last one if a key occurs twice, as `JSON.parse` does. */
  get(key: string): JsonText | undefined {
    const { kind } = this;
    if (kind === 'array') {
      const parts = this.#opened();
      const i = /^(0|[1-9]\d*)$/.test(key) ? 2 * Number(key) : parts.length;
      return i < parts.length ? this.#part(parts, i) : undefined;
    }
    if (kind !== 'object') return undefined;
    const parts = this.#opened();
    const { bytes } = this.#index;
    const literal = keyLiteral(key);
    for (let i = parts.length - 4; i >= 0; i -= 4) {
      const from = parts[i] as number;
      const isAsLong = parts[i + 1] === from + literal.length;
      if (isAsLong && isTextAt(bytes, from, literal)) return this.#part(parts, i + 2);
    }
    return undefined;
  }

  at(path: readonly string[]): JsonText | undefined {
    let value: JsonText | undefined = this;
    for (const key of path) value = value?.get(key);
    return value;
  }

  boolean(): boolean | undefined {
    return this.kind === 'boolean' ? String(this) === 'true' : undefined;
  }

  /** Returns the characters of a string value; undefined for any other value. */
  string(): string | undefined {
    return this.kind === 'string' ? decodeString(this.toString()) : undefined;
  }

  /** Returns the value as plain text: the characters of a string, '' for null, otherwise its JSON. */
  plain(): string {
    return this.kind === 'null' ? '' : (this.string() ?? this.toString());
  }

  /** Returns the JSON without white space, with as few escapes as are safe; numbers, order and duplicate keys are as sent. */
  toString(): string {
    return this.#index.bytes.toString('utf8', this.#from, this.#to);
  }

  #key(parts: readonly number[], i: number): string {
    return decodeString(this.#index.bytes.toString('utf8', parts[i], parts[i + 1]));
  }

  #part(parts: readonly number[], i: number): JsonText {
    const [from, to] = [parts[i] as number, parts[i + 1] as number];
    const first = this.#index.bytes[from];
    const isContainer = first === OPEN_BRACE || first === OPEN_BRACKET;
    return new JsonText(this.#index, from, to, isContainer ? (this.#index.inner?.get(from) ?? null) : null);
  }
}
