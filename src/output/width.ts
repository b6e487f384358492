import stringWidth from 'string-width';

/** Longer texts are not measured: that takes more than linear time. */
const maxMeasured = 10_000;

/** Widths of recent texts: a cell is measured ten times while it is drawn. */
const known = new Map<string, number>();

/** Columns that a text takes on a terminal; it contains no control characters. */
export function textWidth(text: string): number {
  if (text.length > maxMeasured) return text.length;
  const width = known.get(text) ?? stringWidth(text);
  if (known.size >= 1000) known.clear();
  known.set(text, width);
  return width;
}

/** The most columns that a text takes on any terminal: some draw each part of a joined emoji, and a row must not wrap. */
function maxWidth(text: string): number {
  const width = textWidth(text);
  if (width === text.length) return width;
  const parts = Array.from(text, (character) => textWidth(character));
  return Math.max(
    width,
    parts.reduce((sum, part) => sum + part, 0),
  );
}

/** A text in at most `columns` columns: unchanged, or cut between two characters as readers see them, with an ellipsis. */
export function cut(text: string, columns: number): string {
  // No character of a language is longer than this.
  const start = text.slice(0, 20 * (columns + 1));
  if (start.length === text.length && maxWidth(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const { segment } of new Intl.Segmenter().segment(start)) {
    left -= maxWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}
