/** A number and its noun: `1 entry`, `2 entries`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `1 credit`, `2 credits`. */
export function credits(number: number): string {
  return count(number, 'credit', 'credits');
}
