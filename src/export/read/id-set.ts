/** Slots of a bucket, and how many of them it fills before it is split. */
const slots = 1280;
const maxFilled = 1120;

/** A hash table whose keys agree in the lowest `depth` bits. */
interface Bucket {
  /** Pairs of 32 bits; 0, 0 is an empty slot. */
  readonly table: Uint32Array;
  depth: number;
  size: number;
}

/**
 * A set of strings that stores a 63-bit hash of each, in about 12 bytes. Among a million strings, two collide with
 * a probability of 1 in 10 million; the seed is random, so that nobody can choose such a pair. It grows by splitting
 * buckets (extendible hashing), so that no larger copy of it is ever made.
 */
export class IdSet {
  readonly #seed = (Math.random() * 2 ** 32) >>> 0;
  /** The bucket of each value of the lowest `#depth` bits. */
  #buckets: Bucket[] = [{ table: new Uint32Array(2 * slots), depth: 0, size: 0 }];
  #depth = 0;

  /** Adds a string; false if the set has it. */
  add(text: string): boolean {
    const [high, low] = this.#hash(text);
    const bucket = this.#bucket(low);
    if (!insert(bucket, high, low)) return false;
    if (bucket.size > maxFilled) this.#split(bucket, low);
    return true;
  }

  /** Whether the set has a string. */
  has(text: string): boolean {
    const [high, low] = this.#hash(text);
    const { table } = this.#bucket(low);
    return table[find(table, high, low) + 1] !== 0;
  }

  #bucket(low: number): Bucket {
    return this.#buckets[keyOf(low, this.#depth)] as Bucket;
  }

  /** Moves the keys of a bucket that have a further bit set to a new one. `low`: one of its keys. */
  #split(bucket: Bucket, low: number): void {
    const { depth } = bucket;
    if (depth === this.#depth) {
      this.#buckets = [...this.#buckets, ...this.#buckets];
      this.#depth++;
    }
    const pairs = bucket.table.slice();
    bucket.table.fill(0);
    bucket.depth = depth + 1;
    bucket.size = 0;
    const other: Bucket = { table: new Uint32Array(2 * slots), depth: depth + 1, size: 0 };
    for (let key = keyOf(low, depth) + 2 ** depth; key < this.#buckets.length; key += 2 ** (depth + 1))
      this.#buckets[key] = other;
    for (let at = 0; at < pairs.length; at += 2) {
      const [high, low] = [pairs[at] as number, pairs[at + 1] as number];
      if (low !== 0) insert(this.#bucket(low), high, low);
    }
  }

  /** Two 32-bit hashes (cyrb53 with a wider result); the second is never 0. */
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

/** The lowest `depth` bits of a hash; its last bit, which is always set, does not count. */
const keyOf = (low: number, depth: number): number => (low >>> 1) % 2 ** depth;

/** Position of the pair, or of the empty slot for it. */
function find(table: Uint32Array, high: number, low: number): number {
  let at = 2 * (high % slots);
  while (table[at + 1] !== 0 && (table[at] !== high || table[at + 1] !== low)) at = (at + 2) % (2 * slots);
  return at;
}

/** False if the bucket has the pair. */
function insert(bucket: Bucket, high: number, low: number): boolean {
  const { table } = bucket;
  const at = find(table, high, low);
  if (table[at + 1] !== 0) return false;
  table[at] = high;
  table[at + 1] = low;
  bucket.size++;
  return true;
}
