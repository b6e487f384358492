/** A string, or a token that changes the line or the depth. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * A function that indents a compact JSON text by two spaces. It is given the text in pieces, none of which ends within
 * a string; every string, number and word stays as it is.
 */
export function indenter(): (text: string) => string {
  let depth = 0;
  /** The last token opened an array or object: its first part begins a line. */
  let isOpened = false;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return (text) => {
    let out = '';
    let at = 0;
    const add = (piece: string): void => {
      if (piece === '') return;
      if (isOpened) out += line();
      isOpened = false;
      out += piece;
    };
    for (const { 0: found, index } of text.matchAll(token)) {
      add(text.slice(at, index));
      at = index + found.length;
      if (found === '{' || found === '[') {
        add(found);
        depth++;
        isOpened = true;
      } else if (found === '}' || found === ']') {
        depth--;
        if (!isOpened) out += line();
        isOpened = false;
        out += found;
      } else if (found === ',') out += found + line();
      else if (found === ':') out += ': ';
      else add(found);
    }
    add(text.slice(at));
    return out;
  };
}
