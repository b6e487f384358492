/**
 * Breaks a text between words into lines of at most `columns` columns, the first with `used` fewer; a longer word gets a line
 * of its own. `widthOf` returns the columns of a text (by default its UTF-16 code units).
 */
export function wrap(
  text: string,
  columns: number,
  used = 0,
  widthOf = (part: string): number => part.length,
): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const room = lines.length === 0 ? columns - used : columns;
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
