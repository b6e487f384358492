/** `1 entry`, `2 entries`: a number and what is counted. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `1 credit`, `2 credits`. */
export function credits(number: number): string {
  return count(number, 'credit', 'credits');
}

/** Line ends in a text. */
export function countLines(text: string, to = text.length): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
