import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { parseBaseUrl, parseNamespace } from '../api/address.ts';
import { Failure, systemCode } from '../errors.ts';
import { parseKey } from './key.ts';
import { type Profile, parseProfileName } from './profile.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The stored accounts. */
export interface Store {
  /** The profile used when none is named; null or the name of a stored one. */
  readonly active: string | null;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The version of the file's shape that this program reads and writes. */
export const storeVersion = 1;
/** What `conf` is told and its path is computed from. */
export const projectName = 'chanlist';

const emptyStore: Store = { active: null, profiles: new Map() };

/**
 * The store's file, absolute: the one that `conf` would choose. It is computed here because `new Conf()` costs
 * 30 ms. Null where no home folder is known.
 */
export function storeFile(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const { join, resolve } = platform === 'win32' ? path.win32 : path.posix;
  const folder = (inside: readonly string[], own: string | undefined): string | null => {
    if (own) return own;
    const home = homeFolder(env, platform);
    return home === null ? null : join(home, ...inside);
  };
  const config =
    platform === 'darwin'
      ? folder(['Library', 'Preferences'], undefined)
      : platform === 'win32'
        ? folder(['AppData', 'Roaming'], env.APPDATA)
        : folder(['.config'], env.XDG_CONFIG_HOME);
  if (config === null) return null;
  const own = join(config, projectName, ...(platform === 'win32' ? ['Config'] : []));
  return resolve(own, 'config.json');
}

/** The home folder: as the environment names it, else as the system knows it; null if neither does. */
export function homeFolder(env: Env, platform: NodeJS.Platform): string | null {
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (named) return named;
  try {
    return userInfo().homedir || null;
  } catch {
    // A user without an entry in the system's list, as in many containers.
    return null;
  }
}

/**
 * The stored accounts; none where there is no store yet. Read without `conf`, and never changed. Throws
 * `failed` for a store that is damaged, of a newer version or unreadable.
 */
export function readStore(env: Env): Store {
  const file = storeFile(env);
  if (file === null) return emptyStore;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return emptyStore;
    throw new Failure('failed', `cannot read the stored accounts in ${file} (${code ?? 'unknown error'})`, {
      hint: 'make it a file that you can read',
    });
  }
  return parseStore(text, file);
}

/** What the text of a store holds. No error shows any of the text, nor has it as its cause: it holds keys. */
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
    throw new Failure('failed', `the stored accounts in ${file} were written by a newer chanlist`, {
      hint: 'it is left as it is; update chanlist',
    });
  }
  if (version !== storeVersion) throw damaged(file, 'its version is missing or wrong');
  if (active !== null && typeof active !== 'string') throw damaged(file, "'active' is not a name");
  if (!isObject(profiles)) throw damaged(file, "'profiles' is not an object");
  const read = new Map<string, Profile>();
  for (const [name, profile] of Object.entries(profiles)) read.set(name, parseProfile(name, profile, file));
  return { active: active !== null && read.has(active) ? active : null, profiles: read };
}

function parseProfile(name: string, data: unknown, file: string): Profile {
  const { baseUrl, namespace, key } = isObject(data) ? data : {};
  if (typeof baseUrl !== 'string' || typeof namespace !== 'string' || typeof key !== 'string')
    throw damaged(file, `profile '${name}' is not complete`);
  try {
    parseProfileName(name, '');
    return {
      baseUrl: parseBaseUrl(baseUrl, ''),
      namespace: parseNamespace(namespace, ''),
      key: parseKey(key, ''),
    };
  } catch {
    throw damaged(file, `profile '${name}' holds an address, path word or key that is none`);
  }
}

function damaged(file: string, what: string): Failure {
  return new Failure('failed', `the stored accounts in ${file} are damaged: ${what}`, {
    hint: 'it is left as it is; fix it, or move it away and run: chanlist auth login',
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
