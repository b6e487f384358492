/** Maps each 32-bit number to a well-mixed 32-bit number of its own; the result is the same on every machine. */
function mix(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

export function hash(...values: readonly number[]): number {
  let sum = 0x9e3779b9;
  for (const value of values) sum = mix(sum ^ mix(value + 0x632be5ab));
  return sum;
}

/** Returns a generator of numbers in [0, 1): the same seed gives the same sequence. */
export function seeded(seed: number): () => number {
  let drawn = 0;
  return () => hash(seed, drawn++) / 0x1_0000_0000;
}
