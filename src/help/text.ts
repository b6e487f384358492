/** Width of all help texts, in columns. */
export const helpWidth = 80;

/** A paragraph in lines of at most `width` columns (ASCII). */
export function wrap(text: string, width: number = helpWidth): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** Longer terms have a line of their own. */
const widestTerm = 26;

/** Rows of a term and what it means, in two columns. */
export function twoColumns(rows: readonly (readonly [term: string, meaning: string])[]): string[] {
  const width = Math.max(...rows.map(([term]) => term.length).filter((length) => length <= widestTerm)) + 2;
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, helpWidth - 2 - width);
    const above = term.length > widestTerm;
    const rest = lines.map((line, index) => `  ${(index === 0 && !above ? term : '').padEnd(width)}${line}`);
    return above ? [`  ${term}`, ...rest] : rest;
  });
}
