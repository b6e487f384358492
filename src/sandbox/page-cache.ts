/** Pages built last, so that listing the same pages again costs no building. */
export class PageCache {
  readonly #pages = new Map<string, Buffer>();
  readonly #capacity: number;
  #bytes = 0;

  /** Keeps up to `capacity` bytes of pages. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The page of a key, built where it is not kept. */
  get(key: string, build: () => Buffer): Buffer {
    const kept = this.#pages.get(key);
    const page = kept ?? build();
    if (kept === undefined) this.#bytes += page.length;
    // Behind all others: a map keeps the order of insertion, so its first page is the one not used for longest.
    this.#pages.delete(key);
    this.#pages.set(key, page);
    for (const [oldest, { length }] of this.#pages) {
      if (this.#bytes <= this.#capacity) break;
      this.#pages.delete(oldest);
      this.#bytes -= length;
    }
    return page;
  }
}
