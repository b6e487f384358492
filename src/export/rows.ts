import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { guardFile } from '../fs/file-error.ts';
import { randomHex, shortName, syncIfPossible } from '../fs/files.ts';
import { openUnchanged, type Target } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { FileFormat } from '../output/formats.ts';
import { type ExportFacts, finishedOf } from './inspect.ts';
import { type Contents, chunksOf, readContents } from './read.ts';
import type { Finished, Progress } from './record.ts';

const LINE_FEED = 0x0a;
const COMMA = 0x2c;

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

/** Reads the rows of an interrupted run; a text says why they are not what its progress says. */
export async function readRows(
  folder: PrivateFolder,
  { rows, bytes, entries, request: { format, fields } }: Progress,
  stop: AbortSignal,
): Promise<Contents | string> {
  const missing = 'the rows of its interrupted run are missing';
  const fd = folder.openRead(rows);
  if (fd === null) return missing;
  try {
    if (fstatSync(fd).size < bytes) return missing;
    const contents = await readContents(fd, { format: rowsFormat(format), fields, bytes, stop });
    if (contents.damage !== null) return `the rows of its interrupted run are damaged: ${contents.damage}`;
    return contents.entries === entries ? contents : missing;
  } finally {
    closeSync(fd);
  }
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

  /** The rows of an interrupted run, without what was written after its last page. Throws if they are not there. */
  static reopen(folder: PrivateFolder, { rows, bytes }: Progress): Rows {
    const fd = folder.openWrite(rows);
    if (fd === null) throw new Failure('failed', `${folder.path}/${rows} has been removed`);
    ftruncateSync(fd, bytes);
    return new Rows(folder, rows, fd, bytes);
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

  /** Makes everything durable, and describes it as FILE. */
  async finished(facts: ExportFacts, stop: AbortSignal): Promise<Finished> {
    this.#guard(() => syncIfPossible(this.#fd));
    return await finishedOf(this.#fd, facts, stop);
  }

  /** The rows in chunks, as `chunksOf`. */
  chunks(stop: AbortSignal): AsyncGenerator<Buffer, void> {
    return chunksOf(this.#fd, stop, { to: this.bytes });
  }

  /** Writes the lines of other rows as the elements of a json array. */
  async appendElements(lines: Rows, stop: AbortSignal): Promise<void> {
    let left = lines.bytes;
    for await (const chunk of lines.chunks(stop)) {
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1))
        chunk[at] = COMMA;
      left -= chunk.length;
      // No comma follows the last element.
      this.append(left === 0 ? chunk.subarray(0, -1) : chunk);
    }
  }

  /** Copies a file from a position on. Throws as `openUnchanged`. */
  async appendFile(target: Target, from: number, stop: AbortSignal): Promise<void> {
    const fd = openUnchanged(target);
    try {
      for await (const chunk of chunksOf(fd, stop, { from })) this.append(chunk);
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
