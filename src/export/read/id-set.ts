/**
 * A set of strings that stores a 63-bit hash of each, in at most 16 bytes. Among a million strings, two collide with
 * a probability of 1 in 10 million; the seed is random, so that nobody can choose such a pair.
 */
export class IdSet {
  readonly #seed = (Math.random() * 2 ** 32) >>> 0;
  /** An open hash table of pairs of 32 bits; 0, 0 is an empty slot. */
  #table = new Uint32Array(2 * 1024);
  #size = 0;

  /** Adds a string; false if the set has it. */
  add(text: string): boolean {
    const [high, low] = this.#hash(text);
    if (!insert(this.#table, high, low)) return false;
    this.#size++;
    // At most 3/4 full.
    if (this.#size * 8 > this.#table.length * 3) this.#grow();
    return true;
  }

  has(text: string): boolean {
    const [high, low] = this.#hash(text);
    const at = find(this.#table, high, low);
    return this.#table[at] !== 0 || this.#table[at + 1] !== 0;
  }

  #grow(): void {
    const grown = new Uint32Array(this.#table.length * 2);
    for (let i = 0; i < this.#table.length; i += 2) {
      const [high, low] = [this.#table[i] as number, this.#table[i + 1] as number];
      if (high !== 0 || low !== 0) insert(grown, high, low);
    }
    this.#table = grown;
  }

  /** Two 32-bit hashes (cyrb53 with a wider result), never both 0. */
  #hash(text: string): [number, number] {
    let high = 0xdeadbeef ^ this.#seed;
    let low = 0x41c6ce57 ^ this.#seed;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return [high >>> 0, (low | 1) >>> 0];
  }
}

/** Position of the pair, or of the empty slot for it. */
function find(table: Uint32Array, high: number, low: number): number {
  const mask = table.length - 1;
  let at = (high << 1) & mask;
  while ((table[at] !== 0 || table[at + 1] !== 0) && (table[at] !== high || table[at + 1] !== low))
    at = (at + 2) & mask;
  return at;
}

function insert(table: Uint32Array, high: number, low: number): boolean {
  const at = find(table, high, low);
  if (table[at] !== 0 || table[at + 1] !== 0) return false;
  table[at] = high;
  table[at + 1] = low;
  return true;
}
