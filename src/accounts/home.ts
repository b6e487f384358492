import { mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Env } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { ignoreErrors, makeFolders } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';

/** The home folder from the environment, else from the system. */
export function homeFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const folder = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (folder) return folder;
  try {
    return userInfo().homedir;
  } catch {
    // The user has no entry in the user database, as in many containers, which have this home.
    return '/';
  }
}

/** Opens the folder of the store or of the ledgers; creates it and those above it (0700). `variable` would move it. */
export function openOwnFolder(path: string, variable: string): PrivateFolder {
  try {
    makeFolders(dirname(path), 0o700);
    ignoreErrors(['EEXIST'], () => mkdirSync(path, 0o700));
  } catch (error) {
    throw new Failure('failed', `${path} cannot be created (${systemCode(error)})`, {
      hint: `set ${variable} to a folder that you can write to`,
      cause: error,
    });
  }
  return PrivateFolder.open(path).ensure();
}
