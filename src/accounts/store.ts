import path from 'node:path';
import type { Env } from '../context.ts';
import { Failure, systemCode, usage } from '../errors.ts';
import { isNumber, isText, mapOf, orNull, parseObject, shape } from '../json/shape.ts';
import { parseAddress, parseNamespace } from '../service/address.ts';
import { type CreditBound, formatBounds, parseBounds } from '../service/budget.ts';
import type { Service } from '../service/client.ts';
import { expectedOneOf } from '../text/nearest.ts';
import { createOwnFolder, homeFolder, isOwn, openOwnFolder } from './home.ts';
import { parseKey } from './key.ts';

/** A stored account. The key belongs to the origin of `baseUrl` and is sent to no other. */
export interface Profile extends Service {
  readonly maxCredits: readonly CreditBound[];
}

export const defaultProfile = 'default';

/** Parses a profile name: 1 to 64 characters, none of them a control or formatting character. */
export function parseProfileName(text: string, source: string): string {
  if (text === text.trim() && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(text)) return text;
  throw usage(
    `${source}: not a valid profile name`,
    'expected 1 to 64 characters, without surrounding white space or control characters, e.g. work',
  );
}

export function unknownProfile(name: string, known: Iterable<string>): Failure {
  const names = [...known];
  const hint =
    names.length === 0 ? 'none is stored yet; run: chanlist auth login' : expectedOneOf(name, names);
  return usage(`there is no profile '${name}'`, hint);
}

export interface Store {
  /** The profile used if none is named; null or the name of a stored one. */
  readonly active: string | null;
  readonly profiles: ReadonlyMap<string, Profile>;
}

const storeVersion = 1;

const noAccounts: Store = { active: null, profiles: new Map() };

/** The config folder of other platforms than Linux: its place in the home folder, and the variable that names it. */
const configFolders: Partial<Record<NodeJS.Platform, readonly [inHome: string, variable?: string]>> = {
  darwin: ['Library/Preferences'],
  win32: ['AppData/Roaming', 'APPDATA'],
};

/** The file that `conf` chooses for a project of this name; null if no home folder is known. */
export function storeFile(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const { join, resolve } = platform === 'win32' ? path.win32 : path.posix;
  const [inHome, variable = ''] = configFolders[platform] ?? ['.config', 'XDG_CONFIG_HOME'];
  const configFolder = env[variable];
  const home = configFolder ? null : homeFolder(env, platform);
  const folder = configFolder || (home && join(home, inHome));
  if (!folder) return null;
  return resolve(folder, 'chanlist', platform === 'win32' ? 'Config' : '', 'config.json');
}

/**
 * Reads the stored accounts, directly: loading `conf` takes 30 ms. No accounts if there is no store yet; nothing is
 * changed. Throws `failed` for a store that is damaged or unreadable, and a usage error for one of a newer version and
 * for a file or folder that is refused. `isOptional`: one that belongs to another user counts as empty.
 */
export function readStore(env: Env, isOptional = false): Store {
  const file = storeFile(env);
  if (file === null) return noAccounts;
  const text = readStoreText(file, env, isOptional);
  return text === null ? noAccounts : parseStore(text, file);
}

function readStoreText(file: string, env: Env, isOptional: boolean): string | null {
  try {
    using folder = openOwnFolder(path.dirname(file), env);
    return folder?.read(path.basename(file))?.toString() ?? null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isOptional && !isOwn(path.dirname(file))) return null;
    const instead = 'or set XDG_CONFIG_HOME to another folder, or CHANLIST_API_KEY and CHANLIST_BASE_URL';
    throw error.with({ hint: [error.hint, instead].filter(Boolean).join('; ') });
  }
}

/**
 * Changes the stored accounts: reads them, applies `change`, and has `conf` replace the file atomically with mode 0600.
 * Returns the new accounts. Throws as `readStore` and `change`, and `failed` for a store that cannot be written, which
 * is then unchanged.
 */
export async function updateStore(env: Env, change: (store: Store) => Store): Promise<Store> {
  const file = storeFile(env);
  if (file === null)
    throw new Failure('failed', 'no folder to store accounts in: this user has no home folder', {
      hint: 'set HOME or XDG_CONFIG_HOME, or use CHANLIST_API_KEY and CHANLIST_BASE_URL',
    });
  const store = change(readStore(env));
  try {
    createOwnFolder(path.dirname(file), env).close();
    const { default: Conf } = await import('conf');
    // With this variable (it also reaches programs that a snap package starts) conf would write in place.
    delete process.env.SNAP;
    const conf = new Conf({
      cwd: path.dirname(file),
      configFileMode: 0o600,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
    });
    conf.store = storedForm(store);
  } catch (error) {
    if (error instanceof Failure) throw error;
    // Without its cause, whose message may show the text of the store.
    const problem = `${file} cannot be written (${systemCode(error) ?? 'unknown error'})`;
    const hint = 'make it writable, or set XDG_CONFIG_HOME to a folder that is';
    throw new Failure('failed', problem, { hint });
  }
  return store;
}

const isStored = shape({
  active: orNull(isText),
  profiles: mapOf(
    shape({
      baseUrl: isText,
      namespace: isText,
      key: isText,
      // A bound that cannot be read must not be dropped: it protects money.
      max_credits: (value): value is string | undefined => value === undefined || isText(value),
    }),
  ),
});

/** Parses the text of a store. No error shows the text or has it as its cause: it contains keys. */
function parseStore(text: string, file: string): Store {
  const data = parseObject(text);
  if (isNumber(data?.version) && Number.isInteger(data.version) && data.version > storeVersion)
    throw usage(`a newer chanlist wrote ${file}`, 'it is not changed; update chanlist');
  if (data?.version !== storeVersion || !isStored(data))
    throw damaged(file, 'it does not contain stored accounts');
  const profiles = new Map<string, Profile>();
  for (const [name, stored] of Object.entries(data.profiles)) {
    try {
      profiles.set(name, {
        baseUrl: parseAddress(stored.baseUrl, '').baseUrl,
        namespace: parseNamespace(stored.namespace, ''),
        key: parseKey(stored.key, ''),
        maxCredits: stored.max_credits === undefined ? [] : parseBounds(stored.max_credits, ''),
      });
    } catch {
      throw damaged(file, `profile '${name}' has an invalid address, namespace, key or bound`);
    }
  }
  const { active } = data;
  return { active: active !== null && profiles.has(active) ? active : null, profiles };
}

function storedForm({ active, profiles }: Store): Record<string, unknown> {
  const stored = [...profiles].map(([name, { baseUrl, namespace, key, maxCredits }]) => {
    const bound = maxCredits.length > 0 && { max_credits: formatBounds(maxCredits) };
    return [name, { baseUrl: baseUrl.href, namespace, key, ...bound }];
  });
  return { version: storeVersion, active, profiles: Object.fromEntries(stored) };
}

function damaged(file: string, what: string): Failure {
  return new Failure('failed', `the stored accounts in ${file} are damaged: ${what}`, {
    hint: 'the file is not changed; fix it, or move it away and run: chanlist auth login',
  });
}
