/** Values that are computed from display texts; null for anything that would be a guess. */

/** Longer texts are no durations and no numbers of views. */
const maxLength = 100;

const shortText = (text: string | undefined): string =>
  text === undefined || text.length > maxLength ? '' : text.trim();

/**
 * Seconds of a `lengthText`, as decimal digits: `<minutes>:<seconds>` (docs/service.md, 2.2), with hours `1:02:33`.
 * Null if it is not a duration (`LIVE`).
 */
export function durationSeconds(lengthText: string | undefined): string | null {
  const match = /^(?:(\d{1,9}):(?=[0-5]\d:))?(\d{1,9}):([0-5]\d)$/.exec(shortText(lengthText));
  if (match === null) return null;
  const [, hours = '0', minutes, rest] = match;
  return String(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
}

/**
 * Views, as decimal digits: `viewCount` if it is a whole number, else the number of a `viewCountText` such as
 * `434K views` or `3.2M views • 2 years ago`. Null for units and languages that are not known.
 */
export function views(viewCount: string | undefined, viewCountText: string | undefined): string | null {
  return wholeNumber(viewCount ?? '') ?? viewsOfText(shortText(viewCountText));
}

/** Digits without leading zeros, from digits or groups of three; null for anything else. */
function wholeNumber(text: string): string | null {
  if (!/^\d+$/.test(text) && !/^\d{1,3}(?:,\d{3})+$/.test(text)) return null;
  return text.replaceAll(',', '').replace(/^0+(?=\d)/, '');
}

const unitZeros: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6, B: 9 };

function viewsOfText(text: string): string | null {
  if (/^no\s+views?(?![a-z])/i.test(text)) return '0';
  const match = /^([\d,]+)(?:\.(\d+))?\s*(?:([KMB])\s*)?views?(?![a-z])/i.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = '', unit = ''] = match;
  const zeros = unitZeros[unit.toUpperCase()] ?? 0;
  const digits = wholeNumber(whole);
  // More digits than the unit has zeros are not a whole number of views.
  if (digits === null || fraction.length > zeros) return null;
  return wholeNumber(digits + fraction.padEnd(zeros, '0'));
}

/** The two parts of a `viewCountText` that combines the view count and the age (2.2): `434K views • 1 day ago`. */
export function splitViews(viewCountText: string): readonly [count: string, age: string] {
  const text = shortText(viewCountText);
  if (text === '') return [viewCountText, ''];
  const separator = /[•·|]/.exec(text);
  if (separator !== null)
    return [text.slice(0, separator.index).trim(), text.slice(separator.index + 1).trim()];
  const [, count = text, age = ''] = /^([^a-z]*\bviews?)\s+(\S.*)$/is.exec(text) ?? [];
  return [count, age];
}
