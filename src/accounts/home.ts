import { lstatSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, sep } from 'node:path';
import { usage } from '../errors.ts';
import { guardFile } from '../fs/file-error.ts';
import { ignoring, makeFolders } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The home folder from the environment, if that is an absolute path, else from the system; null if unknown. */
export function homeFolder(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (named && (platform === 'win32' || isAbsolute(named))) return named;
  try {
    return userInfo().homedir || null;
  } catch {
    // The user has no entry in the user database, as in many containers.
    return null;
  }
}

/**
 * Opens a folder of the program's own outside any export: that of the store or of the ledger (docs/cron.md,
 * "Shared folders and network file systems"). `create`: with the folders above it (0700); else null if it is not there.
 * Throws usage errors for a folder that is refused and for one below a HOME of another user (`sudo` may keep HOME), who
 * would be locked out; system errors where the folders above it cannot be created.
 */
export function openOwnFolder(path: string, env: Env, create: true): PrivateFolder;
export function openOwnFolder(path: string, env: Env, create: boolean): PrivateFolder | null;
export function openOwnFolder(path: string, env: Env, create: boolean): PrivateFolder | null {
  const isThere = guardFile(
    path,
    'write',
    () => ignoring(['ENOENT', 'ENOTDIR'], () => lstatSync(path)) !== undefined,
  );
  if (!isThere && !create) return null;
  const owner = ownerOfForeignHome(path, env);
  if (owner !== null)
    throw usage(
      `refusing to use ${path}: the home folder ${env.HOME} belongs to user ${owner}`,
      'use sudo -H, or set HOME to your own home folder',
    );
  if (!isThere) makeFolders(dirname(path), 0o700);
  return create ? PrivateFolder.open(path, { create }) : PrivateFolder.open(path);
}

/** The owner of HOME if that is another user, and the path is below it, also through links; else null. */
function ownerOfForeignHome(path: string, { HOME: home }: Env): number | null {
  if (!home) return null;
  try {
    const real = realpathSync(home);
    const { uid } = statSync(real);
    // In containers HOME is often `/`, which is nobody's home.
    if (uid === (process.geteuid?.() ?? uid) || real === sep) return null;
    return `${nearestFolder(path)}${sep}`.startsWith(`${real}${sep}`) ? uid : null;
  } catch {
    return null;
  }
}

/** The real path of the nearest folder above a path that is there. */
function nearestFolder(path: string): string {
  return ignoring(['ENOENT'], () => realpathSync(path)) ?? nearestFolder(dirname(path));
}
