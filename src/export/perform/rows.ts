import { fdatasyncSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { Failure } from '../../errors.ts';
import { closeQuietly, guardFile } from '../../fs/files.ts';
import { type ByteRange, chunksOf } from '../../fs/line-chunks.ts';
import type { PrivateFolder } from '../../fs/private-folder.ts';
import { finishedOf } from '../inspect/inspect-export.ts';
import type { Finished, Progress } from '../record/export-record.ts';
import { newRowsName } from '../record/rows-name.ts';

/** A file of rows in the private folder, open for writing at its end. */
export class Rows {
  readonly name: string;
  readonly #folder: PrivateFolder;
  readonly #fd: number;
  #isSynced = false;
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
    const name = newRowsName(file);
    return new Rows(folder, name, folder.create(name), 0);
  }

  /** The rows of an interrupted run, without what was written after its last page. Throws if they are not there. */
  static reopen(folder: PrivateFolder, { rows, bytes }: Progress): Rows {
    const fd = folder.openWrite(rows);
    if (fd === null) throw new Failure('failed', `${folder.path}/${rows} has been removed`);
    if (fstatSync(fd).size !== bytes) ftruncateSync(fd, bytes);
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
    this.#isSynced = false;
  }

  /** Makes the rows durable. */
  sync(): void {
    if (this.#isSynced) return;
    this.#guard(() => fdatasyncSync(this.#fd));
    this.#isSynced = true;
  }

  /** Makes everything durable, and describes it as FILE. `exported`: when its last full export ended. */
  async finished(entries: number, exported: string, stop: AbortSignal): Promise<Finished> {
    this.sync();
    return await finishedOf(this.#fd, entries, exported, stop);
  }

  /** A part of the rows in chunks (`chunksOf`). */
  chunks(stop: AbortSignal, range: ByteRange): AsyncGenerator<Buffer, void> {
    return chunksOf(this.#fd, stop, range);
  }

  [Symbol.dispose](): void {
    closeQuietly(this.#fd);
  }

  remove(): void {
    this.#folder.remove(this.name);
  }

  #guard<T>(work: () => T): T {
    return guardFile(`${this.#folder.path}/${this.name}`, 'write', work);
  }
}
