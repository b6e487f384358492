import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { shellQuote } from '../text/sanitize.ts';
import { createTemporary, withDescriptor } from './files.ts';

export interface FolderUse {
  /** Only to read records (`check`): the folder may belong to any user, and nothing is created. */
  readonly readOnly?: boolean;
  /** It is below a HOME: root repairs it, and does not run as its owner. */
  readonly inHome?: boolean;
}

const writeByOthers = 0o022;
/** In such a folder, only the owner of a file can rename or remove it. */
export const sticky = 0o1000;

/**
 * Throws a refusal, which names the command that repairs it, unless this is a folder of the effective user that nobody
 * else can write, or shows exactly the owner and mode that a folder just created beside it shows (mounts that show
 * everything as 0777). `stats` must not be those of a link's target.
 */
export function assertTrustedFolder(path: string, stats: fs.Stats, { readOnly, inHome }: FolderUse): void {
  if (!stats.isDirectory()) throw wrongKind(path, stats);
  const user = process.geteuid?.();
  if (user === undefined) return;
  const isForeign = stats.uid !== user && !readOnly;
  if (!isForeign && (stats.mode & writeByOthers) === 0) return;
  const parent = dirname(path);
  const created = readOnly ? null : newFolderIn(parent);
  if (created?.uid === stats.uid && created.mode === stats.mode) return;
  if (!isForeign) throw writableByOthers(path, stats, shellQuote(path));
  if ((fs.statSync(parent).mode & sticky) !== 0) throw foreignOwner(path, stats, 'use another folder');
  if (user !== 0 || inHome) throw foreignOwner(path, stats, chown(path, user));
  throw foreignOwner(path, stats, `run it as that user: sudo -u ${userName(stats.uid, '#')} chanlist …`);
}

/**
 * Throws a refusal for a file in a trusted folder, unless it is a regular file of the folder's owner that no more users
 * can write than the folder, and, to be written, without a second name, which could be any file of this user.
 */
export function assertTrustedFile(path: string, stats: fs.Stats, folder: fs.Stats, isWritten: boolean): void {
  const parent = dirname(path);
  if (!stats.isFile()) throw wrongKind(path, stats);
  if (stats.uid !== folder.uid) throw foreignOwner(path, stats, chown(parent, folder.uid));
  if ((stats.mode & ~folder.mode & writeByOthers) !== 0)
    throw writableByOthers(path, stats, `${shellQuote(parent)}/*`);
  if (!isWritten || stats.nlink === 1) return;
  const [name, copy] = [path, `${path}.new`].map(shellQuote);
  throw refusal(
    path,
    stats,
    'it has another name (a hard link)',
    `${ifTrusted} cp -p ${name} ${copy} && mv ${copy} ${name}`,
  );
}

export function kindOf(stats: fs.Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a regular file' : 'a device';
}

/** Owner and mode that a folder just created in another one shows; null if none can be created. */
function newFolderIn(parent: string): Pick<fs.Stats, 'uid' | 'mode'> | null {
  try {
    const [name, fd] = createTemporary(parent);
    const path = join(parent, name);
    // Another user could exchange a folder, but not an open file.
    const { uid } = withDescriptor(fd, () => fs.unlinkSync(path) ?? fs.fstatSync(fd));
    fs.mkdirSync(path, 0o700);
    const { mode } = fs.lstatSync(path);
    fs.rmdirSync(path);
    return { uid, mode };
  } catch {
    return null;
  }
}

const ifTrusted = 'if you trust its content:';

const chown = (path: string, user: number): string =>
  `${ifTrusted} sudo chown -R ${userName(user)} ${shellQuote(path)}`;

const foreignOwner = (path: string, stats: fs.Stats, hint: string): Failure =>
  refusal(path, stats, 'it belongs to another user', hint);

const writableByOthers = (path: string, stats: fs.Stats, names: string): Failure =>
  refusal(path, stats, 'other users can write to it', `${ifTrusted} chmod go-w ${names}`);

function wrongKind(path: string, stats: fs.Stats): Failure {
  const [name, away] = [path, `${path}.old`].map(shellQuote);
  return refusal(path, stats, `it is ${kindOf(stats)}`, `move it away: mv ${name} ${away}`);
}

/** The failure for something that is not used, and left unchanged. */
function refusal(path: string, { uid, mode }: fs.Stats, why: string, hint: string): Failure {
  const bits = (mode & 0o777).toString(8).padStart(4, '0');
  return usage(`refusing to use ${path}: ${why} (owner ${uid}, mode ${bits})`, hint);
}

/** The name of a user for a command; the number, behind a prefix, if it is unknown. */
function userName(uid: number, prefix = ''): string {
  try {
    const users = fs.readFileSync('/etc/passwd', 'utf8');
    const name = new RegExp(`^([a-z_][\\w.-]*):[^:]*:${uid}:`, 'im').exec(users)?.[1];
    if (name !== undefined) return name;
  } catch {}
  return shellQuote(`${prefix}${uid}`);
}
