import { mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { Env } from '../context.ts';
import { Failure, systemCode, usage } from '../errors.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { ignoreErrors, makeFolders } from '../fs/files.ts';
import { PrivateFolder } from '../fs/private-folder.ts';
import { isOneOf, isString, mapOf, objectOf, orNull, parseObject } from '../json/shape.ts';
import { parseAddress, parseNamespace } from '../service/address.ts';
import { type CreditBound, formatBounds, parseBounds } from '../service/budget.ts';
import type { Service } from '../service/client.ts';
import type { Command } from '../text/command.ts';
import { expectedOneOf } from '../text/nearest.ts';
import { parseKey } from './key.ts';

/** A stored account. The key belongs to the origin of `baseUrl` and is sent to no other. */
export interface Profile extends Service {
  readonly maxCredits: readonly CreditBound[];
}

/** Returns the command that stores the key of a profile. */
export const loginCommand = (profile: string, purpose: string): Command => ({
  purpose,
  program: 'chanlist auth login',
  flags: [{ name: '--profile', value: profile }],
});

/** `place` says where the profile is named (`CHANLIST_PROFILE: `); it is '' for an argument or a flag. */
export function unknownProfile(name: string, known: Iterable<string>, place = ''): Failure {
  const names = [...known];
  const step = names.length === 0 ? loginCommand(name, 'store it with') : expectedOneOf(name, names);
  return usage(`${place}there is no profile '${name}'`, step);
}

export interface Store {
  /** The stored profile that is used if none is named, or null. */
  readonly active: string | null;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** Returns the home folder: from the environment, otherwise from the system. */
export function homeFolder(env: Env, platform = process.platform): string {
  try {
    return (platform === 'win32' ? env.USERPROFILE : env.HOME) || userInfo().homedir;
  } catch {
    // The user is not in the user database, as in many containers, where this is the home folder.
    return '/';
  }
}

/** Opens the folder of the store or of the ledgers; creates missing folders (0700). `variable` is the variable that relocates it. */
export function openOwnFolder(folder: string, variable: string): PrivateFolder {
  try {
    makeFolders(path.dirname(folder), 0o700);
    ignoreErrors(['EEXIST'], () => mkdirSync(folder, 0o700));
  } catch (error) {
    throw new Failure('failed', `${folder} cannot be created (${systemCode(error)})`, {
      step: `give this user access to ${path.dirname(folder)}, or set ${variable} to another folder`,
      cause: error,
    });
  }
  return PrivateFolder.open(folder).ensure();
}

function configFolder(platform: NodeJS.Platform): readonly [inHome: string, variable: string] {
  if (platform === 'darwin') return ['Library/Preferences', 'HOME'];
  return platform === 'win32' ? ['AppData/Roaming', 'APPDATA'] : ['.config', 'XDG_CONFIG_HOME'];
}

/** Returns the file that the package `conf` uses for a project of this name. */
export function storeFile(env: Env, platform = process.platform): string {
  const { resolve } = platform === 'win32' ? path.win32 : path.posix;
  const [inHome, variable] = configFolder(platform);
  const folder = (variable !== 'HOME' && env[variable]) || inHome;
  const file = platform === 'win32' ? 'Config/config.json' : 'config.json';
  return resolve(homeFolder(env, platform), folder, 'chanlist', file);
}

/** Reads the stored accounts without `conf`, which takes 30 ms to load. Throws `failed` if the store is damaged. */
export function readStore(env: Env): Store {
  const file = storeFile(env);
  const folder = PrivateFolder.open(path.dirname(file), true);
  const text = folder.read(path.basename(file));
  return text === null ? { active: null, profiles: new Map() } : parseStore(text.toString(), file);
}

/** Hides all stored keys in messages, because messages repeat what was typed, and that may be a key. */
export function redactStoredKeys(env: Env, messages: { addSecret(key: string): void }): void {
  try {
    for (const { key } of readStore(env).profiles.values()) messages.addSecret(key);
  } catch {
    // No key can be read from a damaged store.
  }
}

/** Changes the stored accounts: `conf` replaces the file atomically, with mode 0600. Returns the new accounts. */
export async function updateStore(env: Env, change: (store: Store) => Store): Promise<Store> {
  const file = storeFile(env);
  const folder = openOwnFolder(path.dirname(file), configFolder(process.platform)[1]);
  using _lock = await acquireLock(folder, path.basename(file), file);
  const store = change(readStore(env));
  const { default: Conf } = await import('conf');
  // If SNAP is set, conf does not write atomically. Programs that a snap package starts inherit this variable.
  delete process.env.SNAP;
  try {
    const conf = new Conf({
      cwd: path.dirname(file),
      configFileMode: 0o600,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
    });
    const profiles = [...store.profiles].map(([name, { baseUrl, maxCredits, ...profile }]) => {
      const bound = maxCredits.length > 0 && { max_credits: formatBounds(maxCredits) };
      return [name, { ...profile, baseUrl: baseUrl.href, ...bound }];
    });
    conf.store = { version: 1, active: store.active, profiles: Object.fromEntries(profiles) };
  } catch (error) {
    // The failure has no cause, because the message of the cause may show the text of the store.
    throw new Failure('failed', `${file} cannot be written (${systemCode(error) ?? 'unknown error'})`, {
      step: 'make it writable',
    });
  }
  return store;
}

const isStored = objectOf({
  version: isOneOf(1),
  active: orNull(isString),
  profiles: mapOf(
    objectOf({
      baseUrl: isString,
      namespace: isString,
      key: isString,
      // A bound that cannot be read must not be dropped: it protects money.
      max_credits: (value): value is string | undefined => value === undefined || isString(value),
    }),
  ),
});

/** Parses the store. Its failure neither shows the text nor has a cause, because the text contains keys. */
function parseStore(text: string, file: string): Store {
  try {
    const data = parseObject(text);
    if (!isStored(data)) throw new Error();
    const profiles = new Map<string, Profile>();
    for (const [name, { baseUrl, namespace, key, max_credits }] of Object.entries(data.profiles))
      profiles.set(name, {
        baseUrl: parseAddress(baseUrl, '').baseUrl,
        namespace: parseNamespace(namespace, ''),
        key: parseKey(key, ''),
        maxCredits: max_credits === undefined ? [] : parseBounds(max_credits, `profile '${name}'`),
      });
    const { active } = data;
    return { active: active !== null && profiles.has(active) ? active : null, profiles };
  } catch {
    throw new Failure('failed', `the stored accounts in ${file} are damaged, or of another version`, {
      step: {
        purpose:
          'fix it, or move it away, then store each account again (chanlist auth login) with its bounds',
        program: 'mv',
        operands: [file, `${file}.damaged`],
      },
    });
  }
}
