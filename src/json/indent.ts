/** An escape, a token that changes the line or the depth, or what is between them. */
const token = /\\.|["{}[\],:]|[^\\"{}[\],:]+/gs;

/**
 * A function that indents a compact JSON text by two spaces. It is given the text in pieces; every string, number and
 * word stays as it is.
 */
export function indenter(): (text: string) => string {
  let depth = 0;
  let isString = false;
  /** The last token opened an array or object: its first part begins a line. */
  let isOpened = false;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return (text) =>
    text.replace(token, (found) => {
      const isPlain = isString;
      if (found === '"') isString = !isString;
      if (isPlain) return found;
      const isEnd = found === '}' || found === ']';
      if (isEnd) depth--;
      const before = isOpened === isEnd ? '' : line();
      isOpened = found === '{' || found === '[';
      if (isOpened) depth++;
      return before + found + (found === ',' ? line() : found === ':' ? ' ' : '');
    });
}
