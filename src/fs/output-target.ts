import * as fs from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { type Failure, systemCode, usage } from '../errors.ts';
import { guardFile } from './file-error.ts';
import { kindOf } from './trust.ts';

/** Where an output goes. */
export interface Target {
  /** As the user gave it: for messages. */
  readonly path: string;
  /** The path without symbolic links. */
  readonly real: string;
  /** `stream`: a device, a FIFO or an inherited descriptor, which is written to (`openStream`), never replaced. */
  readonly kind: 'file' | 'stream';
  /** Of the file at `real`; null if there is none, and for a descriptor. */
  readonly stats: fs.Stats | null;
  /** The inherited descriptor, if the path names one (/dev/stdout, /dev/fd/3). */
  readonly descriptor: number | null;
}

/**
 * Finds out what an output path points to; opens nothing. Symbolic links are followed, dangling ones too. Throws usage
 * errors for a link of another user in a folder that others can write, a folder, a socket, a loop of links, a missing
 * folder, and a stream that cannot be written.
 */
export function resolveTarget(path: string, { onlyFiles = false } = {}): Target {
  if (path === '' || path.endsWith('/')) throw notRegular(path, 'a folder');
  return guardFile(path, 'open', () => {
    const found = followLinks(path);
    const { real } = found;
    const descriptor = descriptorAt(real);
    const stats = descriptor === null ? found.stats : null;
    const isStream = descriptor !== null || stats?.isFIFO() || stats?.isCharacterDevice();
    const isRegular = descriptor === null && (stats === null || stats.isFile());
    if (!isRegular && (onlyFiles || !isStream))
      throw notRegular(path, stats === null ? 'a stream' : kindOf(stats));
    if (descriptor !== null) checkDescriptor(path, descriptor);
    else if (isStream) fs.accessSync(real, fs.constants.W_OK);
    // A missing folder is an error now.
    else if (stats === null) fs.lstatSync(dirname(real));
    return { path, real, kind: isStream ? 'stream' : 'file', stats, descriptor };
  });
}

const lstat = (path: string): fs.Stats | null => fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;

/** No system finds a longer path. */
const maxPathLength = 4096;

/**
 * Follows all symbolic links, name by name: `..` after a linked folder is that folder's real parent. `stats`: what is
 * there; null: nothing. Throws a usage error for a link of another user in a folder that others can write, and system
 * errors.
 */
export function followLinks(given: string, shown = given): { real: string; stats: fs.Stats | null } {
  const path = isAbsolute(given) ? given : `${process.cwd()}/${given}`;
  if (path.length > maxPathLength) throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
  const name = basename(path);
  if (name === '' || descriptorAt(path) !== null) return { real: path, stats: lstat(path) };
  const { real: folder, stats: around } = followLinks(dirname(path), shown);
  if (name === '.') return { real: folder, stats: around };
  if (name === '..') return { real: dirname(folder), stats: lstat(dirname(folder)) };
  const at = join(folder, name);
  const stats = lstat(at);
  if (!stats?.isSymbolicLink() || descriptorAt(at) !== null) return { real: at, stats };
  // Throws for a loop.
  fs.statSync(at, { throwIfNoEntry: false });
  checkLink(shown, at, stats, folder);
  const link = fs.readlinkSync(at);
  return followLinks(isAbsolute(link) ? link : `${folder}/${link}`, shown);
}

/** Throws for a link that another user may have planted: it could point to any file of this user. */
function checkLink(path: string, link: string, stats: fs.Stats, folder: string): void {
  const user = process.geteuid?.() ?? stats.uid;
  if (stats.uid === user) return;
  const { mode, uid } = fs.lstatSync(folder);
  if ((mode & 0o022) === 0 && (uid === user || uid === 0)) return;
  throw usage(
    `${path}: ${link} is a symbolic link of user ${stats.uid} in a folder that others can write to`,
    'name the file that it points to, or remove the link',
  );
}

/** The descriptor of this process that a path names; null if it names none. */
function descriptorAt(path: string): number | null {
  const standard = ['/dev/stdin', '/dev/stdout', '/dev/stderr'].indexOf(path);
  if (standard !== -1) return standard;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  return number === undefined ? null : Number(number);
}

function checkDescriptor(path: string, descriptor: number): void {
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
