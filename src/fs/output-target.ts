import * as fs from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep, win32 } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { ignoreErrors, isFolder, withFileErrors } from './files.ts';

/** A file by its path: the file of `-o`, `--summary` or `--seen`, or an archive that `check` reads. */
export interface Target {
  /** As the user gave it, for messages. */
  readonly path: string;
  /** The path without symbolic links. */
  readonly real: string;
  /** Null if `real` does not exist. */
  readonly stats: fs.Stats | null;
}

/** Follows the links of an output path. Throws usage errors for anything but a regular file in an existing folder. */
export function resolveTarget(named: string): Target {
  // In a printed command, the path must not look like a flag.
  const path = named.startsWith('-') ? `./${named}` : named;
  return withFileErrors(path, 'usage', () => {
    if (path === '' || path.endsWith('/') || path.endsWith(sep)) throw notRegular(path, 'a folder');
    assertPossibleNames(path);
    if (/^\/(?:dev\/(?:std|fd\/)|proc\/)/.test(resolve(path))) throw notRegular(path, 'a device');
    const real = realPath(path);
    const stats = fs.lstatSync(real, { throwIfNoEntry: false }) ?? null;
    if (stats !== null && !stats.isFile()) throw notRegular(path, fileKind(stats));
    if (!isFolder(dirname(real)))
      throw usage(`${path}: ${dirname(path)} is not a folder`, 'choose another location');
    return { path, real, stats };
  });
}

/** Whether a file is empty or contains only a byte order mark. */
export const isEmpty = ({ path, real, stats }: Target): boolean =>
  stats?.isFile() === true &&
  (stats.size === 0 ||
    (stats.size === 3 && withFileErrors(path, 'usage', () => fs.readFileSync(real, 'utf8') === '\ufeff')));

/** Names that Windows does not allow, by the reason. */
const impossibleNames: Readonly<Record<string, RegExp>> = {
  'it contains': /[<>:"|?*]|\p{Cc}/u,
  'it is the device': /^(?:con|prn|aux|nul|(?:com|lpt)[\d\u00b9\u00b2\u00b3]|con(?:in|out)\$)(?= *(?:\.|$))/i,
  'it ends with': /[. ]$/,
};

/** Throws a usage error for a path with a name that the platform does not allow. */
export function assertPossibleNames(path: string, platform = process.platform): void {
  const names = platform === 'win32' ? path.slice(win32.parse(path).root.length).split(/[\\/]/) : [];
  for (const name of names.filter((name) => name !== '.' && name !== '..'))
    for (const [why, pattern] of Object.entries(impossibleNames)) {
      const found = pattern.exec(name);
      const message = `'${name}' cannot be the name of a file: ${why} ${JSON.stringify(found?.[0])}`;
      if (found !== null) throw usage(message, 'choose another name');
    }
}

/** Resolves the symbolic links of a path, including dangling ones. Throws system errors, such as for a loop. */
function realPath(path: string): string {
  // Only the native function resolves `..` after a linked folder to the real parent.
  const { native } = fs.realpathSync;
  if (fs.existsSync(path)) return native(path);
  const folder = native(dirname(path));
  const link = ignoreErrors(['EINVAL', 'ENOENT'], () => fs.readlinkSync(path));
  if (link === undefined) return join(folder, basename(path));
  // Throws for a loop.
  fs.statSync(path, { throwIfNoEntry: false });
  return realPath(isAbsolute(link) ? link : `${folder}/${link}`);
}

export interface NamedFile {
  readonly flag: string;
  readonly path: string;
  readonly kind: 'input' | 'output' | 'key';
}

/**
 * Throws a usage error if two paths lead to the same file, even through links, unless both are inputs; and for an output in a
 * private folder. An input `-` is stdin.
 */
export function assertDistinctPaths(files: readonly NamedFile[]): void {
  const isInput = ({ kind }: NamedFile): boolean => kind === 'input';
  const others = new Map<string, string>();
  for (const { flag, path, kind } of [...files.filter((file) => !isInput(file)), ...files.filter(isInput)]) {
    const { real, stats } = resolveIfPossible(path === '-' && kind === 'input' ? '/dev/stdin' : path);
    if (kind === 'output' && /(?:^|[\\/])\.chanlist(?:[\\/]|$)/.test(real))
      throw usage(`${flag} ${path} is in chanlist's own folder`, 'choose another location');
    const key = stats === null ? real : `${stats.dev}:${stats.ino}`;
    const other = others.get(key);
    if (other !== undefined)
      throw usage(`${flag} ${path} and ${other} are the same file`, 'choose another file name');
    if (kind !== 'input') others.set(key, `${flag} ${path}`);
  }
}

/** Returns the file that a path leads to. A path that cannot be resolved is returned unchanged: using it reports the error. */
export function resolveIfPossible(path: string): Pick<Target, 'real' | 'stats'> {
  try {
    return { real: realPath(path), stats: fs.statSync(path, { throwIfNoEntry: false }) ?? null };
  } catch {
    return { real: path, stats: null };
  }
}

export function fileKind(stats: fs.Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a regular file' : 'a device';
}

const notRegular = (path: string, what: string): Failure =>
  usage(
    `'${path}' is ${what}, not a regular file`,
    what === 'a folder' ? 'give a file' : 'give a file, or write to stdout and redirect it',
  );
