import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import { closeQuietly, fileError, guardFile, ignoreErrors, isRoot } from './files.ts';
import { kindOf } from './trust.ts';

export interface Target {
  /** As the user gave it: for messages. */
  readonly path: string;
  /** The path without symbolic links. */
  readonly real: string;
  /** `stream`: a device, a FIFO or an inherited descriptor, which is written to (`openStream`), never replaced. */
  readonly kind: 'file' | 'stream';
  /** Of the file at `real`; null if there is none, and for a descriptor. */
  readonly stats: fs.Stats | null;
  /** Of the folder that contains `real`; null for a stream. */
  readonly folder: fs.Stats | null;
}

/** What tells a file from another one that takes its name: bytes, milliseconds since 1970, inode. */
export interface FileMark {
  readonly size: number;
  readonly mtime: number;
  readonly inode: number;
}

export const markOf = ({ size, mtimeMs, ino }: fs.Stats): FileMark => ({ size, mtime: mtimeMs, inode: ino });

export const hasMark = (stats: fs.Stats, { size, mtime, inode }: FileMark): boolean =>
  stats.isFile() && stats.size === size && stats.mtimeMs === mtime && stats.ino === inode;

/**
 * Finds out what an output path points to; opens nothing. Symbolic links are followed, dangling ones too. Throws usage
 * errors for a link of another user in a folder that others can write, a folder, a socket, a loop of links, a missing
 * folder, and a stream that cannot be written.
 */
export function resolveTarget(named: string, { onlyFiles = false } = {}): Target {
  // A printed command would take it for a flag.
  const path = named.startsWith('-') ? `./${named}` : named;
  if (path === '' || path.endsWith('/')) throw notRegular(path, 'a folder');
  return guardFile(path, 'open', () => {
    const real = followLinks(path, true);
    const descriptor = descriptorAt(real);
    if (descriptor !== null || real === nullDevice) {
      if (onlyFiles) throw notRegular(path, 'a stream');
      if (descriptor !== null) assertOpenForWriting(path, descriptor);
      return { path, real, kind: 'stream', stats: null, folder: null };
    }
    const stats = lstat(real);
    if (stats === null || stats.isFile())
      return { path, real, kind: 'file', stats, folder: fs.lstatSync(dirname(real)) };
    if (onlyFiles || !(stats.isFIFO() || stats.isCharacterDevice())) throw notRegular(path, kindOf(stats));
    fs.accessSync(real, fs.constants.W_OK);
    return { path, real, kind: 'stream', stats, folder: null };
  });
}

/**
 * Opens a file for reading as it was when it was looked up, and returns its descriptor. Throws a usage error if it cannot
 * be read, and `failed` for its reference if it has changed, or something else has taken its place.
 */
export function openUnchanged({ path, real, stats }: Target): number {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  // A FIFO would block for ever. What was a file when it was looked up may be a link, or gone.
  const open = (): number => fs.openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const fd = guardFile(path, 'read', () => ignoreErrors(['ELOOP', 'ENOENT'], open));
  if (fd !== undefined && stats !== null && hasMark(fs.fstatSync(fd), markOf(stats))) return fd;
  if (fd !== undefined) closeQuietly(fd);
  const hint = 'move it away, put the file back that was there, then run the same command again';
  throw new Failure('failed', `${path} was changed during this run`, { scope: 'reference', hint });
}

/**
 * Throws a usage error that names both if an output is another output or an input, also through symbolic and hard links;
 * for a path in a folder of the program's own; and for an output behind a link of another user in a folder that others
 * can write. Devices and pipes pass: they are not replaced. `path`: as given; `-` as an input is stdin.
 */
export function assertDistinctPaths(
  files: readonly { flag: string; path: string; isOutput: boolean; target?: Target }[],
): void {
  const seen = new Map<string, (typeof files)[number]>();
  // Inputs last: two of them may be the same.
  for (const file of [...files].sort((a, b) => Number(b.isOutput) - Number(a.isOutput))) {
    const { flag, path, isOutput } = file;
    const { real, stats } = file.target ?? locate(path === '-' && !isOutput ? '/dev/stdin' : path, isOutput);
    if (/(?:^|[\\/])\.chanlist(?:[\\/]|$)/.test(real))
      throw usage(`${flag} ${path} is in chanlist's own folder`, 'name another place');
    if (stats !== null && !stats.isFile() && !stats.isDirectory()) continue;
    for (const key of [real, stats === null ? real : `${stats.dev}:${stats.ino}`]) {
      const other = seen.get(key);
      if (other !== undefined && other !== file)
        throw usage(`${flag} ${path} and ${other.flag} ${other.path} are the same file`, 'name another file');
      if (isOutput) seen.set(key, file);
    }
  }
}

/**
 * What a path leads to, links followed; the path itself where that cannot be found out: it is reported when it is used.
 * Of an output, a link that `resolveTarget` refuses is a usage error.
 */
