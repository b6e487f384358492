/** `1,234` */
export const thousands = (number: number): string =>
  number < 1000 ? String(number) : number.toLocaleString('en-US');

/** A number and its noun: `1 entry`, `1,234 entries`. */
export function count(number: number, one: string, many: string): string {
  return `${thousands(number)} ${number === 1 ? one : many}`;
}

export function credits(number: number): string {
  return count(number, 'credit', 'credits');
}
