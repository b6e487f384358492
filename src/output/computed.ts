/** Values that are computed from display texts; null for anything that would be a guess. */

/**
 * Seconds of a `lengthText`, as decimal digits: `<minutes>:<seconds>` (service specification, 2.2), with hours
 * `1:02:33`. Null if it is no duration (`LIVE`).
 */
export function seconds(lengthText: string | undefined): string | null {
  const match = /^\s*(?:(\d{1,9}):(?=[0-5]\d:))?(\d{1,9}):([0-5]\d)\s*$/.exec(lengthText ?? '');
  if (match === null) return null;
  const [, hours = '0', minutes, rest] = match;
  return String(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
}

/**
 * Views, as decimal digits: `viewCount` if it is a whole number, else the number of a `viewCountText` such as
 * `434K views` or `3.2M views • 2 years ago`. Null for units and languages that are not known.
 */
export function views(viewCount: string | undefined, viewCountText: string | undefined): string | null {
  return wholeNumber(viewCount ?? '') ?? viewsOfText(viewCountText ?? '');
}

/** Digits without leading zeros, from digits or groups of three; null for anything else. */
function wholeNumber(text: string): string | null {
  if (!/^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(text)) return null;
  return text.replaceAll(',', '').replace(/^0+(?=\d)/, '');
}

const unitZeros: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6, B: 9 };

function viewsOfText(text: string): string | null {
  const match = /^\s*(?:(no)|([\d,]+)(?:\.(\d+))?\s*([KMB]?))\s*views?(?![a-z])/i.exec(text);
  if (match === null) return null;
  const [, no, whole = '', fraction = '', unit = ''] = match;
  if (no !== undefined) return '0';
  const zeros = unitZeros[unit.toUpperCase()] ?? 0;
  const digits = wholeNumber(whole);
  // More digits than the unit has zeros are not a whole number of views.
  if (digits === null || fraction.length > zeros) return null;
  return wholeNumber(digits + fraction.padEnd(zeros, '0'));
}