export function locate(path: string, isOutput: boolean): Pick<Target, 'real' | 'stats'> {
  try {
    const real = followLinks(path, isOutput);
    return { real, stats: fs.statSync(real, { throwIfNoEntry: false }) ?? null };
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { real: path, stats: null };
  }
}

const lstat = (path: string): fs.Stats | null => fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;

/** No system finds a longer path. */
const maxPathLength = 4096;

/** The path of a device, in every folder of Windows. */
const nullDevice = '\\\\.\\NUL';

/**
 * A path without symbolic links, which are followed name by name: `..` after a linked folder is that folder's real parent.
 * Throws system errors and, for an output, a usage error for a link of another user in a folder that others can write.
 */
function followLinks(original: string, isOutput: boolean, shown = original): string {
  if (process.platform === 'win32' && /(?:^|[\\/])nul$/i.test(original)) return nullDevice;
  const path = isAbsolute(original) ? original : `${workingFolder()}/${original}`;
  if (path.length > maxPathLength) throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
  const name = basename(path);
  if (name === '' || isRoot(path) || descriptorAt(path) !== null) return path;
  const folder = followLinks(dirname(path), isOutput, shown);
  if (name === '.') return folder;
  if (name === '..') return dirname(folder);
  const at = join(folder, name);
  const stats = lstat(at);
  if (!stats?.isSymbolicLink() || descriptorAt(at) !== null) return at;
  // Throws for a loop.
  fs.statSync(at, { throwIfNoEntry: false });
  if (isOutput) assertOwnLink(shown, at, stats, folder);
  const link = fs.readlinkSync(at);
  return followLinks(isAbsolute(link) ? link : `${folder}/${link}`, isOutput, shown);
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw usage('the working directory has been removed', 'change to another folder');
  }
}

/** Throws for a link that another user may have planted: it could point to any file of this user. */
function assertOwnLink(path: string, link: string, stats: fs.Stats, folder: string): void {
  const user = process.geteuid?.() ?? stats.uid;
  if (stats.uid === user) return;
  const { mode, uid } = fs.lstatSync(folder);
  if ((mode & 0o022) === 0 && (uid === user || uid === 0)) return;
  throw usage(
    `${path}: ${link} is a symbolic link of user ${stats.uid} in a folder that others can write to`,
    'name the file that it points to, or remove the link',
  );
}

/** The inherited descriptor that a path without links names (/dev/stdout, /dev/fd/3); null if it names none. */
export function descriptorAt(path: string): number | null {
  const standard = ['/dev/stdin', '/dev/stdout', '/dev/stderr'].indexOf(path);
  if (standard !== -1) return standard;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  return number === undefined ? null : Number(number);
}

function assertOpenForWriting(path: string, descriptor: number): void {
  try {
    fs.writeSync(descriptor, '');
  } catch (error) {
    // A full disk, or a reader that has left, shows when something is written.
    if (systemCode(error) !== 'EBADF') return;
    throw usage(
      `${path}: descriptor ${descriptor} is not open for writing`,
      `redirect it, such as ${descriptor}>FILE`,
    );
  }
}

const notRegular = (path: string, what: string): Failure =>
  usage(`'${path}' is ${what}, not a regular file`, 'name a file');

/** A device, a pipe or an inherited descriptor that data goes to in place of stdout. */
export interface OpenedStream {
  readonly stream: NodeJS.WritableStream;
  readonly isPipe: boolean;
  failureOf(error: Error): unknown;
}

/** Milliseconds between two attempts to open a FIFO that has no reader yet. */
const fifoPollMs = 50;

/**
 * Opens a target that is a stream. An inherited descriptor is used as it is, so that `>> log` appends and a redirected
 * file is written from its current position. A FIFO without a reader is waited for until `stop` is aborted, whose
 * reason is then thrown.
 */
export async function openStream({ path, real }: Target, stop?: AbortSignal): Promise<OpenedStream> {
  const fd = descriptorAt(real) ?? (await openWhenRead(path, real, stop));
  const stats = fs.fstatSync(fd);
  const isPipe = stats.isFIFO() || stats.isSocket();
  return { stream: wrap(fd, isPipe), isPipe, failureOf: (error) => fileError(error, path, 'write') };
}

/** Opens without blocking: no signal could interrupt a blocked call, and it would keep the process from ending. */
async function openWhenRead(path: string, real: string, stop: AbortSignal | undefined): Promise<number> {
  const { O_WRONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants;
  for (;;) {
    const open = (): number => fs.openSync(real, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    const fd = guardFile(path, 'open', () => ignoreErrors(['ENXIO'], open));
    if (fd !== undefined) return fd;
    stop?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, fifoPollMs));
  }
}

function wrap(fd: number, isPipe: boolean): NodeJS.WritableStream {
  if (fd === 1) return process.stdout;
  if (fd === 2) return process.stderr;
  if (isPipe) return new Socket({ fd, readable: false, writable: true });
  return fs.createWriteStream('', { fd, autoClose: false });
}
