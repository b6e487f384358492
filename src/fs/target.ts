import { isUtf8 } from 'node:buffer';
import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { Failure, usage } from '../errors.ts';
import { checkDescriptor, descriptorAt } from './descriptor.ts';
import { guarded } from './file-errors.ts';
import { effectiveUser, kindOf, ownerName } from './owned.ts';

/** Where an output goes. */
export interface Target {
  /** As the user gave it: for messages. */
  readonly path: string;
  /**
   * The file to replace, without symbolic links. Its `.part`, `.part.json` and `.lock` are beside it. For a stream, the
   * path to open.
   */
  readonly real: string;
  /** Permission bits of the existing file, without set-user-ID and the like; null for a new one. */
  readonly mode: number | null;
  readonly exists: boolean;
  /** `stream`: a device, a FIFO or an inherited descriptor, which is written to (`openStream`), never replaced. */
  readonly kind: 'file' | 'stream';
  /** Streams: the inherited descriptor, if it is one. */
  readonly descriptor?: number;
}

/** A usage error: the path leads through a link that another user may have planted. */
export class ForeignLink extends Failure {
  constructor(message: string, hint: string) {
    super('usage', message, { hint });
  }
}

/** Maximum number of symbolic links to follow, as in Linux. */
const maxLinks = 40;

/**
 * Finds out what an output path points to. Symbolic links are followed, dangling ones too, but not one of another
 * user in a folder that others can write. Throws usage errors for such a link, a folder, a loop of links, a missing
 * folder, a file that may not be replaced, and a name that is not UTF-8.
 */
export async function resolveTarget(path: string): Promise<Target> {
  if (path === '' || path.includes('\0')) throw usage('a file name is empty or has a NUL character in it');
  if (path.endsWith('/')) throw notRegular(path, 'names a folder');
  return await guarded(path, 'opening', async () => {
    checkEncoding(path);
    const found = follow(path);
    if ('descriptor' in found) {
      checkDescriptor(path, found.descriptor);
      return {
        path,
        real: found.real,
        mode: null,
        exists: true,
        kind: 'stream',
        descriptor: found.descriptor,
      };
    }
    const { real, stats } = found;
    if (stats === null) return { path, real, mode: null, exists: false, kind: 'file' };
    if (stats.isFIFO() || stats.isCharacterDevice()) {
      accessSync(real, constants.W_OK);
      return { path, real, mode: null, exists: true, kind: 'stream' };
    }
    if (!stats.isFile()) throw notRegular(path, `is ${kindOf(stats)}`);
    checkReplaceable(path, dirname(real), stats);
    return { path, real, mode: stats.mode & 0o777, exists: true, kind: 'file' };
  });
}

type Followed = { real: string; stats: Stats | null } | { real: string; descriptor: number };

/** Follows all symbolic links, name by name: `..` after a linked folder is that folder's real parent. */
function follow(path: string): Followed {
  const names = namesOf(path);
  let at = isAbsolute(path) ? '' : process.cwd();
  if (at === '/') at = '';
  let stats: Stats | null = lstatSync(at || '/');
  for (let links = 0; names.length > 0; ) {
    const name = names.shift() ?? '';
    if (name === '..') {
      at = at === '' ? '' : dirname(at);
      if (at === '/') at = '';
      stats = lstatSync(at || '/');
      continue;
    }
    const next = `${at}/${name}`;
    const descriptor = names.length === 0 ? descriptorAt(next) : null;
    if (descriptor !== null) return { real: next, descriptor };
    stats = lstatSync(next, { throwIfNoEntry: false }) ?? null;
    if (stats?.isSymbolicLink()) {
      if (++links > maxLinks) throw usage(`${path}: its symbolic links form a loop`, 'name a file');
      checkLink(path, next, stats, at || '/');
      const link = utf8(path, readlinkSync(next, { encoding: 'buffer' }));
      if (names.length === 0 && link.endsWith('/')) throw notRegular(path, 'names a folder');
      names.unshift(...namesOf(link));
      if (isAbsolute(link)) at = '';
      stats = lstatSync(at || '/');
      continue;
    }
    if (names.length > 0) {
      if (stats === null) throw usage(`${path}: the folder ${next} does not exist`, 'create it first');
      if (!stats.isDirectory()) throw usage(`${path}: ${next} is not a folder`, 'name a file in a folder');
    }
    at = next;
  }
  return { real: at || '/', stats };
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

/** Throws for a link that another user may have planted: it could lead to any file of this user. */
function checkLink(path: string, link: string, stats: Stats, folder: string): void {
  const user = effectiveUser(stats.uid);
  if (stats.uid === user) return;
  const around = lstatSync(folder);
  const writable = (around.mode & 0o022) !== 0 || (around.uid !== user && around.uid !== 0);
  if (!writable) return;
  throw new ForeignLink(
    `${path}: ${link} is a symbolic link of another user (${ownerName(stats.uid)}) in a folder that others can write`,
    'name the file that it points to, or remove the link',
  );
}

/**
 * Node replaces bytes that are not UTF-8 in arguments by U+FFFD, so two names may become one. A path with U+FFFD is
 * accepted only if exactly that name exists. The name of the current folder is checked as bytes.
 */
function checkEncoding(path: string): void {
  const names = path.split('/');
  const last = names.findLastIndex((name) => name.includes('\uFFFD'));
  if (last !== -1 && lstatSync(names.slice(0, last + 1).join('/'), { throwIfNoEntry: false }) === undefined) {
    throw notUtf8(path);
  }
  if (!isAbsolute(path) && process.cwd().includes('\uFFFD')) {
    utf8(path, realpathSync.native('.', { encoding: 'buffer' }));
  }
}

function utf8(path: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8(path);
  return bytes.toString();
}

const notUtf8 = (path: string): Error =>
  usage(`${path}: a name in this path is not valid UTF-8`, 'choose a name that is');

function notRegular(path: string, what: string): Error {
  return usage(`${path} ${what}, not a regular file`, 'name a file');
}

/** In a sticky folder (such as /tmp) only its owner may replace a file: found before anything is paid. */
function checkReplaceable(path: string, folder: string, stats: Stats): void {
  const user = effectiveUser(0);
  if (user === 0 || user === stats.uid) return;
  const around = statSync(folder);
  if ((around.mode & 0o1000) !== 0 && around.uid !== user) {
    throw usage(
      `${path} belongs to another user, and in this folder only its owner may replace it`,
      'choose another place',
    );
  }
}
