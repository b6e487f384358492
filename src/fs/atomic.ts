import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import { guardFile, ignoreErrors, randomHex, syncFolder, syncIfPossible, unsupported } from './files.ts';
import { currentTarget, type FileMark, hasMark, type Target } from './output-target.ts';

/**
 * New content for a file: a reader sees the old content or the new, also after a power cut. It is written under another
 * name beside the target, then takes its name, with the mode of the file that was there. For `using`: unless it is
 * committed, it is removed.
 */
export class AtomicFile {
  readonly #target: Target;
  readonly #temporary: string;
  readonly #fd: number;
  #isOpen = true;

  /** Creates the temporary file. Throws as `guardFile`: a usage error for a folder that cannot be written. */
  constructor(target: Target) {
    this.#target = target;
    // Short: a name that was derived from another one might be too long.
    this.#temporary = join(dirname(target.real), `.chanlist-${randomHex()}.tmp`);
    this.#fd = guardFile(target.path, 'open', () => fs.openSync(this.#temporary, 'wx', 0o600));
  }

  write(chunk: string | Uint8Array): void {
    guardFile(this.#target.path, 'write', () => fs.writeFileSync(this.#fd, chunk));
  }

  /** Replaces the target. Throws `failed`, never a usage error: the content may have been paid for. */
  commit(): void {
    const { path, real } = this.#target;
    guardFile(path, 'write', () => {
      setMode(this.#fd, this.#target);
      syncIfPossible(this.#fd);
      this.#isOpen = false;
      fs.closeSync(this.#fd);
      fs.renameSync(this.#temporary, real);
      syncFolder(dirname(real));
    });
  }

  [Symbol.dispose](): void {
    // What has failed before matters more.
    try {
      if (this.#isOpen) fs.closeSync(this.#fd);
      fs.unlinkSync(this.#temporary);
    } catch {}
  }
}

/** Throws a usage error if a file cannot be replaced, because its folder cannot be written. Before anything is sent. */
export function assertReplaceable(target: Target): void {
  new AtomicFile(target)[Symbol.dispose]();
}

/** Replaces a file (`AtomicFile`). */
export function writeFileAtomic(target: Target, content: string | Uint8Array): void {
  using file = new AtomicFile(target);
  file.write(content);
  file.commit();
}

/**
 * Throws `failed` for the reference, with this hint, unless the target is still the `expected` file (null: there is none, or
 * an empty one).
 */
export function assertUnchanged(target: Target, expected: FileMark | null, hint: string): void {
  const { stats } = currentTarget(target);
  if (expected === null ? stats === null || (stats.isFile() && stats.size === 0) : hasMark(stats, expected))
    return;
  const what = expected === null ? 'appeared' : 'was changed or removed';
  throw new Failure('failed', `${target.path} ${what} during this export; it was left as it is`, {
    scope: 'reference',
    hint,
  });
}

/** Gives an open file the mode of the target, or of a new file of this user's. */
export function setMode(fd: number, { stats }: Target): void {
  const mode = stats === null ? 0o666 & ~process.umask() : stats.mode & 0o777;
  // Some file systems have no permission bits.
  ignoreErrors(unsupported, () => fs.fchmodSync(fd, mode));
}
