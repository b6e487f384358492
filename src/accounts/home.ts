import { lstatSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, sep } from 'node:path';
import type { Env } from '../context.ts';
import { usage } from '../errors.ts';
import { ignoreErrors, isRoot, makeFolders } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';

const notFound = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'];

/** The home folder from the environment, if that is an absolute path, else from the system; null if unknown. */
export function homeFolder(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const folder = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (folder && (platform === 'win32' || isAbsolute(folder))) return folder;
  try {
    return userInfo().homedir || null;
  } catch {
    // The user has no entry in the user database, as in many containers.
    return null;
  }
}

/**
 * Opens the folder of the store or of the ledger (docs/cron.md, "Shared folders and network file systems"); null if it
 * is not there. Throws a usage error for one that is refused.
 */
export function openOwnFolder(path: string, env: Env): PrivateFolder | null {
  try {
    return PrivateFolder.open(path, { inHome: true });
  } catch (error) {
    assertOwnHome(path, env);
    throw error;
  }
}

/** The same; creates it and the folders above it (0700). Throws system errors where these cannot be created. */
export function createOwnFolder(path: string, env: Env): PrivateFolder {
  assertOwnHome(path, env);
  makeFolders(dirname(path), 0o700);
  return PrivateFolder.openOrCreate(path, { inHome: true });
}

/** Whether a path can be reached and belongs to the effective user. */
export function isOwn(path: string): boolean {
  const uid = ignoreErrors(notFound, () => lstatSync(path).uid);
  return uid !== undefined && uid === (process.geteuid?.() ?? uid);
}

/** Throws for a folder below a HOME of another user, also through links: `sudo` may keep HOME. */
function assertOwnHome(path: string, { HOME: home }: Env): void {
  const real = home && ignoreErrors(notFound, () => realpathSync(home));
  // In containers HOME is often `/`, which is nobody's home.
  if (!real || real === sep || isOwn(real)) return;
  if (!`${nearestFolder(path)}${sep}`.startsWith(`${real}${sep}`)) return;
  throw usage(
    `refusing to use ${path}: the home folder ${home} belongs to user ${lstatSync(real).uid}`,
    'use sudo -H, or set HOME to your own home folder',
  );
}

/** The real path of the nearest folder above a path that is there. */
function nearestFolder(path: string): string {
  const real = ignoreErrors(notFound, () => realpathSync(path));
  return real ?? (isRoot(path) ? path : nearestFolder(dirname(path)));
}
