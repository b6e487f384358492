import { realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { effectiveUser, ownerName } from '../fs/owned.ts';

/**
 * The home folder and its owner if a path is below a HOME of another user (`sudo` may keep HOME): nothing may be
 * created there, or that user is locked out of it. Null otherwise.
 */
export function foreignHome(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): { home: string; owner: string } | null {
  if (!env.HOME) return null;
  try {
    const home = realpathSync(env.HOME);
    const { uid } = statSync(home);
    // In containers HOME is often `/`, which is nobody's home.
    if (uid === effectiveUser(uid) || home === sep) return null;
    const below = `${existingFolder(path)}${sep}`.startsWith(`${home}${sep}`);
    return below ? { home, owner: ownerName(uid) } : null;
  } catch {
    return null;
  }
}

/** The real path of the nearest folder above a path that exists. */
function existingFolder(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      return realpathSync(folder);
    } catch (error) {
      if (folder === dirname(folder)) throw error;
    }
  }
}
