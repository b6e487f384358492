/** Bytes of UTF-8 that have a meaning in JSON, in lines and in CSV. */
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Returns a table of 256 bytes that has 1 at the code of each of these ASCII characters. */
export function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

/** Pieces up to this length are copied byte by byte, which is faster than a call of the system's copy. */
const shortBytes = 64;

/** Collects text in UTF-8 in one buffer, which grows as needed and is reused: the collector frees large buffers late. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;

  /** Number of bytes written since the last `take`. */
  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  text(text: string): void {
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  copy(from: Buffer, start = 0, end = from.length): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    if (end - start > shortBytes) {
      from.copy(bytes, this.#length, start, end);
      this.#length += end - start;
    } else for (let i = start; i < end; i++) bytes[this.#length++] = from[i] as number;
  }

  /** Returns what was written since the last call; the result is valid until the next write. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
