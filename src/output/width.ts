/** The width of text in columns of a terminal, and cutting it to a width. */

/** Text with one column per character on every terminal. */
const plain =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0386-\u0482\u048a-\u052f\u2010-\u2027\u2500-\u257f]*$/;
/** Text whose width all terminals agree on: plain, and the common letters of Chinese, Japanese and Korean. */
const agreed =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0386-\u0482\u048a-\u052f\u2010-\u2027\u2500-\u257f\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*$/;
/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
const emojiPresentation = /^(?!\p{RI})\p{Emoji_Presentation}$/u;
/** A cluster drawn as one picture: with U+FE0F, a keycap, two regional indicators, joined or tinted pictographs. */
const picture =
  /^(?:[\p{Emoji}\p{Extended_Pictographic}]\ufe0f|[0-9#*]\u20e3|\p{RI}{2}|\p{Extended_Pictographic}\p{EMod}|\p{Extended_Pictographic}.*\u200d|(?!\p{RI})\p{Emoji_Presentation})/su;

/** First and last code points of the ranges that are two columns wide (East Asian Width W and F), besides emoji. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x16fff],
  [0x17000, 0x18dff],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Maximum length of a segmented piece: segmenting takes more than linear time. */
const maxPiece = 4096;

let segmenter: Intl.Segmenter | undefined;

/** The grapheme clusters of a text: what a reader sees as one character. */
function* graphemes(text: string): Generator<string, void> {
  segmenter ??= new Intl.Segmenter();
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + maxPiece, text.length);
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? '')) to++;
    for (const { segment } of segmenter.segment(text.slice(from, to))) yield segment;
    from = to;
  }
}

function codePointWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  if (zeroWidth.test(character)) return 0;
  if (emojiPresentation.test(character)) return 2;
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** The sum of the widths of code points, as on terminals without support for clusters. */
function additiveWidth(cluster: string): number {
  let sum = 0;
  for (const character of cluster) sum += codePointWidth(character);
  return sum;
}

const clusterWidth = (cluster: string): number => (picture.test(cluster) ? 2 : additiveWidth(cluster));

/** The largest width of a cluster on any terminal. */
const clusterMaxWidth = (cluster: string): number =>
  picture.test(cluster) ? Math.max(2, additiveWidth(cluster)) : additiveWidth(cluster);

/** Columns that a text takes on a terminal that draws grapheme clusters; `text` holds no control characters. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const cluster of graphemes(text)) width += clusterWidth(cluster);
  return width;
}

/** The largest width of a text on any terminal; stops measuring after `limit`. */
export function maxWidth(text: string, limit: number): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const cluster of graphemes(text)) {
    width += clusterMaxWidth(cluster);
    if (width > limit) break;
  }
  return width;
}

/** A text of at most `columns` columns on any terminal: unchanged, or cut at a grapheme, with an ellipsis. */
export function cut(text: string, columns: number): string {
  if (maxWidth(text, columns) <= columns) return text;
  if (columns < 1) return '';
  if (plain.test(text)) return `${text.slice(0, columns - 1).trimEnd()}…`;
  let kept = '';
  let width = 0;
  for (const cluster of graphemes(text)) {
    width += clusterMaxWidth(cluster);
    if (width > columns - 1) break;
    kept += cluster;
  }
  return `${kept.trimEnd()}…`;
}

/** False if terminals differ about the width of a text (joined emoji, flags, many scripts). */
export function hasAgreedWidth(text: string): boolean {
  return agreed.test(text);
}

/** True if a text holds letters written from right to left. */
export function isRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}
