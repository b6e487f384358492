import { realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, sep } from 'node:path';
import { usage } from '../errors.ts';
import { ignoring, makeFolders } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Errors of a path that cannot be followed to its end. */
const notFound = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'];

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
 * Opens the folder of the store or of the ledger (docs/cron.md, "Shared folders and network file systems"); null if it
 * is not there. Throws a usage error for one that is refused.
 */
export function openOwnFolder(path: string, env: Env): PrivateFolder | null {
  try {
    return PrivateFolder.open(path);
  } catch (error) {
    refuseForeignHome(path, env);
    throw error;
  }
}

/** The same; creates it and the folders above it (0700). Throws system errors where these cannot be created. */
export function createOwnFolder(path: string, env: Env): PrivateFolder {
  refuseForeignHome(path, env);
  makeFolders(dirname(path), 0o700);
  return PrivateFolder.openOrCreate(path);
}

/** Throws for a folder below a HOME of another user, also through links (`sudo` may keep HOME): it would be locked out. */
function refuseForeignHome(path: string, { HOME: home }: Env): void {
  const real = home && ignoring(notFound, () => realpathSync(home));
  // In containers HOME is often `/`, which is nobody's home.
  if (!real || real === sep || !`${nearestFolder(path)}${sep}`.startsWith(`${real}${sep}`)) return;
  const { uid } = statSync(real);
  if (uid === (process.geteuid?.() ?? uid)) return;
  throw usage(
    `refusing to use ${path}: the home folder ${home} belongs to user ${uid}`,
    'use sudo -H, or set HOME to your own home folder',
  );
}

/** The real path of the nearest folder above a path that is there. */
function nearestFolder(path: string): string {
  return ignoring(notFound, () => realpathSync(path)) ?? nearestFolder(dirname(path));
}
