import { promises as fs, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { systemCode, usage } from '../errors.ts';
import { guarded } from './file-errors.ts';

/** Where an export goes. */
export interface Target {
  /** As the user gave it: for messages. */
  readonly path: string;
  /** The file that is replaced: behind all symbolic links. Its `.part`, `.part.json` and `.lock` stand beside it. */
  readonly real: string;
  /** Permission bits of the existing file; null for a new one. */
  readonly mode: number | null;
  readonly exists: boolean;
}

/** Symbolic links followed, at the most: as many as Linux follows. */
const mostLinks = 40;

/**
 * Finds out what `-o` points to. A symbolic link is followed, also a dangling one. Throws usage errors for what
 * exists and is no regular file, for a loop of links, a missing folder and a file that may not be replaced.
 */
export async function resolveTarget(path: string): Promise<Target> {
  if (path === '' || path.includes('\0')) throw usage('a file name is empty or has a NUL character in it');
  if (path.endsWith('/')) throw notRegular(path, 'names a folder');
  return await guarded(path, 'opening', async () => {
    let at = path;
    for (let links = 0; links <= mostLinks; links++) {
      const folder = await fs.realpath(dirname(at));
      const real = join(folder, basename(at));
      const stats = await lstat(real);
      if (stats === null) return { path, real, mode: null, exists: false };
      if (!stats.isSymbolicLink()) {
        if (!stats.isFile()) throw notRegular(path, `is ${kindOf(stats)}`);
        await checkReplaceable(path, folder, stats);
        return { path, real, mode: stats.mode & 0o7777, exists: true };
      }
      // Joined as text: `..` behind a linked folder means that folder's real parent.
      const link = await fs.readlink(real);
      at = isAbsolute(link) ? link : `${folder}/${link}`;
      if (at.endsWith('/')) throw notRegular(path, 'names a folder');
    }
    throw usage(`${path}: its symbolic links go round in a circle`, 'name a file');
  });
}

async function lstat(path: string): Promise<Stats | null> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function notRegular(path: string, what: string): Error {
  return usage(`${path} ${what}, not a regular file`, 'name a file');
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** In a sticky folder (such as /tmp) nobody but its owner may replace a file: found before anything is paid. */
async function checkReplaceable(path: string, folder: string, stats: Stats): Promise<void> {
  const user = process.geteuid?.() ?? 0;
  if (user === 0 || user === stats.uid) return;
  const around = await fs.stat(folder);
  if ((around.mode & 0o1000) !== 0 && around.uid !== user) {
    throw usage(
      `${path} belongs to another user, and in this folder only its owner may replace it`,
      'choose another place',
    );
  }
}

/** Throws a usage error where `--summary` would overwrite the output, or what stands beside it meanwhile. */
export async function checkApart(summary: string, output: string): Promise<void> {
  const [one, other] = await Promise.all([resolveTarget(summary), resolveTarget(output)]);
  const taken = ['', '.part', '.part.json', '.part.json.tmp', '.lock'].map((end) => other.real + end);
  if (taken.includes(one.real)) {
    throw usage(`--summary ${summary} and --output ${output} exclude each other`, 'name another file');
  }
}
