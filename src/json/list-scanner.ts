import { countLines } from '../text/count.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const CLOSE_BRACKET = 93;
const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;
const isOpen = (code: number): boolean => code === 123 || code === 91;
const isClose = (code: number): boolean => code === 125 || code === CLOSE_BRACKET;

/** Characters that may stand before and behind the list. */
const longestFrame = 16 * 1024 * 1024;

/** An element of the list, as it stands. */
export interface Element {
  readonly text: string;
  /** Line that it begins in, from 1. */
  readonly line: number;
}

/** What a document is that is no listing: its message says why. */
export class NoListing extends Error {}

/**
 * Finds the elements of `results` in a JSON document that comes in pieces, without holding more than one of
 * them and what stands around the list. It finds boundaries; the elements themselves are not checked.
 */
export class JsonListScanner {
  #stage: 'head' | 'list' | 'tail' = 'head';
  /** What has come and is not part of a whole element: the head, the tail or a begun element. */
  #held = '';
  /** First character of `#held` not looked at. */
  #at = 0;
  #line = 1;
  #depth = 0;
  #inString = false;
  /** Between two elements: what may come. */
  #expected: 'first' | 'separator' | 'element' = 'first';

  /** Line of what has not been understood yet, from 1. */
  get line(): number {
    return this.#line;
  }

  /** The elements that the next piece completes. Throws `NoListing`. */
  push(piece: string): Element[] {
    // Joined, the text is flat: reading its characters is several times as fast as behind `+`.
    this.#held = [this.#held, piece].join('');
    if (this.#stage === 'head') this.#findList();
    const elements = this.#stage === 'list' ? this.#scan() : [];
    if (this.#stage !== 'list' && this.#held.length > longestFrame) throw new NoListing('not a listing');
    return elements;
  }

  /** Ends the document: the members behind the list. Throws `NoListing` where it is not whole. */
  end(): Record<string, unknown> {
    if (this.#stage !== 'tail') throw new NoListing('cut short');
    try {
      return JSON.parse(`{"results":[]${this.#held}`);
    } catch {
      throw new NoListing('not valid JSON behind the list, or cut short');
    }
  }

  #findList(): void {
    const text = this.#held;
    let at = skipSpace(text, 0);
    if (at < text.length && text[at] !== '{') throw new NoListing('not a listing');
    for (;;) {
      at = skipSpace(text, at + 1);
      if (at < text.length && text[at] !== '"') throw new NoListing('not a listing');
      const keyEnd = valueEnd(text, at);
      if (keyEnd === -1) return;
      const key = text.slice(at, keyEnd);
      at = skipSpace(text, keyEnd);
      if (at < text.length && text[at] !== ':') throw new NoListing('not valid JSON');
      at = skipSpace(text, at + 1);
      if (at >= text.length) return;
      if (key === '"results"') break;
      at = valueEnd(text, at);
      if (at === -1) return;
      at = skipSpace(text, at);
      if (at < text.length && text[at] !== ',') throw new NoListing('not a listing');
    }
    if (text[at] !== '[') throw new NoListing('not a listing');
    try {
      JSON.parse(`${text.slice(0, at)}null}`);
    } catch {
      throw new NoListing('not valid JSON before the list');
    }
    this.#stage = 'list';
    this.#drop(at + 1);
  }

  #scan(): Element[] {
    const text = this.#held;
    const elements: Element[] = [];
    let lines = 0;
    let counted = 0;
    let start = 0;
    let at = this.#at;
    let depth = this.#depth;
    let inString = this.#inString;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (inString) {
        if (code === QUOTE) inString = false;
        else if (code === BACKSLASH && ++at === text.length) {
          at--;
          break;
        }
      } else if (code === QUOTE) {
        if (depth === 0 && at === start) this.#mayBegin(at);
        inString = true;
      } else if (isOpen(code)) {
        if (depth === 0 && at === start) this.#mayBegin(at);
        depth++;
      } else if (depth > 0) {
        if (isClose(code)) depth--;
      } else if (isSpace(code) || code === COMMA || isClose(code)) {
        if (at > start) {
          lines += countLines(text.slice(counted, start));
          counted = start;
          elements.push({ text: text.slice(start, at), line: this.#line + lines });
          this.#expected = 'separator';
        }
        start = at + 1;
        if (isSpace(code)) continue;
        if (code === CLOSE_BRACKET && this.#expected !== 'element') {
          this.#stage = 'tail';
          this.#drop(at + 1);
          return elements;
        }
        if (code !== COMMA || this.#expected !== 'separator') throw this.#notSeparated(at);
        this.#expected = 'element';
      } else if (at === start) this.#mayBegin(at);
    }
    this.#drop(start);
    this.#at = at - start;
    this.#depth = depth;
    this.#inString = inString;
    return elements;
  }

  #mayBegin(at: number): void {
    if (this.#expected === 'separator') throw this.#notSeparated(at);
  }

  #notSeparated(at: number): NoListing {
    this.#drop(at);
    return new NoListing('not valid JSON between two entries');
  }

  #drop(characters: number): void {
    this.#line += countLines(this.#held, characters);
    this.#held = this.#held.slice(characters);
    this.#at = 0;
  }
}

function skipSpace(text: string, at: number): number {
  let position = at;
  while (isSpace(text.charCodeAt(position))) position++;
  return position;
}

/** Position behind the value that begins at `at`; -1 where it may go on behind the text. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  let inString = false;
  for (let position = at; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (inString) {
      if (code === BACKSLASH) position++;
      else if (code === QUOTE) {
        inString = false;
        if (depth === 0) return position + 1;
      }
    } else if (code === QUOTE) inString = true;
    else if (isOpen(code)) depth++;
    else if (isClose(code)) {
      if (depth === 0) return position;
      if (--depth === 0) return position + 1;
    } else if (depth === 0 && (code === COMMA || isSpace(code))) return position;
  }
  return -1;
}
