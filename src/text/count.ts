/** `1 entry`, `2 entries`: a number and what is counted. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `1 credit`, `2 credits`. */
export function credits(number: number): string {
  return count(number, 'credit', 'credits');
}
