/** In milliseconds. */
export const hour = 60 * 60 * 1000;
export const day = 24 * hour;

/** A time (milliseconds since 1970) as its local calendar day: `2026-11-21`. */
export function localDay(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** When the calendar day or month of a time ends, as local date and time: `2026-12-01 00:00`. */
export function resetTime(per: 'day' | 'month', time: number): string {
  const now = new Date(time);
  // By calendar fields, not by hours: a day has 23 or 25 hours when the clocks change, and midnight may be skipped.
  const reset =
    per === 'day'
      ? new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
      : new Date(now.getFullYear(), now.getMonth() + 1, 1);
  return `${localDay(reset.getTime())} ${twoDigits(reset.getHours())}:${twoDigits(reset.getMinutes())}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
