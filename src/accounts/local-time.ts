/** In milliseconds. */
export const hour = 60 * 60 * 1000;
export const day = 24 * hour;

/** A time (milliseconds since 1970) as its local calendar day: `2026-11-21`. */
export function localDay(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The month of a day: `2026-11`. */
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
  return localMinute(reset.getTime());
}

/** A time as local date and time: `2026-11-21 08:05`. */
export function localMinute(time: number): string {
  const date = new Date(time);
  return `${localDay(time)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
