/** Formats a time (milliseconds since 1970) as its local calendar day: `2026-11-21`. */
export function localDay(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** Returns when the calendar day or month that contains `time` ends, as local date and time: `2026-12-01 00:00`. */
export function resetTime(per: 'day' | 'month', time: number): string {
  const date = new Date(time);
  // Computed with calendar fields, not hours, because a day has 23 or 25 hours when the clocks change.
  if (per === 'day') date.setDate(date.getDate() + 1);
  else date.setMonth(date.getMonth() + 1, 1);
  return `${localDay(date.getTime())} 00:00`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
