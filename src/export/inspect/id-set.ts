/** IDs are kept in blocks of this size; a longer one has a block of its own. */
const blockBytes = 64 * 1024;
const lengthBytes = 4;

/** An ID, or its JSON if UTF-8 cannot encode it. */
const encodable = (id: string): string => (id.isWellFormed() ? id : JSON.stringify(id));

/** IDs in order. */
export type Ids = Pick<ReadonlySet<string>, 'has' | 'size'> & Iterable<string>;

/**
 * A set of IDs, in the order in which they were added: 25 bytes for each of 11 characters, a third of what a `Set`
 * takes. No ID is copied when it grows.
 */
export class IdSet implements Ids {
  /** The IDs in UTF-8, each behind its length. */
  readonly #blocks: Buffer[] = [];
  /** Bytes used of the last block. */
  #used = blockBytes;
  /** A hash table: 0, or 1 + `blockBytes` * the block of an ID + its position there. At most half of it is used. */
  #slots = new Uint32Array(64);
  /** Whoever chooses IDs cannot choose ones with the same hash. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: string): boolean {
    return this.#slots[this.#slotOf(encodable(id))] !== 0;
  }

  add(id: string): void {
    const text = encodable(id);
    const slot = this.#slotOf(text);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = 1 + this.#append(text);
    if (++this.#size * 2 > this.#slots.length) this.#grow();
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (const place of this.#places()) yield this.#idAt(place);
  }

  /** The slot of an ID, or the empty one where it belongs. */
  #slotOf(id: string): number {
    const slots = this.#slots;
    let hash = this.#seed;
    for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x5bd1e995);
    let slot = (hash ^ (hash >>> 15)) & (slots.length - 1);
    for (let place = slots[slot]; place && this.#idAt(place - 1) !== id; place = slots[slot])
      slot = (slot + 1) & (slots.length - 1);
    return slot;
  }

  #append(id: string): number {
    const length = Buffer.byteLength(id);
    if (this.#used + lengthBytes + length > blockBytes) {
      this.#blocks.push(Buffer.alloc(Math.max(blockBytes, lengthBytes + length)));
      this.#used = 0;
    }
    const block = this.#blocks.at(-1) as Buffer;
    const at = this.#used;
    block.writeUInt32LE(length, at);
    block.write(id, at + lengthBytes);
    this.#used += lengthBytes + length;
    return (this.#blocks.length - 1) * blockBytes + at;
  }

  #idAt(place: number): string {
    const block = this.#blocks[Math.floor(place / blockBytes)] as Buffer;
    const start = (place % blockBytes) + lengthBytes;
    return block.toString('utf8', start, start + block.readUInt32LE(start - lengthBytes));
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (const place of this.#places()) this.#slots[this.#slotOf(this.#idAt(place))] = 1 + place;
  }

  /** The places of all IDs, in order. Behind the last one of a block are zeros: no ID is empty. */
  *#places(): Generator<number, void> {
    for (const [number, block] of this.#blocks.entries()) {
      for (let at = 0; at + lengthBytes < block.length; ) {
        const length = block.readUInt32LE(at);
        if (length === 0) break;
        yield number * blockBytes + at;
        at += lengthBytes + length;
      }
    }
  }
}
