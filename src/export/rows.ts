import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { guardFile } from '../fs/file-error.ts';
import { randomHex, shortName, syncIfPossible } from '../fs/files.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { FileFormat } from '../output/formats.ts';
import { type Contents, endOfLine, readContents } from './read.ts';
import type { Progress } from './record.ts';

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const chunkBytes = 1024 * 1024;

/** The format of rows in progress: those of json are lines, so that they can be read back. */
export const rowsFormat = (format: FileFormat): Exclude<FileFormat, 'json'> =>
  format === 'json' ? 'ndjson' : format;

/** The names of files of rows of FILE begin like this. */
export const rowsPrefix = (file: string): string => `${shortName(file)}.`;
const suffix = '.part';

/** Names of rows of FILE that its record does not name: leftovers of killed runs. */
export function leftovers(names: readonly string[], file: string, progress: Progress | null): string[] {
  const prefix = rowsPrefix(file);
  return names.filter((name) => name.startsWith(prefix) && name.endsWith(suffix) && name !== progress?.rows);
}

export const missingRows = 'the rows of its interrupted run are missing';

/** Why rows cannot be used; null if they are what their progress says. */
export function damageOfRows({ entries }: Progress, contents: Contents): string | null {
  if (contents.damage !== null) return `the rows of its interrupted run are damaged: ${contents.damage}`;
  return contents.entries === entries ? null : missingRows;
}

/** A file of rows in progress in the private folder, open for writing at its end. */
export class Rows {
  readonly name: string;
  readonly #folder: PrivateFolder;
  readonly #fd: number;
  /** Bytes written. */
  bytes: number;

  private constructor(folder: PrivateFolder, name: string, fd: number, bytes: number) {
    this.#folder = folder;
    this.name = name;
    this.#fd = fd;
    this.bytes = bytes;
  }

  /** New rows of FILE. */
  static create(folder: PrivateFolder, file: string): Rows {
    const name = `${rowsPrefix(file)}${randomHex().slice(0, 8)}${suffix}`;
    return new Rows(folder, name, folder.create(name), 0);
  }

  /** The rows of an interrupted run, without what was written after its last page; null if they are not all there. */
  static reopen(folder: PrivateFolder, { rows, bytes }: Progress): Rows | null {
    const fd = folder.openWrite(rows);
    if (fd === null) return null;
    if (fstatSync(fd).size >= bytes) {
      ftruncateSync(fd, bytes);
      return new Rows(folder, rows, fd, bytes);
    }
    closeSync(fd);
    return null;
  }

  /** Reads the rows back; every line is parsed. */
  async contents(format: FileFormat, fields: string | null): Promise<Contents> {
    return await readContents(this.#fd, {
      format: rowsFormat(format),
      fields,
      parse: true,
      bytes: this.bytes,
    });
  }

  /** Writes text at the end. Throws `failed` naming the file. */
  append(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#guard(() => {
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#fd, bytes, at, bytes.length - at, this.bytes + at);
    });
    this.bytes += bytes.length;
  }

  /** Makes the rows durable. */
  sync(): void {
    this.#guard(() => fdatasyncSync(this.#fd));
  }

  /** Makes everything durable, and returns the descriptor for stat and digest. */
  finished(): number {
    this.#guard(() => syncIfPossible(this.#fd));
    return this.#fd;
  }

  /** The rows in chunks. */
  *chunks(): Generator<Buffer, void> {
    for (let at = 0; at < this.bytes; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, this.bytes - at));
      const length = readSync(this.#fd, chunk, 0, chunk.length, at);
      if (length === 0) return;
      at += length;
      yield chunk.subarray(0, length);
    }
  }

  /** Writes the lines of other rows as the elements of a json array. */
  appendElements(lines: Rows): void {
    let left = lines.bytes;
    for (const chunk of lines.chunks()) {
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1))
        chunk[at] = COMMA;
      left -= chunk.length;
      // No comma follows the last element.
      this.append(left === 0 ? chunk.subarray(0, -1) : chunk);
    }
  }

  /** Copies a file; `skipHeader`: without its first record of csv. */
  async appendFile(path: string, skipHeader: boolean): Promise<void> {
    const fd = openSync(path, 'r');
    try {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      for (let at = skipHeader ? headerBytes(fd) : 0; ; ) {
        const length = readSync(fd, chunk, 0, chunkBytes, at);
        if (length === 0) return;
        at += length;
        this.append(chunk.subarray(0, length));
        await setImmediate();
      }
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    this.#folder.remove(this.name);
  }

  #guard<T>(work: () => T): T {
    return guardFile(`${this.#folder.path}/${this.name}`, 'write', work);
  }
}

/** Size of the first record of a csv file. */
function headerBytes(fd: number): number {
  for (let size = chunkBytes; ; size *= 2) {
    const chunk = Buffer.allocUnsafe(size);
    const length = readSync(fd, chunk, 0, size, 0);
    const end = endOfLine(chunk.subarray(0, length), 0, true);
    if (end !== -1 || length < size) return end === -1 ? length : end + 1;
  }
}
