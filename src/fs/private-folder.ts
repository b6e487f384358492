import * as fs from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import {
  ignoreErrors,
  replaceFile,
  syncFolder,
  syncIfPossible,
  unsupported,
  withDescriptor,
  withFileErrors,
} from './files.ts';
import { fileKind } from './output-target.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = fs.constants;

/**
 * A folder that belongs to the program: not a link, owned by the effective user, and not writable by others. Files in it are
 * opened by name, never through a link. Throws a usage error for a folder that is refused.
 */
export class PrivateFolder {
  readonly path: string;
  /** True if the folder exists and has passed `assertTrusted`: only then are files in it read. */
  exists: boolean;
  /** True if this process has created the folder. */
  created = false;

  private constructor(path: string, exists: boolean) {
    this.path = path;
    this.exists = exists;
  }

  /** Opens a folder, which need not exist. `repair` removes the write permissions of other users. */
  static open(path: string, repair = false): PrivateFolder {
    return withFileErrors(path, 'failure', () => {
      const exists = ignoreErrors(['ENOENT', 'ENOTDIR'], () => assertTrusted(path, repair)) ?? false;
      return new PrivateFolder(path, exists);
    });
  }

  /** Creates the folder (0700; a `.chanlist` with a `.gitignore`) if needed. Its parent must exist. */
  ensure(): this {
    const { path } = this;
    return withFileErrors(path, 'usage', () => {
      ignoreErrors(['EEXIST'], () => {
        fs.mkdirSync(path, 0o700);
        this.created = true;
        syncFolder(dirname(path));
      });
      this.exists = assertTrusted(path, true);
      // An existing folder gets it, too: the run that created the folder may have been killed before this line.
      if (basename(path) === '.chanlist')
        ignoreErrors(['EEXIST'], () =>
          fs.writeFileSync(this.at('.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }),
        );
      return this;
    });
  }

  /** Throws a usage error if this is no longer a real folder of this user. */
  assertTrusted(): void {
    withFileErrors(this.path, 'failure', () =>
      ignoreErrors(['ENOENT'], () => assertTrusted(this.path, false)),
    );
  }

  at(name: string): string {
    return `${this.path}${sep}${name}`;
  }

  read(name: string): Buffer | null {
    const fd = this.openRead(name);
    return fd === null ? null : withDescriptor(fd, () => this.#guard(name, () => fs.readFileSync(fd)));
  }

  /** Opens a file for reading and returns its descriptor; null if it does not exist. */
  openRead(name: string): number | null {
    try {
      return this.#guard(name, () => {
        // An exception costs ten times as much as this lstat.
        const stats = this.exists && fs.lstatSync(this.at(name), { throwIfNoEntry: false });
        return stats ? (ignoreErrors(['ENOENT'], () => this.#open(name, O_RDONLY)) ?? null) : null;
      });
    } catch (error) {
      // A file that cannot be opened stops its own export only; a disk that fails stops the run.
      const isFileError = error instanceof Failure && systemCode(error.cause) !== 'EIO';
      throw isFileError ? error.with({ scope: 'reference' }) : error;
    }
  }

  /** Opens a file for reading and appending, creates it (0600) if needed, and returns its descriptor. */
  openAppend(name: string, { create = true } = {}): number {
    return this.#guard(name, () => this.#open(name, O_RDWR | O_APPEND | (create ? O_CREAT : 0)));
  }

  /** Creates an empty file (0600) for reading and writing, replaces one of this name, and returns its descriptor. */
  createEmpty(name: string): number {
    this.remove(name);
    return this.#guard(name, () => this.#open(name, O_RDWR | O_APPEND | O_CREAT | O_EXCL));
  }

  /** Replaces a file (0600) atomically. Processes that may replace the same name at the same time need a lock. */
  replace(name: string, content: string | Uint8Array): void {
    this.#guard(name, () => {
      const temporary = temporaryName(name);
      withDescriptor(this.createEmpty(temporary), (fd) => {
        fs.writeFileSync(fd, content);
        // After this, the file is complete even after a power cut.
        syncIfPossible(fd);
      });
      replaceFile(this.at(temporary), this.at(name));
    });
  }

  /** Renames a file, durably. */
  rename(name: string, other: string): void {
    this.#guard(other, () => {
      replaceFile(this.at(name), this.at(other));
      syncFolder(this.path);
    });
  }

  remove(name: string): void {
    this.#guard(name, () => ignoreErrors(['ENOENT'], () => fs.unlinkSync(this.at(name))));
  }

  names(): string[] {
    return this.exists ? this.#guard('', () => fs.readdirSync(this.path)) : [];
  }

  /** Removes the folder if this process has created it, and it is empty. */
  removeIfUnused(): void {
    try {
      const [only, ...others] = this.created ? this.names() : [];
      if (only !== '.gitignore' || others.length > 0) return;
      this.remove(only);
      fs.rmdirSync(this.path);
    } catch {
      // An empty folder harms nobody.
    }
  }

  #open(name: string, flags: number): number {
    // Without O_NONBLOCK, a FIFO would block forever.
    const fd = fs.openSync(this.at(name), flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const stats = fs.fstatSync(fd);
    if (stats.isFile()) return fd;
    fs.closeSync(fd);
    throw new Failure('failed', `${this.at(name)} is ${fileKind(stats)}, not a file`, {
      step: 'move it away',
    });
  }

  #guard<T>(name: string, work: () => T): T {
    return withFileErrors(this.at(name), 'failure', work);
  }
}

/** Returns the name under which a new file is written in a private folder before it is renamed. */
export const temporaryName = (name: string): string => `${name}.tmp`;

/** Throws a usage error unless this is a real folder of this user. `repair`: if others may write to it, its mode becomes 0700. */
function assertTrusted(path: string, repair: boolean): true {
  const stats = fs.lstatSync(path);
  const step = stats.isSymbolicLink() ? 'put the folder itself in its place' : 'move it away';
  if (!stats.isDirectory()) throw usage(`refusing to use ${path}: it is ${fileKind(stats)}`, step);
  const user = process.geteuid?.() ?? stats.uid;
  if (stats.uid !== user)
    throw usage(
      `refusing to use ${path}: it belongs to user ${stats.uid}, not to user ${user}`,
      `run it as the user with the ID ${stats.uid}`,
    );
  if (repair && (stats.mode & 0o022) !== 0)
    ignoreErrors([...unsupported, 'EROFS'], () => fs.chmodSync(path, 0o700));
  return true;
}
