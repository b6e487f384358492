/**
 * A text in lines of at most `columns` characters, the first with `used` fewer, broken between words; a longer word has a
 * line of its own.
 */
export function wrap(text: string, columns: number, used = 0): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const room = lines.length === 0 ? columns - used : columns;
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
