import { type BaseUrl, parseBaseUrl, parseNamespace } from '../api/address.ts';
import { defaultNamespace } from '../api/contract.ts';
import type { Context } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { parseKey, readKeyFile } from './key.ts';
import { type Profile, parseProfileName, shortList, unknownProfile } from './profile.ts';
import { readStore, storeFile } from './store.ts';

/** The flags that say which service and account are meant. */
export interface ServiceFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly namespace?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly sandbox?: boolean | undefined;
}

/** The service and account of a call. */
export interface ServiceSettings {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  /** Null where there is none that may be sent: see `requireKey`. */
  readonly key: string | null;
  /** Where the key stood: `--key-file FILE`, `CHANLIST_API_KEY`, `profile 'work'`; null without a key. */
  readonly keySource: string | null;
  /** The selected profile; null where none is, or the store was not needed. */
  readonly profile: string | null;
  /** Why there is no key; null where there is one. */
  readonly keyProblem: Failure | null;
}

/** A setting that was given, and where. */
interface Given {
  readonly text: string;
  readonly source: string;
}

/** How someone without an account goes on. */
export const firstSteps =
  'try it without an account: chanlist uploads @demo --sandbox; or store one: chanlist auth login';

/** The settings of a call as far as they are known. */
export interface FoundSettings extends Omit<ServiceSettings, 'baseUrl'> {
  readonly baseUrl: BaseUrl | null;
  /** What to do about a missing address. */
  readonly hint: string;
}

/**
 * The service and account of a call: flag, environment, profile, default, in this order. The store is read only
 * where the first two leave something open or name a profile. Throws usage errors for wrong values, an unknown
 * profile and a missing address; `failed` for a damaged store. A missing key is no error yet: `requireKey`.
 */
export async function resolveService(flags: ServiceFlags, context: Context): Promise<ServiceSettings> {
  const { baseUrl, hint, ...settings } = await findService(flags, context);
  if (baseUrl === null) {
    const file = hint === firstSteps ? storeFile(context.env) : null;
    throw usage(`there is no service address${file === null ? '' : `, and none is stored in ${file}`}`, hint);
  }
  return { ...settings, baseUrl };
}

/** As `resolveService`, but a missing address is no error. */
export async function findService(flags: ServiceFlags, context: Context): Promise<FoundSettings> {
  const { env } = context;
  const address = givenBaseUrl(flags, env);
  const word = givenNamespace(flags, env);
  const own = await givenKey(flags, context);
  const named = givenProfile(flags, env);
  const open = address === undefined || word === undefined || own === undefined;
  const { name, profile, hint } = open || named !== undefined ? storedProfile(named, env) : nothingStored;

  const baseUrl = address ?? profile?.baseUrl ?? null;
  const common = {
    baseUrl,
    namespace: word ?? profile?.namespace ?? defaultNamespace,
    profile: name,
    hint,
  };
  if (own !== undefined) return { ...common, key: own.text, keySource: own.source, keyProblem: null };
  const missing = { ...common, key: null, keySource: null };
  if (name === null || profile === undefined || baseUrl === null)
    return { ...missing, keyProblem: noKey(hint) };
  if (profile.baseUrl.origin !== baseUrl.origin)
    return { ...missing, keyProblem: foreignKey(name, profile, baseUrl) };
  return { ...common, key: profile.key, keySource: `profile '${name}'`, keyProblem: null };
}

/** The key to send. Throws `unauthorized` where there is none for this service. */
export function requireKey(settings: ServiceSettings): string {
  if (settings.key === null) throw settings.keyProblem ?? noKey(firstSteps);
  return settings.key;
}

/** A usage error where `--sandbox` stands beside a flag that says which service or account is meant. */
export function checkSandboxFlags(flags: ServiceFlags): void {
  if (flags.sandbox !== true) return;
  const excluded = [
    ['--profile', flags.profile],
    ['--base-url', flags.baseUrl],
    ['--namespace', flags.namespace],
    ['--key-file', flags.keyFile],
  ] as const;
  for (const [flag, value] of excluded) {
    if (value !== undefined)
      throw usage(`--sandbox and ${flag} exclude each other`, 'the sandbox needs no account: leave one out');
  }
}

type Env = Context['env'];

/** The address from flag or environment. */
export function givenBaseUrl(flags: ServiceFlags, env: Env): BaseUrl | undefined {
  const given = flagOrVariable(flags.baseUrl, '--base-url', env, 'CHANLIST_BASE_URL');
  return given && parseBaseUrl(given.text, given.source);
}

/** The path word from flag or environment. */
export function givenNamespace(flags: ServiceFlags, env: Env): string | undefined {
  const given = flagOrVariable(flags.namespace, '--namespace', env, 'CHANLIST_NAMESPACE');
  return given && parseNamespace(given.text, given.source);
}

/** The profile's name from flag or environment. */
export function givenProfile(flags: ServiceFlags, env: Env): string | undefined {
  const given = flagOrVariable(flags.profile, '--profile', env, 'CHANLIST_PROFILE');
  return given && parseProfileName(given.text, given.source);
}

/** The key from flag or environment, and where it stood. */
async function givenKey(flags: ServiceFlags, { env, stop }: Context): Promise<Given | undefined> {
  const file = flagOrVariable(flags.keyFile, '--key-file', {}, '');
  if (file !== undefined) return keyFromFile(file, stop);
  const key = env.CHANLIST_API_KEY;
  if (key) return { text: parseKey(key, 'CHANLIST_API_KEY'), source: 'CHANLIST_API_KEY' };
  const named = flagOrVariable(undefined, '', env, 'CHANLIST_API_KEY_FILE');
  return named && keyFromFile(named, stop);
}

async function keyFromFile({ text, source }: Given, stop: AbortSignal): Promise<Given> {
  return { text: await readKeyFile(text, source, stop), source: `${source} ${text}` };
}

/** A flag goes before its variable; an empty variable counts as unset, an empty flag does not. */
function flagOrVariable(
  value: string | undefined,
  flag: string,
  env: Env,
  variable: string,
): Given | undefined {
  if (value !== undefined) return { text: value, source: flag };
  const set = env[variable];
  return set ? { text: set, source: variable } : undefined;
}

interface Stored {
  readonly name: string | null;
  readonly profile: Profile | undefined;
  /** What to do where the profile was needed and there is none. */
  readonly hint: string;
}

const nothingStored: Stored = { name: null, profile: undefined, hint: firstSteps };

/** The named profile, which has to exist, or else the active one. */
function storedProfile(named: string | undefined, env: Env): Stored {
  const { active, profiles } = readStore(env);
  if (named !== undefined && !profiles.has(named)) throw unknownProfile(named, profiles.keys());
  const name = named ?? active;
  if (name !== null) return { name, profile: profiles.get(name), hint: firstSteps };
  if (profiles.size === 0) return nothingStored;
  const names = shortList(profiles.keys());
  const hint = `no profile is active; add --profile NAME, or run: chanlist auth switch NAME (stored: ${names})`;
  return { name, profile: undefined, hint };
}

function noKey(hint: string): Failure {
  return new Failure('unauthorized', 'there is no key for the service', { hint });
}

function foreignKey(name: string, profile: Profile, baseUrl: BaseUrl): Failure {
  return new Failure(
    'unauthorized',
    `the key of profile '${name}' belongs to ${profile.baseUrl.origin} and is not sent to ${baseUrl.origin}`,
    { hint: `store one for that address: chanlist auth login --profile NAME --base-url ${baseUrl.origin}` },
  );
}
