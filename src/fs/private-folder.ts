import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { usage } from '../errors.ts';
import { guardFile } from './file-error.ts';
import { closing, createFile, ignoring, shortName, syncFolder, syncIfPossible } from './files.ts';
import { checkFile, checkTrust } from './trust.ts';

const { O_APPEND, O_CREAT, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = fs.constants;

/** The folder in which the program keeps what it knows of the exports in `parent`; throws system errors. */
export function privateFolderOf(parent: string): string {
  const isSticky = (fs.statSync(parent).mode & 0o1000) !== 0;
  return join(parent, isSticky ? `.chanlist-${process.geteuid?.() ?? 0}` : '.chanlist');
}

/**
 * A folder of the program's own, which must pass `checkTrust`. It stays open: on Linux, names are resolved in the
 * opened folder, even if another one takes its path. Inside, no link is followed, and each file must pass `checkFile`.
 *
 * All methods throw usage failures (2) for what is refused, and system errors as failures (`fileError`).
 */
export class PrivateFolder {
  /** For messages. */
  readonly path: string;
  /** Whether `openOrCreate` created it. */
  readonly created: boolean;
  readonly #fd: number;
  readonly #stats: fs.Stats;
  /** Path of the opened folder in /proc; its own path where there is no /proc. */
  readonly #base: string;

  private constructor(path: string, { create = false, readOnly = false }) {
    this.path = path;
    // A umask such as 277 would lock this user out of the files of its own.
    process.umask(process.umask() & 0o077);
    this.created = create && ignoring(['EEXIST'], () => fs.mkdirSync(path, 0o700) ?? true) === true;
    if (this.created) syncFolder(dirname(path));
    this.#fd = openTrusted(path, O_RDONLY | O_DIRECTORY, (stats) => checkTrust(path, stats, readOnly));
    this.#stats = fs.fstatSync(this.#fd);
    const opened = `/proc/self/fd/${this.#fd}`;
    this.#base = process.platform === 'linux' && fs.existsSync(opened) ? opened : path;
  }

  /** Opens a folder; null if it is not there. `readOnly`: for `check`; see `checkTrust`. */
  static open(path: string, { readOnly = false } = {}): PrivateFolder | null {
    const open = (): PrivateFolder => new PrivateFolder(path, { readOnly });
    // For check, a folder that it cannot read is a wrong argument.
    return guardFile(path, readOnly ? 'open' : 'write', () => ignoring(['ENOENT', 'ENOTDIR'], open) ?? null);
  }

  /** Opens a folder, or creates it (0700; a `.chanlist` with a `.gitignore`) in the one above it, which must exist. */
  static openOrCreate(path: string): PrivateFolder {
    return guardFile(path, 'open', () => {
      const folder = new PrivateFolder(path, { create: true });
      if (folder.created && basename(path).startsWith('.chanlist')) folder.replace('.gitignore', '*\n');
      return folder;
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
   * the same time need a lock: the temporary name is always the same, so that failed and killed runs leave at most one.
   */
  replace(name: string, content: string | Uint8Array, { durable = false } = {}): void {
    this.#guard(name, () => {
      const temporary = this.at(`.${shortName(name)}.tmp`);
      ignoring(['ENOENT'], () => fs.unlinkSync(temporary));
      closing(createFile(temporary), (fd) => {
        fs.writeFileSync(fd, content);
        // The file is whole even after a power cut.
        syncIfPossible(fd);
      });
      fs.renameSync(temporary, this.at(name));
      if (durable) this.#guard('', () => syncIfPossible(this.#fd));
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

  close(): void {
    fs.closeSync(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(name: string, flags: number): number {
    const isWritten = (flags & O_RDWR) !== 0;
    return openTrusted(this.at(name), flags, (stats) =>
      checkFile(join(this.path, name), stats, this.#stats, isWritten),
    );
  }

  #guard<T>(name: string, work: () => T): T {
    return guardFile(join(this.path, name), 'write', work);
  }
}

/** Opens a file or folder that is no link and passes `check`, which throws a refusal; returns its descriptor. */
function openTrusted(path: string, flags: number, check: (stats: fs.Stats) => void): number {
  let fd: number | null = null;
  try {
    // A FIFO would block for ever.
    fd = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    check(fs.fstatSync(fd));
    return fd;
  } catch (error) {
    if (fd !== null) fs.closeSync(fd);
    // A refusal says more than the system does of a link, or of a folder that cannot be read.
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (fd === null && stats !== undefined) check(stats);
    throw error;
  }
}

/** Throws a usage error for a file that is an export: one that a record in the private folder beside it names. */
export function refuseRecorded({ path, real }: { readonly path: string; readonly real: string }): void {
  const parent = dirname(real);
  if (!fs.existsSync(parent)) return;
  const record = join(privateFolderOf(parent), `${basename(real)}.json`);
  if (fs.existsSync(record)) throw usage(`refusing to replace ${path}: it is an export`, 'name another file');
}
