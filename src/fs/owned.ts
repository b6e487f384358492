import {
  closeSync,
  constants,
  promises as fs,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, systemCode, usage } from '../errors.ts';

/**
 * How a name of the program's own is opened. `create`: read and write, must not exist. `replace`: the same, after
 * a file of ours with that name has been removed. `write`: read and write, must exist. `read`: must exist.
 */
export type OpenMode = 'create' | 'replace' | 'write' | 'read';

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const existing = { write: O_RDWR, read: O_RDONLY } as const;

/**
 * Opens a name of the program's own (product contract, "Shared folders"): links are not followed, a FIFO does not
 * block, new files get mode 0600, and an existing file must be ours (see `checkOwned`). Throws a usage error for
 * what is in the way, and the system's error otherwise. `finishedMode`: see `lstatOwned`.
 */
export async function openOwned(path: string, how: OpenMode, finishedMode?: number): Promise<fs.FileHandle> {
  if (how === 'create') return await create(path);
  const found = await lstatOwned(path, finishedMode);
  if (how !== 'replace') return await openExisting(path, how, finishedMode);
  if (found !== null) await fs.unlink(path);
  return await create(path);
}

async function create(path: string): Promise<fs.FileHandle> {
  const handle = await fs.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    // A umask such as 277 takes the owner's own permission away.
    if ((fstatSync(handle.fd).mode & 0o600) !== 0o600) await handle.chmod(0o600).catch(() => {});
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openExisting(
  path: string,
  how: keyof typeof existing,
  finishedMode: number | undefined,
): Promise<fs.FileHandle> {
  const handle = await fs.open(path, existing[how] | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(handle.fd);
    checkOwned(path, stats, finishedMode);
    // Another name of the same file could be any file of this user's.
    if (how !== 'read' && stats.nlink > 1) throw inTheWay(path, stats, 'has a second name (a hard link)');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The stats of a name of the program's own; null if it does not exist. Throws a usage error for what is in the way.
 * `finishedMode`: the permission bits of FILE, which a finished part file may have already.
 */
export async function lstatOwned(path: string, finishedMode?: number): Promise<Stats | null> {
  let stats: Stats;
  try {
    stats = await fs.lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  checkOwned(path, stats, finishedMode);
  return stats;
}

/**
 * The same as `openOwned` for a file that is read or appended to at once: returns its descriptor. `flags` are those of
 * the system, without those for links and FIFOs. `mayProbe`: see `checkOwned`.
 */
export function openOwnedSync(path: string, flags: number, mayProbe?: () => boolean): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') checkOwned(path, lstatSync(path));
    throw error;
  }
  try {
    checkOwned(path, fstatSync(descriptor), undefined, mayProbe);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * Throws "in the way" unless it is a regular file of the effective user's that nobody else can write, or shows
 * exactly the owner and mode of a file just created there (mounts that show every file as 0777). `mayProbe`: whether
 * a file may be created there to compare with.
 */
function checkOwned(
  path: string,
  stats: Stats,
  finishedMode?: number,
  mayProbe: () => boolean = () => true,
): void {
  if (!stats.isFile()) throw inTheWay(path, stats, `is ${kindOf(stats)}`);
  const mode = stats.mode & 0o777;
  const ours = stats.uid === effectiveUser(stats.uid);
  if (ours && ((mode & 0o022) === 0 || mode === finishedMode)) return;
  const probe = mayProbe() ? newFileIn(dirname(path)) : null;
  if (probe !== null && probe.uid === stats.uid && (probe.mode & 0o777) === mode) return;
  throw inTheWay(path, stats, ours ? 'can be written by other users' : 'belongs to another user');
}

/** The stats of a file just created in a folder (and removed again); null if none can be created. */
export function newFileIn(folder: string): Stats | null {
  const path = temporaryIn(folder);
  let descriptor: number;
  try {
    descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch {
    return null;
  }
  try {
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
    unlinkSync(path);
  }
}

/** The failure for something at a name of the program's own that is not the program's. It stays as it is. */
export function inTheWay(path: string, stats: Stats, why: string): Failure {
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  return usage(
    `${path} is in the way: it ${why} (owner ${ownerName(stats.uid)}, mode ${mode})`,
    'if it is not needed, remove it; or choose another name',
  );
}

/** The effective user's number; `otherwise` on systems without such numbers. */
export function effectiveUser(otherwise: number): number {
  return process.geteuid?.() ?? otherwise;
}

/** A user's name and number, or the number alone if this machine does not list the user. */
export function ownerName(uid: number): string {
  try {
    const row = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.split(':')[2] === String(uid));
    if (row !== undefined) return `${row.split(':')[0]} (${uid})`;
  } catch {
    // There is no list of users.
  }
  return String(uid);
}

/** The kind of a file, in words. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a regular file' : 'a device';
}

/** An unused name in a folder; short, because the final name may have the maximum length. */
export function temporaryIn(folder: string): string {
  return join(folder, `.chanlist-${randomHex()}.tmp`);
}

/** 20 random hexadecimal digits. */
export function randomHex(): string {
  const half = (): string => Math.random().toString(16).slice(2, 12).padEnd(10, '0');
  return half() + half();
}
