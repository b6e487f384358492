import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode, usage } from '../errors.ts';
import {
  closeQuietly,
  fileError,
  ignoreErrors,
  randomHex,
  replaceFile,
  syncFolder,
  syncIfPossible,
  unsupported,
  withFileErrors,
} from './files.ts';
import type { Target } from './output-target.ts';

/**
 * Replaces a file atomically: a reader sees the old content or the new, even after a power cut. The content is written beside
 * the target; a commit gives it the target's name and mode. Without a commit, `using` removes it.
 */
export class AtomicFile {
  readonly #target: Target;
  readonly #temporary: string;
  readonly #fd: number;
  #isOpen = true;

  /** Opens the temporary file, whose default name is short enough anywhere. Throws a usage error if it cannot be created. */
  constructor(target: Target, temporary = join(dirname(target.real), `.chanlist-${randomHex()}.tmp`)) {
    this.#target = target;
    this.#temporary = temporary;
    this.#fd = withFileErrors(target.path, 'usage', () => fs.openSync(temporary, 'ax', 0o600));
  }

  write(chunk: string | Uint8Array): void {
    withFileErrors(this.#target.path, 'failure', () => fs.writeFileSync(this.#fd, chunk));
  }

  /** Syncs and closes the file, with the mode of the target or, for a new file, of the umask. Returns its stats. */
  close(): fs.Stats {
    const { path, stats } = this.#target;
    return withFileErrors(path, 'failure', () => {
      const mode = stats === null ? 0o666 & ~process.umask() : stats.mode & 0o777;
      // Some file systems have no permission bits.
      ignoreErrors(unsupported, () => fs.fchmodSync(this.#fd, mode));
      syncIfPossible(this.#fd);
      const made = fs.fstatSync(this.#fd);
      this.#isOpen = false;
      fs.closeSync(this.#fd);
      return made;
    });
  }

  /** Replaces the target. Throws `failed`, never a usage error: the content may have been paid for. */
  commit(): void {
    if (this.#isOpen) this.close();
    const { path, real } = this.#target;
    withFileErrors(path, 'failure', () => {
      replaceFile(this.#temporary, real, path);
      syncFolder(dirname(real));
    });
  }

  [Symbol.dispose](): void {
    // An error here must not hide the one being handled.
    try {
      if (this.#isOpen) fs.closeSync(this.#fd);
      fs.unlinkSync(this.#temporary);
    } catch {}
  }
}

/** Throws a usage error, before anything is sent, if a file cannot be replaced or its folder cannot be written. */
export function assertReplaceable(target: Target): void {
  new AtomicFile(target)[Symbol.dispose]();
  assertNotPinned(target);
}

/**
 * Throws a usage error, before anything is sent, if a file cannot be replaced although its folder can be written: it is
 * immutable, or belongs to another user in a sticky folder of another user.
 */
export function assertNotPinned({ path, real, stats }: Target): void {
  // Windows has neither.
  if (stats === null || process.platform === 'win32') return;
  try {
    closeQuietly(fs.openSync(real, 'r+'));
  } catch (error) {
    // EPERM: the file is immutable. Other errors do not matter: renaming over a file ignores its mode.
    if (systemCode(error) === 'EPERM') throw fileError(error, path, 'usage');
  }
  const folder = fs.statSync(dirname(real));
  const user = process.geteuid?.() ?? 0;
  const isSticky = (folder.mode & 0o1000) !== 0;
  if (isSticky && user !== 0 && user !== folder.uid && user !== stats.uid)
    throw usage(`${path}: its folder lets only user ${stats.uid} replace it`, 'choose another file name');
}

export function writeFileAtomic(target: Target, content: string | Uint8Array): void {
  using file = new AtomicFile(target);
  file.write(content);
  file.commit();
}
