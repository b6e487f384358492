import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../errors.ts';
import { type FileWork, guardFile } from './file-error.ts';
import { closing, createTemporary, ignoring, syncFolder, syncIfPossible, unsupported } from './files.ts';
import type { Target } from './output-target.ts';
import type { PrivateFolder } from './private-folder.ts';

/**
 * New content for a file: a reader sees the old content or the new, also after a power cut. It is written under another
 * name beside the target, then takes its name, with the mode of the file that was there. For `using`: unless it is
 * committed, it is removed.
 */
export class AtomicFile {
  readonly #target: Target;
  readonly #path: string;
  readonly #fd: number;

  /** Creates the temporary file. Throws as `fileError`: a usage error for a folder that cannot be written. */
  constructor(target: Target, doing: FileWork = 'open') {
    this.#target = target;
    [this.#path, this.#fd] = guardFile(target.path, doing, () => createTemporary(dirname(target.real)));
  }

  /** Throws `failed` naming the target. */
  write(chunk: string | Uint8Array): void {
    guardFile(this.#target.path, 'write', () => fs.writeFileSync(this.#fd, chunk));
  }

  /** Replaces the target. Throws `failed`. */
  commit(): void {
    guardFile(this.#target.path, 'write', () => replace(this.#target, this.#fd, this.#path));
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#fd);
    ignoring(['ENOENT'], () => fs.unlinkSync(this.#path));
  }
}

/** Throws a usage error for a file that cannot be written. Before anything is sent. */
export function checkWritable(file: Target): void {
  new AtomicFile(file)[Symbol.dispose]();
}

/** Replaces a file (`AtomicFile`). Throws `failed`, never a usage error: its content may have been paid for. */
export function writeFileAtomic(target: Target, content: string | Uint8Array): void {
  using file = new AtomicFile(target, 'write');
  file.write(content);
  file.commit();
}

/**
 * Renames a complete and durable file of a private folder over the target, with the mode of the file that was there.
 * Throws `failed`.
 */
export function moveInto(folder: PrivateFolder, name: string, target: Target): void {
  guardFile(target.path, 'write', () => {
    const fd = folder.openRead(name);
    if (fd === null) throw new Failure('failed', `${folder.path}/${name} has been removed`);
    closing(fd, () => replace(target, fd, folder.at(name)));
  });
}

/** Gives an open file the mode of the target, or of a new file of this user's, makes it durable, and renames it. */
function replace({ real, stats }: Target, fd: number, path: string): void {
  const mode = stats === null ? 0o666 & ~process.umask() : stats.mode & 0o777;
  // Some file systems have no permission bits.
  ignoring(unsupported, () => fs.fchmodSync(fd, mode));
  syncIfPossible(fd);
  fs.renameSync(path, real);
  for (const folder of new Set([real, path].map(dirname))) syncFolder(folder);
}
