import type { Context, Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { type BaseUrl, completeScheme, parseAddress, parseNamespace } from '../service/address.ts';
import type { CreditBound } from '../service/budget.ts';
import { defaultNamespace } from '../service/contract.ts';
import { keyFileName, parseKey, readKey } from './key.ts';
import { type Profile, parseProfileName, readStore, unknownProfile } from './store.ts';

export interface ServiceFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly namespace?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface Settings {
  readonly baseUrl: BaseUrl | null;
  readonly namespace: string;
  /** Null if there is none that may be sent. */
  readonly key: string | null;
  /** The source of the key: `--key-file FILE`, `CHANLIST_API_KEY`, `profile 'work'`; null without a key. */
  readonly keySource: string | null;
  /** The selected profile; null if there is none, or the store was not needed. */
  readonly profile: string | null;
  readonly maxCredits: readonly CreditBound[];
  /** Why there is no address, or no key; null if there are both. */
  readonly problem: Failure | null;
}

export const firstSteps =
  'try it without an account: chanlist uploads @demo --sandbox; or store one: chanlist auth login';

/** As `findService`; throws `unauthorized` (3) if there is no address. A missing key is no error yet: see `requireKey`. */
export async function resolveService(
  flags: ServiceFlags,
  context: Context,
): Promise<Settings & { baseUrl: BaseUrl }> {
  const { baseUrl, ...settings } = await findService(flags, context);
  if (baseUrl === null) throw settings.problem;
  return { ...settings, baseUrl };
}

/** The key to send. Throws `unauthorized` (3) if there is none for this service. */
export function requireKey({ key, problem }: Pick<Settings, 'key' | 'problem'>): string {
  if (key === null) throw problem;
  return key;
}

/**
 * Finds the service and the account of a run: flag, environment, profile, default, in this order. The store is read
 * only if the first two leave a setting open or name a profile. Throws usage errors for wrong values, an unknown
 * profile and a store that is refused; `failed` for a damaged store.
 */
export async function findService(flags: ServiceFlags, context: Context): Promise<Settings> {
  const { env } = context;
  const explicit = explicitService(flags, env);
  const explicitKey = await readExplicitKey(flags, context);
  const named = explicitProfile(flags, env);
  const hasAccount = explicit.baseUrl !== undefined && explicitKey !== undefined && named === undefined;
  const isComplete = hasAccount && explicit.namespace !== undefined;
  const { name, profile, hint } = isComplete ? noProfile : selectProfile(named, env, hasAccount);

  const baseUrl = explicit.baseUrl ?? profile?.baseUrl ?? null;
  const isForeign = profile !== undefined && profile.baseUrl.origin !== baseUrl?.origin;
  const key = explicitKey?.text ?? (isForeign ? undefined : profile?.key) ?? null;
  let problem: Failure | null = null;
  if (isForeign && baseUrl !== null && key === null) problem = foreignKey(name, profile, baseUrl);
  else if (baseUrl === null || key === null) problem = noAccount(baseUrl, key, hint);
  return {
    baseUrl,
    namespace: explicit.namespace ?? profile?.namespace ?? defaultNamespace,
    key,
    keySource: explicitKey?.source ?? (key === null ? null : `profile '${name}'`),
    profile: name,
    maxCredits: profile?.maxCredits ?? [],
    problem,
  };
}

const noProfile = { name: null, profile: undefined, hint: firstSteps };

/**
 * The stored profile that is named, else the active one. `hint`: the next step if it lacks something. `isOptional`: a
 * store that belongs to another user counts as empty.
 */
function selectProfile(
  named: string | undefined,
  env: Env,
  isOptional: boolean,
): { readonly name: string | null; readonly profile: Profile | undefined; readonly hint: string } {
  const { active, profiles } = readStore(env, isOptional);
  if (named !== undefined && !profiles.has(named)) throw unknownProfile(named, profiles.keys());
  const name = named ?? active;
  if (name !== null) return { name, profile: profiles.get(name), hint: firstSteps };
  if (profiles.size === 0) return noProfile;
  const stored = [...profiles.keys()].join(', ');
  const hint = `no profile is active; add --profile NAME, or run: chanlist auth switch NAME (stored: ${stored})`;
  return { ...noProfile, hint };
}

/** The address and namespace from flags and environment. `complete`: an address may lack its scheme. */
export function explicitService(
  flags: ServiceFlags,
  env: Env,
  { complete = false } = {},
): { readonly baseUrl: BaseUrl | undefined; readonly namespace: string | undefined } {
  const parse = (text: string, source: string) =>
    parseAddress(complete ? completeScheme(text) : text, source);
  const ofFlag = flags.baseUrl === undefined ? undefined : parse(flags.baseUrl, '--base-url');
  const { CHANLIST_BASE_URL: url } = env;
  const address = ofFlag ?? (url ? parse(url, 'CHANLIST_BASE_URL') : undefined);
  const wordOfFlag = flags.namespace === undefined ? ofFlag?.namespace : undefined;
  return {
    baseUrl: address?.baseUrl,
    namespace: wordOfFlag ?? explicitNamespace(flags, env) ?? address?.namespace ?? undefined,
  };
}

export function explicitNamespace(
  { namespace }: Pick<ServiceFlags, 'namespace'>,
  env: Env,
): string | undefined {
  if (namespace !== undefined) return parseNamespace(namespace, '--namespace');
  return env.CHANLIST_NAMESPACE ? parseNamespace(env.CHANLIST_NAMESPACE, 'CHANLIST_NAMESPACE') : undefined;
}

export function explicitProfile({ profile }: ServiceFlags, env: Env): string | undefined {
  if (profile !== undefined) return parseProfileName(profile, '--profile');
  return env.CHANLIST_PROFILE ? parseProfileName(env.CHANLIST_PROFILE, 'CHANLIST_PROFILE') : undefined;
}

async function readExplicitKey(
  { keyFile }: ServiceFlags,
  { env, stop }: Context,
): Promise<{ readonly text: string; readonly source: string } | undefined> {
  const { CHANLIST_API_KEY: key, CHANLIST_API_KEY_FILE: variable } = env;
  if (keyFile === undefined && key)
    return { text: parseKey(key, 'CHANLIST_API_KEY'), source: 'CHANLIST_API_KEY' };
  const [path, source] =
    keyFile === undefined ? [variable, 'CHANLIST_API_KEY_FILE'] : [keyFile, '--key-file'];
  if (!path) return undefined;
  return { text: await readKey(path, source, stop), source: `${source} ${keyFileName(path)}` };
}

function noAccount(baseUrl: BaseUrl | null, key: string | null, hint: string): Failure {
  const what = [
    baseUrl === null && 'no service address (CHANLIST_BASE_URL)',
    key === null && 'no key (CHANLIST_API_KEY)',
  ];
  const message = `no account is configured: there is ${what.filter(Boolean).join(' and ')}`;
  return new Failure('unauthorized', message, { hint });
}

function foreignKey(name: string | null, { baseUrl: { origin } }: Profile, baseUrl: BaseUrl): Failure {
  return new Failure(
    'unauthorized',
    `the key of profile '${name}' belongs to ${origin} and is not sent to ${baseUrl.origin}`,
    { hint: `store one for that address: chanlist auth login --profile NAME --base-url ${baseUrl.origin}` },
  );
}
