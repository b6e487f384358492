/** What the texts of a video say: durations and views (docs/service.md, 2.2). */

/** Returns the seconds of a `lengthText` in digits, with or without hours; null if it is not a duration (`LIVE`). */
export function parseDuration(lengthText = ''): string | null {
  const match = /^(?:(\d{1,9}):(?=[0-5]\d:))?(\d{1,9}):([0-5]\d)$/.exec(lengthText.trim());
  if (match === null) return null;
  const [, hours = '0', minutes, rest] = match;
  return String(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
}

/** Returns the views in digits: of `viewCount`, else of a text such as `3.2M views • 2 years ago`; null if neither has a count. */
export function parseViewCount(viewCount = '', viewCountText = ''): string | null {
  return (
    (/^[\d,]+$/.test(viewCount) ? viewsOfText(`${viewCount} views`) : null) ?? viewsOfText(viewCountText)
  );
}

const unitZeros: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6, B: 9 };

function viewsOfText(viewCountText: string): string | null {
  const text = viewCountText.trim();
  if (/^no\s+views?(?![a-z])/i.test(text)) return '0';
  const match =
    /^(\d{1,3}(?:,\d{3}){1,9}|\d{1,99})(?:\.(\d{1,9}))?\s{0,9}(?:([KMB])\s{0,9})?views?(?![a-z])/i.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = '', unit = ''] = match;
  const zeros = unitZeros[unit.toUpperCase()] ?? 0;
  // A fraction with more digits than the unit has zeros is not a whole number of views.
  if (fraction.length > zeros) return null;
  return (whole.replaceAll(',', '') + fraction.padEnd(zeros, '0')).replace(/^0+(?=\d)/, '');
}

/** Splits a `viewCountText` (2.2) into count and age: `434K` and `1 day ago` in `434K views • 1 day ago`. */
export function splitViews(viewCountText: string): readonly [count: string, age: string] {
  const text = viewCountText.trim();
  const separated = /^([^\u2022\u00b7|]*)[\u2022\u00b7|](.*)$/s.exec(text);
  const [, count = text, age = ''] =
    separated ?? /^((?:no |[^a-z]{1,40}[kmb]? ?)views?)\s(.*)$/is.exec(text) ?? [];
  const isCount = viewsOfText(count) !== null;
  const bareCount = isCount ? count.replace(/^\s*no\b/i, '0').replace(/views?\s*$/i, '') : count;
  return [bareCount.trim(), age.trim()];
}
