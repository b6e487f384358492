import stringWidth from 'string-width';

/** First and last of characters that are drawn alone whatever stands beside them, and their width in columns. */
const simple = [
  [0x20, 0x7e, 1],
  [0xa1, 0xac, 1],
  [0xae, 0x2ff, 1],
  [0x400, 0x482, 1],
  [0x2010, 0x2027, 1],
  [0x3041, 0x3096, 2],
  [0x30a0, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2],
  [0xff01, 0xff5e, 2],
] as const;

/** The width of a text of such characters; null if it contains others, which `string-width` knows. */
function simpleWidth(text: string): number | null {
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const range = simple.find(([, last]) => code <= last);
    if (range === undefined || code < range[0]) return null;
    width += range[2];
  }
  return width;
}

/** Longer texts are not measured: that takes more than linear time. */
const maxMeasured = 10_000;

/** Widths of recent texts and characters: a cell is measured several times while it is drawn. */
const known = new Map<string, number>();
/** Created when a text needs it: that takes 8 ms. */
let segmenter: Intl.Segmenter | undefined;

/** The characters of a text, as readers see them. */
function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Columns that a text takes on a terminal: those of its characters, as readers see them. It contains no control characters. */
export function textWidth(text: string): number {
  const simple = text.length > maxMeasured ? text.length : simpleWidth(text);
  const quick = simple ?? known.get(text);
  if (quick !== undefined) return quick;
  const all = charactersOf(text);
  const width = all.length === 1 ? stringWidth(text) : all.reduce((sum, each) => sum + textWidth(each), 0);
  if (known.size >= 2000) known.clear();
  known.set(text, width);
  return width;
}

/** The most columns that a character takes on any terminal: some draw each part of a joined emoji, and a row must not wrap. */
function maxWidth(character: string): number {
  let parts = 0;
  for (const part of character) parts += textWidth(part);
  return Math.max(textWidth(character), parts);
}

/** A text in at most `columns` columns: unchanged, or cut between two characters as readers see them, with an ellipsis. */
export function cut(text: string, columns: number): string {
  const width = simpleWidth(text);
  if (width !== null && width <= columns) return text;
  // No character of a language is longer than this.
  const start = text.slice(0, 20 * (columns + 1));
  let kept = '';
  let used = 0;
  for (const character of width === null ? charactersOf(start) : start) {
    used += maxWidth(character);
    if (used < columns) kept += character;
    if (used > columns) return columns < 1 ? '' : `${kept}…`;
  }
  return start.length === text.length ? text : `${kept}…`;
}
