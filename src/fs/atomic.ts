import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Failure, toFailure } from '../errors.ts';
import { type FileWork, fileError, guardFile } from './file-error.ts';
import { closing, createFile, ignoring, randomHex, syncFolder, syncIfPossible } from './files.ts';
import type { Target } from './output-target.ts';
import type { PrivateFolder } from './private-folder.ts';

/**
 * A file that is written whole: a reader sees the old content or the new, also after a power cut. It is written under
 * another name beside the target, then takes its name, with the mode of the file that was there.
 */
export class AtomicFile {
  readonly #target: Target;
  readonly #temporary: string;
  readonly #fd: number;

  /** Creates the temporary file. Throws as `fileError`: a usage error for a folder that cannot be written. */
  constructor(target: Target, doing: FileWork = 'open') {
    this.#target = target;
    // Short: the target's name may have the maximum length.
    this.#temporary = `${dirname(target.real)}/.chanlist-${randomHex()}.tmp`;
    this.#fd = guardFile(target.path, doing, () => createFile(this.#temporary));
  }

  /** Throws `failed` naming the target. */
  write(chunk: string | Uint8Array): void {
    guardFile(this.#target.path, 'write', () => fs.writeFileSync(this.#fd, chunk));
  }

  /** Replaces the target. Throws `failed`; returns what failed after that, for a warning. */
  commit(): Failure | null {
    guardFile(this.#target.path, 'write', () => {
      finish(this.#fd, this.#target);
      fs.renameSync(this.#temporary, this.#target.real);
    });
    fs.closeSync(this.#fd);
    return warningOf(this.#target, () => syncFolder(dirname(this.#target.real)));
  }

  /** Leaves the target unchanged. */
  discard(): void {
    fs.closeSync(this.#fd);
    ignoring(['ENOENT'], () => fs.unlinkSync(this.#temporary));
  }
}

/** Throws a usage error for a file that cannot be written; a stream passes. Before anything is sent. */
export function checkWritable(target: Target): void {
  if (target.kind === 'file') new AtomicFile(target).discard();
}

/**
 * Replaces a file (`AtomicFile`). Throws `failed`, never a usage error: its content may have been paid for. Returns
 * what failed after the file was replaced, for a warning.
 */
export function writeFileAtomic(target: Target, content: string | Uint8Array): Failure | null {
  const file = new AtomicFile(target, 'write');
  try {
    file.write(content);
    return file.commit();
  } catch (error) {
    file.discard();
    throw error;
  }
}

/**
 * Renames a complete and durable file of a private folder over the target, with the mode of the file that was there.
 * Throws `failed`; returns what failed after the target was replaced, for a warning.
 */
export function moveInto(folder: PrivateFolder, name: string, target: Target): Failure | null {
  guardFile(target.path, 'write', () => {
    const fd = folder.openRead(name);
    if (fd === null) throw new Failure('failed', `${folder.path}/${name} has been removed`);
    closing(fd, () => finish(fd, target));
    fs.renameSync(folder.at(name), target.real);
  });
  return warningOf(target, () => {
    syncFolder(dirname(target.real));
    folder.sync();
  });
}

/** Gives a file the mode of the target, or of a new file of this user's, and makes it durable. */
function finish(fd: number, { stats }: Target): void {
  const mode = stats === null ? 0o666 & ~process.umask() : stats.mode & 0o777;
  // Some file systems have no permission bits.
  ignoring(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS'], () => fs.fchmodSync(fd, mode));
  syncIfPossible(fd);
}

function warningOf({ path }: Target, work: () => void): Failure | null {
  try {
    work();
    return null;
  } catch (error) {
    return toFailure(fileError(error, path, 'write'));
  }
}
