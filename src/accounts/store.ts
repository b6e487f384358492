import { closeSync, constants, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import { openOwnedSync } from '../fs/owned.ts';
import { isObject } from '../json/shape.ts';
import { parseBaseUrl, parseNamespace } from '../service/address.ts';
import { formatBounds, parseBounds } from './bounds.ts';
import { foreignHome } from './foreign-home.ts';
import { parseKey } from './key.ts';
import { type Profile, parseProfileName } from './profile.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The stored accounts. */
export interface Store {
  /** The profile used if none is named; null or the name of a stored one. */
  readonly active: string | null;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The version of the file format that this program reads and writes. */
const storeVersion = 1;

const emptyStore: Store = { active: null, profiles: new Map() };

/** The config folder of other platforms than Linux: its place in the home folder, and the variable that names it. */
const configFolders: Partial<Record<NodeJS.Platform, readonly [inHome: string, variable?: string]>> = {
  darwin: ['Library/Preferences'],
  win32: ['AppData/Roaming', 'APPDATA'],
};

/**
 * The absolute path of the store: the file that `conf` chooses for a project of this name, where version 0.1.0 put
 * it. Null if no home folder is known.
 */
export function storeFile(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const { join, resolve } = platform === 'win32' ? path.win32 : path.posix;
  const [inHome, variable = ''] = configFolders[platform] ?? ['.config', 'XDG_CONFIG_HOME'];
  const home = homeFolder(env, platform);
  const folder = env[variable] || (home && join(home, inHome));
  if (folder === null) return null;
  return resolve(folder, 'chanlist', platform === 'win32' ? 'Config' : '', 'config.json');
}

/** The home folder from the environment, else from the system; null if unknown. */
export function homeFolder(env: Env, platform: NodeJS.Platform): string | null {
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (named) return named;
  try {
    return userInfo().homedir || null;
  } catch {
    // The user has no entry in the user database, as in many containers.
    return null;
  }
}

/**
 * Reads the stored accounts; no accounts if there is no store yet. Nothing is changed. Throws `failed` for a store
 * that is damaged or unreadable, and a usage error for one of a newer version and for a file that another user may
 * have put there.
 */
export function readStore(env: Env): Store {
  const file = storeFile(env);
  const text = file === null ? null : readOwnFile(file, env);
  return file === null || text === null ? emptyStore : parseStore(text, file);
}

/**
 * The text of a file that belongs to this user alone; null if it does not exist. Links are not followed, and nothing is
 * created in another user's home folder.
 */
function readOwnFile(file: string, env: Env): string | null {
  let fd: number | null = null;
  try {
    fd = openOwnedSync(file, constants.O_RDONLY, () => foreignHome(file, env) === null);
    return readFileSync(fd, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error instanceof Failure
      ? error.with({
          hint: 'make it your own file that others cannot write, use sudo -H, or set XDG_CONFIG_HOME',
        })
      : new Failure('failed', `cannot read the stored accounts in ${file} (${code ?? 'unknown error'})`, {
          hint: 'make it a file that you can read',
        });
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Parses the text of a store. No error shows the text or has it as its cause: it holds keys. */
function parseStore(text: string, file: string): Store {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw damaged(file, 'it is not JSON');
  }
  if (!isObject(data)) throw damaged(file, 'it is not an object');
  const { version, active, profiles } = data;
  if (typeof version === 'number' && Number.isInteger(version) && version > storeVersion) {
    throw usage(
      `the stored accounts in ${file} were written by a newer chanlist`,
      'the file is left as it is; update chanlist',
    );
  }
  if (version !== storeVersion) throw damaged(file, 'its version is missing or wrong');
  if (active !== null && typeof active !== 'string') throw damaged(file, "'active' is not a name");
  if (!isObject(profiles)) throw damaged(file, "'profiles' is not an object");
  const read = new Map<string, Profile>();
  for (const [name, profile] of Object.entries(profiles)) read.set(name, parseProfile(name, profile, file));
  return { active: active !== null && read.has(active) ? active : null, profiles: read };
}

function parseProfile(name: string, data: unknown, file: string): Profile {
  const { baseUrl, namespace, key, max_credits: maxCredits, verified } = isObject(data) ? data : {};
  if (typeof baseUrl !== 'string' || typeof namespace !== 'string' || typeof key !== 'string')
    throw damaged(file, `profile '${name}' is not complete`);
  // A bound that cannot be read must not be dropped: it protects money.
  if (maxCredits !== undefined && typeof maxCredits !== 'string')
    throw damaged(file, `'max_credits' of profile '${name}' is not a string`);
  try {
    parseProfileName(name, '');
    return {
      baseUrl: parseBaseUrl(baseUrl, ''),
      namespace: parseNamespace(namespace, ''),
      key: parseKey(key, ''),
      maxCredits: maxCredits === undefined ? [] : parseBounds(maxCredits, ''),
      verified: verified === true,
    };
  } catch {
    throw damaged(file, `profile '${name}' holds an invalid address, namespace, key or bound`);
  }
}

/** The text of a store, as `conf` formats it. */
export function storeText({ active, profiles }: Store): string {
  const stored = [...profiles].map(([name, { baseUrl, namespace, key, maxCredits, verified }]) => [
    name,
    {
      baseUrl: baseUrl.href,
      namespace,
      key,
      ...(maxCredits.length > 0 && { max_credits: formatBounds(maxCredits) }),
      ...(verified && { verified }),
    },
  ]);
  return JSON.stringify({ version: storeVersion, active, profiles: Object.fromEntries(stored) }, null, '\t');
}

function damaged(file: string, what: string): Failure {
  return new Failure('failed', `the stored accounts in ${file} are damaged: ${what}`, {
    hint: 'the file is left as it is; fix it, or move it away and run: chanlist auth login',
  });
}
