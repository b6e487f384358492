import { stat } from 'node:fs/promises';
import { Failure } from '../errors.ts';
import type { Field } from '../output/fields.ts';
import type { Text } from '../output/format.ts';
import { type FileFormat, formats } from '../output/formats.ts';
import { keepHeapFlat } from '../run/flat-heap.ts';
import type { ExportJob } from './job.ts';
import type { Memory } from './memory.ts';
import { digestOf } from './partial-file.ts';
import { type FileIds, readEntries, readIdSet, recognizeFormat } from './read/read-file.ts';

const lineEnd = Buffer.from('\n');

/** The complete FILE that an update extends. It is read in batches: memory use is constant. */
export class ExistingExport {
  readonly #path: string;
  readonly #format: FileFormat;
  readonly #fields: readonly Field[] | null;
  #ids: FileIds | null = null;

  constructor({ run, target }: Pick<ExportJob, 'run' | 'target'>) {
    this.#path = target.real;
    this.#format = run.format;
    this.#fields = run.fields;
  }

  /** All video IDs, the number of entries and the channels; checks every entry. Throws as `readEntries`. */
  async ids(): Promise<FileIds> {
    if (this.#ids === null) {
      await keepHeapFlat();
      this.#ids = await readIdSet(this.#path, this.#format, this.#fields);
    }
    return this.#ids;
  }

  /** The format that its start shows, which may be another one than that of this call; null if it shows none. */
  async format(): Promise<FileFormat | null> {
    return await recognizeFormat(this.#path);
  }

  /** Whether it has no entries. A file that cannot be read as this format has some. */
  async isEmpty(): Promise<boolean> {
    try {
      for await (const entries of readEntries(this.#path, this.#format, undefined, { check: false }))
        if (entries.length > 0) return false;
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'damaged') return false;
      throw error;
    }
  }

  /** Whether size and digest are as remembered. It is read only if mtime or inode differ. */
  async isRemembered({ finished }: Memory): Promise<boolean> {
    if (finished === null) return false;
    const { size, mtimeMs, ino } = await stat(this.#path);
    if (size !== finished.size) return false;
    if (mtimeMs === finished.mtime && ino === finished.inode) return true;
    return (await digestOf(this.#path)) === finished.digest;
  }

  /** The video IDs in the rows of an interrupted export; `path` is not a complete file. */
  async *idsIn(path: string): AsyncGenerator<string, void> {
    try {
      for await (const entries of readEntries(path, this.#format, this.#fields, { check: false }))
        for (const { videoId } of entries) if (videoId !== null) yield videoId;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'damaged') throw error;
    }
  }

  /** Columns of its header; null if its format has none. */
  async columns(): Promise<readonly string[] | null> {
    const readHeader = await formats[this.#format].header?.();
    return (await readHeader?.(this.#path)) ?? null;
  }

  /**
   * Adds the publication dates of its entries to `dates`, by video ID, as far as it can be read: it is about to be
   * replaced, and may have other fields or another format, or be damaged.
   */
  async addPublished(dates: Record<string, string>): Promise<void> {
    const format = (await this.format()) ?? this.#format;
    // Only an id file does not name its columns.
    const fields = format === 'id' ? this.#fields : undefined;
    try {
      for await (const entries of readEntries(this.#path, format, fields, { check: false })) {
        for (const { videoId, published } of entries)
          if (videoId !== null && published !== null) dates[videoId] = published;
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'damaged') throw error;
    }
  }

  /** Its entries unchanged, with the format's separator between them; the bytes are valid until the next batch. */
  async *rows(separator: string): AsyncGenerator<Text[], void> {
    let isFirst = true;
    for await (const entries of readEntries(this.#path, this.#format, this.#fields, { check: false })) {
      const texts: Text[] = [];
      for (const { utf8 } of entries) {
        if (separator === '') texts.push(utf8, lineEnd);
        else if (isFirst) texts.push(utf8);
        else texts.push(separator, utf8);
        isFirst = false;
      }
      yield texts;
    }
  }
}
