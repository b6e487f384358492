import type { Context } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import {
  type BaseUrl,
  completeScheme,
  parseAddress,
  parseNamespace,
  type ServiceAddress,
} from '../service/address.ts';
import { defaultNamespace } from '../service/contract.ts';
import type { CreditBound } from './bounds.ts';
import { keyFileName, parseKey, readKeyFile } from './key.ts';
import { type Profile, parseProfileName, shortList, unknownProfile } from './profile.ts';
import { readStore, storeFile } from './store.ts';

/** The flags that select the service and the account. */
export interface ServiceFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly namespace?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The service and the account of a call. */
export interface Settings {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  /** Null if there is none that may be sent: see `requireKey`. */
  readonly key: string | null;
  /** Where the key was given: `--key-file FILE`, `CHANLIST_API_KEY`, `profile 'work'`; null without a key. */
  readonly keySource: string | null;
  /** The selected profile; null if there is none, or the store was not needed. */
  readonly profile: string | null;
  /** The bounds stored with the profile; [] if there are none. */
  readonly maxCredits: readonly CreditBound[];
  /** False until a call with the address and namespace of the profile has succeeded; true without a profile. */
  readonly verified: boolean;
  /** Why there is no key; null if there is one. */
  readonly keyProblem: Failure | null;
}

/** Settings that may lack an address. */
export interface PartialSettings extends Omit<Settings, 'baseUrl'> {
  readonly baseUrl: BaseUrl | null;
  /** The next step if the address is missing. */
  readonly hint: string;
}

/** The next step for a user without an account. */
export const firstSteps =
  'try it without an account: chanlist uploads @demo --sandbox; or store one: chanlist auth login';

/**
 * Finds the service and the account of a call: flag, environment, profile, default, in this order. The store is
 * read only if the first two leave a setting open or name a profile. Throws usage errors for wrong values, an
 * unknown profile, a missing address and a store that is in the way; `failed` for a damaged store. A missing key is
 * no error yet: see `requireKey`.
 */
export async function resolveService(flags: ServiceFlags, context: Context): Promise<Settings> {
  const { baseUrl, hint, ...settings } = await findService(flags, context);
  if (baseUrl === null) {
    const file = hint === firstSteps ? storeFile(context.env) : null;
    throw usage(`there is no service address${file === null ? '' : `, and none is stored in ${file}`}`, hint);
  }
  return { ...settings, baseUrl };
}

/** As `resolveService`, but a missing address is no error. */
export async function findService(flags: ServiceFlags, context: Context): Promise<PartialSettings> {
  const { env } = context;
  const given = givenService(flags, env);
  const explicitKey = await givenKey(flags, context);
  const named = givenProfile(flags, env);
  const needsStore =
    named !== undefined ||
    given.baseUrl === undefined ||
    given.namespace === undefined ||
    explicitKey === undefined;
  const { name, profile, hint } = needsStore ? storedProfile(named, env) : nothingStored;

  const baseUrl = given.baseUrl ?? profile?.baseUrl ?? null;
  const common = {
    baseUrl,
    namespace: given.namespace ?? profile?.namespace ?? defaultNamespace,
    profile: name,
    maxCredits: profile?.maxCredits ?? [],
    verified: profile?.verified ?? true,
    hint,
  };
  if (explicitKey !== undefined)
    return { ...common, key: explicitKey.text, keySource: explicitKey.source, keyProblem: null };
  const missing = { ...common, key: null, keySource: null };
  if (name === null || profile === undefined || baseUrl === null)
    return { ...missing, keyProblem: noKey(hint) };
  if (profile.baseUrl.origin !== baseUrl.origin)
    return { ...missing, keyProblem: foreignKey(name, profile, baseUrl) };
  return { ...common, key: profile.key, keySource: `profile '${name}'`, keyProblem: null };
}

/** The key to send. Throws `unauthorized` if there is none for this service. */
export function requireKey(settings: Settings): string {
  if (settings.key === null) throw settings.keyProblem ?? noKey(firstSteps);
  return settings.key;
}

type Env = Context['env'];

/** The address and the namespace that flags and environment give. */
export interface GivenService {
  readonly baseUrl: BaseUrl | undefined;
  readonly namespace: string | undefined;
}

/**
 * The address and the namespace from flags and environment. The word in `.../service/v2/WORD` counts as a namespace
 * from the same source, after an explicit one. `complete`: adds a missing scheme.
 */
export function givenService(flags: ServiceFlags, env: Env, { complete = false } = {}): GivenService {
  const parse = (url: string, source: string): ServiceAddress =>
    parseAddress(complete ? completeScheme(url) : url, source);
  const { baseUrl: flagUrl, namespace: flagWord } = flags;
  const flagAddress = flagUrl === undefined ? undefined : parse(flagUrl, '--base-url');
  const { CHANLIST_BASE_URL: url } = env;
  const address = flagAddress ?? (url ? parse(url, 'CHANLIST_BASE_URL') : undefined);
  const flagNamespace =
    flagWord === undefined ? flagAddress?.namespace : parseNamespace(flagWord, '--namespace');
  return {
    baseUrl: address?.baseUrl,
    namespace: flagNamespace ?? givenNamespace({}, env) ?? address?.namespace ?? undefined,
  };
}

/** The explicit namespace from flag or environment. */
export function givenNamespace(flags: Pick<ServiceFlags, 'namespace'>, env: Env): string | undefined {
  if (flags.namespace !== undefined) return parseNamespace(flags.namespace, '--namespace');
  return env.CHANLIST_NAMESPACE ? parseNamespace(env.CHANLIST_NAMESPACE, 'CHANLIST_NAMESPACE') : undefined;
}

/** The name of the profile from flag or environment. */
export function givenProfile(flags: ServiceFlags, env: Env): string | undefined {
  if (flags.profile !== undefined) return parseProfileName(flags.profile, '--profile');
  return env.CHANLIST_PROFILE ? parseProfileName(env.CHANLIST_PROFILE, 'CHANLIST_PROFILE') : undefined;
}

interface SourcedKey {
  readonly text: string;
  readonly source: string;
}

/** The key from flag or environment, and where it was given. */
async function givenKey(flags: ServiceFlags, { env, stop }: Context): Promise<SourcedKey | undefined> {
  const fromFile = async (path: string, source: string): Promise<SourcedKey> => ({
    text: await readKeyFile(path, source, stop),
    source: `${source} ${keyFileName(path)}`,
  });
  if (flags.keyFile !== undefined) return fromFile(flags.keyFile, '--key-file');
  const key = env.CHANLIST_API_KEY;
  if (key) return { text: parseKey(key, 'CHANLIST_API_KEY'), source: 'CHANLIST_API_KEY' };
  const file = env.CHANLIST_API_KEY_FILE;
  return file ? fromFile(file, 'CHANLIST_API_KEY_FILE') : undefined;
}

interface StoredProfile {
  readonly name: string | null;
  readonly profile: Profile | undefined;
  /** The next step if the profile was needed and there is none. */
  readonly hint: string;
}

const nothingStored: StoredProfile = { name: null, profile: undefined, hint: firstSteps };

/** The named profile, which must exist, or else the active one. */
function storedProfile(named: string | undefined, env: Env): StoredProfile {
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
