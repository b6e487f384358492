import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode, usage } from '../errors.ts';
import { guardFile } from './file-error.ts';
import { closing, createFile, ignoring, openFolder, shortName, syncFolder, syncIfPossible } from './files.ts';
import { checkTrust, problemOfFile } from './trust.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = fs.constants;

/** The folder in which the program keeps what it knows of the exports in `parent`; throws system errors. */
export function privateFolderOf(parent: string): string {
  const isSticky = (fs.statSync(parent).mode & 0o1000) !== 0;
  return join(parent, isSticky ? `.chanlist-${process.geteuid?.() ?? 0}` : '.chanlist');
}

/**
 * A folder of the program's own, which must pass `checkTrust`. It is held open: on Linux, names are looked up in the
 * opened folder, even if another one takes its path. Inside, no link is followed, and no file is used for which there
 * is a `problemOfFile`.
 *
 * All methods throw usage failures (2) for what is refused, and system errors as failures (`fileError`).
 */
export class PrivateFolder {
  /** For messages. */
  readonly path: string;
  /** Whether `open` created it. */
  readonly created: boolean;
  readonly #fd: number;
  readonly #stats: fs.Stats;
  /** Leads to the opened folder; its path where there is no /proc. */
  readonly #base: string;

  private constructor(path: string, fd: number, stats: fs.Stats, created: boolean) {
    this.path = path;
    this.created = created;
    this.#fd = fd;
    this.#stats = stats;
    const opened = `/proc/self/fd/${fd}`;
    this.#base = process.platform === 'linux' && fs.existsSync(opened) ? opened : path;
  }

  /**
   * Opens a folder; null if it is not there. `create`: creates it then (0700; a `.chanlist` with a `.gitignore`); the
   * folder above it must exist. `readOnly`: see `checkTrust`.
   */
  static open(path: string, options: { readonly create: true }): PrivateFolder;
  static open(
    path: string,
    options?: { readonly create?: false; readonly readOnly?: boolean },
  ): PrivateFolder | null;
  static open(path: string, { create = false, readOnly = false } = {}): PrivateFolder | null {
    return guardFile(path, 'open', () => {
      // A umask such as 277 would lock this user out of the files of its own.
      process.umask(process.umask() & 0o077);
      const created = create && makeFolder(path);
      const fd = openOwn(path, readOnly);
      if (fd === undefined) return null;
      try {
        const stats = fs.fstatSync(fd);
        checkTrust(path, stats, readOnly);
        const folder = new PrivateFolder(path, fd, stats, created);
        if (created && basename(path).startsWith('.chanlist')) folder.replace('.gitignore', '*\n');
        return folder;
      } catch (error) {
        fs.closeSync(fd);
        throw error;
      }
    });
  }

  /** The path by which the system finds a name in this folder; not for messages. */
  at(name: string): string {
    if (this.#base === this.path) {
      const { dev, ino } = fs.lstatSync(this.path);
      if (dev !== this.#stats.dev || ino !== this.#stats.ino)
        throw usage(`another folder has taken the place of ${this.path}`, 'run the same command again');
    }
    return `${this.#base}/${name}`;
  }

  /** The content of a file; null if it is not there. */
  read(name: string): Buffer | null {
    const fd = this.openRead(name);
    return fd === null ? null : closing(fd, () => this.#guard(name, () => fs.readFileSync(fd)));
  }

  /** Opens a file for reading and returns its descriptor; null if it is not there. */
  openRead(name: string): number | null {
    return this.#guard(name, () => ignoring(['ENOENT'], () => this.#open(name, O_RDONLY)) ?? null);
  }

  /** Opens a file for reading and appending, creates it (0600) if needed, and returns its descriptor. */
  openAppend(name: string): number {
    return this.#guard(name, () => this.#open(name, O_RDWR | O_APPEND | O_CREAT));
  }

  /** Opens a file for reading and writing at any position, and returns its descriptor; null if it is not there. */
  openWrite(name: string): number | null {
    return this.#guard(name, () => ignoring(['ENOENT'], () => this.#open(name, O_RDWR)) ?? null);
  }

  /** Creates a file (0600) that must not exist, for reading and writing, and returns its descriptor. */
  create(name: string): number {
    return this.#guard(name, () => createFile(this.at(name)));
  }

  /**
   * Replaces a file (0600) atomically; `durable`: it survives a power cut. Processes that may replace the same name at
   * the same time need a lock: the temporary name is always the same, so that killed runs leave at most one.
   */
  replace(name: string, content: string | Uint8Array, { durable = false } = {}): void {
    this.#guard(name, () => {
      const temporary = this.at(`.${shortName(name)}.tmp`);
      let fd = ignoring(['EEXIST'], () => createFile(temporary));
      if (fd === undefined) {
        fs.unlinkSync(temporary);
        fd = createFile(temporary);
      }
      try {
        closing(fd, (fd) => {
          fs.writeFileSync(fd, content);
          // Not even after a power cut is it cut short.
          syncIfPossible(fd);
        });
        fs.renameSync(temporary, this.at(name));
      } catch (error) {
        ignoring(['ENOENT'], () => fs.unlinkSync(temporary));
        throw error;
      }
      if (durable) this.sync();
    });
  }

  /** Removes a file, if it is there. */
  remove(name: string): void {
    this.#guard(name, () => ignoring(['ENOENT'], () => fs.unlinkSync(this.at(name))));
  }

  /** All names in this folder. */
  names(): string[] {
    return this.#guard('', () => fs.readdirSync(this.at('')));
  }

  /** Makes the names in this folder durable. */
  sync(): void {
    this.#guard('', () => syncIfPossible(this.#fd));
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #open(name: string, flags: number): number {
    const path = this.at(name);
    const shown = join(this.path, name);
    let fd: number;
    try {
      // A FIFO would block for ever.
      fd = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    } catch (error) {
      const stats = fs.lstatSync(path, { throwIfNoEntry: false });
      throw (stats && problemOfFile(shown, stats, this.#stats, false)) ?? error;
    }
    const problem = problemOfFile(shown, fs.fstatSync(fd), this.#stats, (flags & O_RDWR) !== 0);
    if (problem === null) return fd;
    fs.closeSync(fd);
    throw problem;
  }

  #guard<T>(name: string, work: () => T): T {
    return guardFile(join(this.path, name), 'write', work);
  }
}

/** Opens a folder; undefined if it is not there. Throws a refusal for a link, a file, or a folder of another user. */
function openOwn(path: string, readOnly: boolean): number | undefined {
  try {
    return openFolder(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    checkTrust(path, fs.lstatSync(path), readOnly);
    throw error;
  }
}

/** Creates a folder durably; false if something has its name. */
function makeFolder(path: string): boolean {
  const isNew = ignoring(['EEXIST'], () => fs.mkdirSync(path, 0o700) ?? true);
  if (isNew) syncFolder(dirname(path));
  return isNew ?? false;
}

/** Throws a usage error for a file that is an export: one that a record in the private folder beside it names. */
export function refuseRecorded({ path, real }: { readonly path: string; readonly real: string }): void {
  const parent = dirname(real);
  if (!fs.existsSync(parent)) return;
  const record = join(privateFolderOf(parent), `${basename(real)}.json`);
  if (fs.existsSync(record)) throw usage(`refusing to replace ${path}: it is an export`, 'name another file');
}
