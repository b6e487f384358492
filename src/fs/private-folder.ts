import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, usage } from '../errors.ts';
import { parseObject } from '../json/shape.ts';
import {
  closeQuietly,
  createFile,
  guardFile,
  ignoreErrors,
  openedPath,
  shortName,
  syncFolder,
  syncIfPossible,
  withDescriptor,
} from './files.ts';
import type { Target } from './output-target.ts';
import { assertTrustedFile, assertTrustedFolder, type FolderUse } from './trust.ts';

const { O_APPEND, O_CREAT, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = fs.constants;

/** The folder in which the program keeps what it knows of the exports in `parent`. */
export const privateFolderOf = (parent: string): string => join(parent, '.chanlist');

/**
 * A folder of the program's own (`assertTrustedFolder`). It stays open: where there is /proc, names are found in the
 * opened folder, even if another one takes its path. Inside, no link is followed, and each file must pass
 * `assertTrustedFile`. Names must not contain a path; otherwise throws `damaged`.
 *
 * All methods throw usage failures (2) for what is refused, and system errors as failures (`fileError`).
 */
export class PrivateFolder {
  /** For messages. */
  readonly path: string;
  readonly created: boolean;
  readonly #fd: number;
  readonly #stats: fs.Stats;
  /** Path of the opened folder; its own path where there is no /proc. */
  readonly #base: string;

  private constructor(path: string, create: boolean, use: FolderUse) {
    this.path = path;
    // A umask such as 277 would lock this user out of its own files.
    process.umask(process.umask() & 0o077);
    this.created = create && ignoreErrors(['EEXIST'], () => fs.mkdirSync(path, 0o700) ?? true) === true;
    if (this.created) syncFolder(dirname(path));
    this.#fd = openTrusted(path, O_RDONLY | O_DIRECTORY, (stats) => assertTrustedFolder(path, stats, use));
    this.#stats = fs.fstatSync(this.#fd);
    this.#base = openedPath(this.#fd) ?? path;
  }

  static open(path: string, use: FolderUse = {}): PrivateFolder | null {
    const open = (): PrivateFolder => new PrivateFolder(path, false, use);
    // For check, a folder that it cannot read is a wrong argument.
    const work = use.readOnly ? 'open' : 'write';
    return guardFile(path, work, () => ignoreErrors(['ENOENT', 'ENOTDIR'], open) ?? null);
  }

  /** Opens a folder, or creates it (0700; a `.chanlist` with a `.gitignore`) in the one above it, which must exist. */
  static openOrCreate(path: string, use: FolderUse = {}): PrivateFolder {
    return guardFile(path, 'open', () => {
      const folder = new PrivateFolder(path, true, use);
      if (folder.created && basename(path) === '.chanlist') folder.replace('.gitignore', '*\n');
      return folder;
    });
  }

  /** The path by which the system finds a name in this folder; not for messages. */
  at(name: string): string {
    if (basename(name) !== name || ['', '.', '..'].includes(name))
      throw new Failure('damaged', `'${name}' is not the name of a file in ${this.path}`);
    return this.#at(name);
  }

  #at(name: string): string {
    if (this.#base === this.path) {
      const { dev, ino } = fs.lstatSync(this.path);
      if (dev !== this.#stats.dev || ino !== this.#stats.ino)
        throw usage(`another folder has taken the place of ${this.path}`, 'run the same command again');
    }
    return `${this.#base}/${name}`;
  }

  read(name: string): Buffer | null {
    const fd = this.openRead(name);
    return fd === null ? null : withDescriptor(fd, () => this.#guard(name, () => fs.readFileSync(fd)));
  }

  /** Opens a file for reading and returns its descriptor; null if it is not there. */
  openRead(name: string): number | null {
    return this.#guard(name, () => ignoreErrors(['ENOENT'], () => this.#open(name, O_RDONLY)) ?? null);
  }

  /** Opens a file for reading and appending, creates it (0600) if needed, and returns its descriptor. */
  openAppend(name: string): number {
    return this.#guard(name, () => this.#open(name, O_RDWR | O_APPEND | O_CREAT));
  }

  /** Opens a file for reading and writing at any position, and returns its descriptor; null if it is not there. */
  openWrite(name: string): number | null {
    return this.#guard(name, () => ignoreErrors(['ENOENT'], () => this.#open(name, O_RDWR)) ?? null);
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
      const path = this.at(name);
      const temporary = this.at(`.${shortName(name)}.tmp`);
      const write = (fd: number): void => {
        fs.writeFileSync(fd, content);
        // The file is whole even after a power cut.
        syncIfPossible(fd);
      };
      withDescriptor(createAnew(temporary), write, true);
      fs.renameSync(temporary, path);
      if (durable) this.#guard('', () => syncIfPossible(this.#fd));
    });
  }

  remove(name: string): void {
    this.#guard(name, () => ignoreErrors(['ENOENT'], () => fs.unlinkSync(this.at(name))));
  }

  names(): string[] {
    return this.#guard('', () => fs.readdirSync(this.#at('')));
  }

  close(): void {
    closeQuietly(this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(name: string, flags: number): number {
    const isWritten = (flags & O_RDWR) !== 0;
    return openTrusted(this.at(name), flags, (stats) =>
      assertTrustedFile(join(this.path, name), stats, this.#stats, isWritten),
    );
  }

  #guard<T>(name: string, work: () => T): T {
    return guardFile(join(this.path, name), 'write', work);
  }
}

/** Creates a file, in place of one that a killed run has left. */
function createAnew(path: string): number {
  const fd = ignoreErrors(['EEXIST'], () => createFile(path));
  if (fd !== undefined) return fd;
  fs.unlinkSync(path);
  return createFile(path);
}

/** Opens a file or folder that is no link and passes `assertTrusted`; returns its descriptor. */
function openTrusted(path: string, flags: number, assertTrusted: (stats: fs.Stats) => void): number {
  let fd: number | null = null;
  try {
    // A FIFO would block for ever.
    fd = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    assertTrusted(fs.fstatSync(fd));
    return fd;
  } catch (error) {
    if (fd !== null) closeQuietly(fd);
    // A refusal says more than the system does of a link, or of a folder that cannot be read.
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (fd === null && stats !== undefined) assertTrusted(stats);
    throw error;
  }
}

const recordOf = (real: string): string => join(privateFolderOf(dirname(real)), `${basename(real)}.json`);

/** Whether the record of a file is that of a view (docs/updates.md), with no interrupted run. */
function isViewRecord(record: string): boolean {
  const value = parseObject(ignoreErrors(['ENOENT', 'EACCES'], () => fs.readFileSync(record, 'utf8')) ?? '');
  const { request, progress } = value ?? {};
  const format =
    typeof request === 'object' && request !== null && 'format' in request ? request.format : null;
  return typeof format === 'string' && format !== 'ndjson' && progress === null;
}

/** Throws a usage error for an export that is there and that a record names; `areViewsReplaced`: views pass. */
export function assertNotRecorded(
  { path, real }: Pick<Target, 'path' | 'real'>,
  { areViewsReplaced = false } = {},
): void {
  const record = recordOf(real);
  if (!fs.existsSync(record) || !fs.existsSync(real) || (areViewsReplaced && isViewRecord(record))) return;
  throw usage(`refusing to replace ${path}: it is an export`, 'name another file');
}

/** Removes the record of a view that another file has replaced. */
export function forgetView({ real }: Pick<Target, 'real'>): void {
  if (!isViewRecord(recordOf(real))) return;
  using folder = PrivateFolder.open(privateFolderOf(dirname(real)));
  folder?.remove(basename(recordOf(real)));
}
