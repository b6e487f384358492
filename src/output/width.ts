import stringWidth from 'string-width';
import { isPlain } from '../text/sanitize.ts';

/** Maximum length of a text that is measured: that takes more than linear time. */
const maxMeasured = 10_000;

/** Widths of recent texts and characters: a cell is measured several times while it is drawn. */
const known = new Map<string, number>();
/** Created when a text first needs it, because that takes 8 ms. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;
/** Vowels and final consonants of Korean syllables, which are drawn within the first part. */
const jamo = /[\u1160-\u11ff]/;

/** Terminals draw the letters of a grapheme cluster one after another (Hindi, Thai), but an emoji as one sign. */
function clusterWidth(cluster: string): number {
  const parts = Array.from(cluster);
  if (parts.length === 1 || emoji.test(cluster) || jamo.test(cluster)) return stringWidth(cluster);
  return parts.reduce((sum, part) => sum + stringWidth(part), 0);
}

/** Returns how many columns a text without control characters takes on a terminal. */
export function textWidth(text: string): number {
  if (text.length > maxMeasured || isPlain(text)) return text.length;
  const knownWidth = known.get(text);
  if (knownWidth !== undefined) return knownWidth;
  const all = graphemes(text);
  const width = all.length === 1 ? clusterWidth(text) : all.reduce((sum, part) => sum + textWidth(part), 0);
  if (known.size >= 2000) known.clear();
  known.set(text, width);
  return width;
}

export const widest = (texts: readonly string[], widthOf = textWidth): number =>
  texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);

/** Returns the maximum number of columns that a text takes on any terminal (`maxWidth`). */
export const maxTextWidth = (text: string): number =>
  isPlain(text) ? text.length : graphemes(text).reduce((sum, part) => sum + maxWidth(part), 0);

/** Returns the maximum number of columns that a grapheme cluster takes: some terminals draw each part of an emoji, and a row must not wrap. */
function maxWidth(character: string): number {
  let parts = 0;
  for (const part of character) parts += textWidth(part);
  return Math.max(textWidth(character), parts);
}

/** Truncates a text, if necessary, to `columns` columns: between two grapheme clusters, and with an ellipsis. */
export function truncateToWidth(text: string, columns: number): string {
  if (columns < 1) return '';
  if (isPlain(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
  // No grapheme cluster of a language is longer than 20 code units, so the rest of the text is not needed.
  const start = text.slice(0, 20 * (columns + 1));
  let kept = '';
  let used = 0;
  for (const character of graphemes(start)) {
    used += maxWidth(character);
    if (used < columns) kept += character;
    if (used > columns) return `${kept}…`;
  }
  return start.length === text.length ? text : `${kept}…`;
}
