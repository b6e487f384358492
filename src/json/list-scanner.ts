import { scanValue, skipSpace } from './scanner.ts';

const COMMA = 44;
const COLON = 58;
const QUOTE = 34;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;

/** Maximum size of the text before and after the list (bytes). */
const maxFrameBytes = 16 * 1024 * 1024;

/** Damage in a file. `at`: the scanned byte that shows it. */
export class Damage extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/**
 * Finds the elements of `results` in a JSON document that is read in chunks. Holds only the text around the list and
 * one element.
 */
export class JsonListScanner {
  #stage: 'head' | 'list' | 'tail' = 'head';
  /** What may come next in the list. */
  #next: 'first' | 'separator' | 'element' = 'first';

  /**
   * Scans `bytes`: the rest of the last chunk and the next one. `isEnd`: no more follow. Calls `onElement` with the
   * start and end of each element; returns how many bytes were consumed. Throws `Damage`.
   */
  scan(bytes: Buffer, isEnd: boolean, onElement: (from: number, to: number) => void): number {
    let end = 0;
    if (this.#stage === 'head') {
      const start = this.#findList(bytes);
      if (start === null) {
        if (isEnd || bytes.length > maxFrameBytes) throw new Damage('cut short', bytes.length);
        return 0;
      }
      this.#stage = 'list';
      end = start;
    }
    if (this.#stage === 'list') end = this.#scanList(bytes, end, isEnd, onElement);
    if (this.#stage === 'list' && isEnd) throw new Damage('cut short', bytes.length);
    if (this.#stage === 'tail' && bytes.length - end > maxFrameBytes) throw new Damage('not a listing', end);
    return end;
  }

  /** The members after the list. `tail`: the bytes not consumed by `scan`. Throws `Damage` if they are incomplete. */
  members(tail: Buffer): Record<string, unknown> {
    try {
      return JSON.parse(`{"results":[]${tail.toString()}`);
    } catch {
      throw new Damage('not valid JSON after the list, or cut short', 0);
    }
  }

  /** Position after the bracket of the list; null if more bytes are needed. */
  #findList(bytes: Buffer): number | null {
    let at = skipSpace(bytes, 0);
    if (at === bytes.length) return null;
    if (bytes[at] !== OPEN_BRACE) throw new Damage('not a listing', at);
    for (;;) {
      at = skipSpace(bytes, at + 1);
      if (at < bytes.length && bytes[at] !== QUOTE) throw new Damage('not a listing', at);
      const keyEnd = valueEnd(bytes, at);
      if (keyEnd === null) return null;
      const isResults = bytes.toString('utf8', at, keyEnd) === '"results"';
      at = skipSpace(bytes, keyEnd);
      if (at < bytes.length && bytes[at] !== COLON) throw new Damage('not valid JSON before the list', at);
      at = skipSpace(bytes, at + 1);
      if (at >= bytes.length) return null;
      if (isResults && bytes[at] === OPEN_BRACKET) return at + 1;
      if (isResults) throw new Damage('not a listing', at);
      const end = valueEnd(bytes, at);
      if (end === null) return null;
      at = skipSpace(bytes, end);
      if (at < bytes.length && bytes[at] !== COMMA) throw new Damage('not a listing', at);
    }
  }

  #scanList(
    bytes: Buffer,
    start: number,
    isEnd: boolean,
    onElement: (from: number, to: number) => void,
  ): number {
    let at = start;
    for (;;) {
      const from = skipSpace(bytes, at);
      if (from === bytes.length) return from;
      const byte = bytes[from];
      if (byte === CLOSE_BRACKET && this.#next !== 'element') {
        this.#stage = 'tail';
        return from + 1;
      }
      if (this.#next === 'separator') {
        if (byte !== COMMA) throw new Damage('not valid JSON between two entries', from);
        this.#next = 'element';
        at = from + 1;
        continue;
      }
      if (byte === COMMA) throw new Damage('not valid JSON between two entries', from);
      const end = valueEnd(bytes, from);
      // A number may continue in the next chunk.
      if (end === null || (end === bytes.length && !isEnd)) return from;
      onElement(from, end);
      this.#next = 'separator';
      at = end;
    }
  }
}

/** Position after the value at `at`; null if it continues after the bytes. Throws `Damage` if it is invalid. */
function valueEnd(bytes: Buffer, at: number): number | null {
  if (at >= bytes.length) return null;
  const end = scanValue(bytes, at);
  if (end >= 0) return end;
  if (~end >= bytes.length) return null;
  throw new Damage('not valid JSON', ~end);
}
