/** Finds where JSON values end, in a text that is known to be JSON: it checks nothing. */

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

export const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** First position at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  let position = at;
  while (isSpace(text.charCodeAt(position))) position++;
  return position;
}

/** Position behind the string that opens at `at`. */
export function skipString(text: string, at: number): number {
  let position = at + 1;
  for (;;) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) return position + 1;
    position += code === BACKSLASH ? 2 : 1;
  }
}

/** Position behind the value that starts at `at`. */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return skipString(text, at);
  let position = at;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    let depth = 0;
    for (;;) {
      const code = text.charCodeAt(position);
      if (code === QUOTE) {
        position = skipString(text, position);
        continue;
      }
      position++;
      if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth--;
        if (depth === 0) return position;
      }
    }
  }
  for (;;) {
    const code = text.charCodeAt(position);
    if (
      Number.isNaN(code) ||
      code === COMMA ||
      code === CLOSE_BRACE ||
      code === CLOSE_BRACKET ||
      isSpace(code)
    )
      return position;
    position++;
  }
}
