import type { Context, Env } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { parseAddress, parseNamespace } from '../service/address.ts';
import { type CreditBound, environmentBounds } from '../service/budget.ts';
import { defaultNamespace } from '../service/contract.ts';
import type { Step } from '../text/command.ts';
import { isUnsafe } from '../text/sanitize.ts';
import { parseKey, readKey } from './key.ts';
import { loginCommand, readStore, unknownProfile } from './store.ts';

export interface ServiceFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly namespace?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** Returns the account of a run and its bounds; throws `unauthorized` (3) if there is no address, or no key. */
export async function resolveAccount(
  options: ServiceFlags & { readonly maxCredits: readonly CreditBound[] },
  context: Context,
) {
  const { baseUrl, namespace, key, remedy, ...settings } = await findService(options, context);
  if (baseUrl === null || key === null) throw settings.problem;
  const bounds = [...options.maxCredits, ...environmentBounds(context.env), ...settings.maxCredits];
  return { baseUrl, namespace, key, remedy, bounds };
}

/** Finds the service and the account of a run: flag, environment, profile, default, in this order. */
export async function findService(flags: ServiceFlags, context: Context) {
  const explicitKey = await readExplicitKey(flags, context);
  const found = findProfile(flags, context.env);
  const { name, profile, profileNames, baseUrl } = found;
  const isForeign = profile !== undefined && profile.baseUrl.origin !== baseUrl?.origin;
  const key = explicitKey?.text ?? (isForeign ? null : profile?.key) ?? null;
  let problem: Failure | null = null;
  if (isForeign && baseUrl !== null && key === null) {
    const message = `the key of profile '${name}' belongs to ${profile.baseUrl.origin} and is not sent to ${baseUrl.origin}`;
    const step = {
      purpose: 'store one for that address',
      program: 'chanlist auth login',
      flags: [
        { name: '--profile', value: new URL(baseUrl.origin).hostname },
        { name: '--base-url', value: baseUrl.origin },
      ],
    };
    problem = new Failure('unauthorized', message, { step });
  } else if (baseUrl === null || key === null) {
    const missing = [...(baseUrl ? [] : ['CHANLIST_BASE_URL']), ...(key ? [] : ['CHANLIST_API_KEY'])];
    problem = noAccount(missing, name === null ? profileNames : [], context.stderr.isTTY);
  }
  return {
    ...found,
    key,
    /** Where the key comes from: `--key-file FILE`, `CHANLIST_API_KEY` or `profile 'work'`; null without a key. */
    keySource: explicitKey?.source ?? (key === null ? null : `profile '${name}'`),
    /** What to do if the key is rejected. */
    remedy: explicitKey === undefined ? replacementOf(name) : `replace the key in ${explicitKey.source}`,
    /** The failure that says why the address or the key is missing; null if neither is. */
    problem,
  };
}

const replacementOf = (profile: string | null): Step | null =>
  profile && loginCommand(profile, 'replace it with');

/** Finds the address, the namespace and the profile of a run; ignores `--key-file` and the variables of keys. */
export function findProfile(flags: ServiceFlags, env: Env) {
  const explicit = explicitService(flags, env);
  const named = explicitProfile(flags, env);
  const { active, profiles } = readStore(env);
  if (named !== undefined && !profiles.has(named)) {
    const place = flags.profile === undefined ? 'CHANLIST_PROFILE: ' : '';
    throw unknownProfile(named, profiles.keys(), place);
  }
  const name = named ?? active;
  const profile = name === null ? undefined : profiles.get(name);
  const baseUrl = explicit.baseUrl ?? profile?.baseUrl ?? null;
  const namespace = explicit.namespace ?? profile?.namespace ?? defaultNamespace;
  return {
    baseUrl,
    namespace,
    /** Identifies the service in records and messages; '' without an address. */
    serviceName: baseUrl === null ? '' : `${baseUrl.href} (namespace ${namespace})`,
    /** The name of the profile. */
    name,
    isActive: name === active,
    profile,
    maxCredits: profile?.maxCredits ?? [],
    profileNames: [...profiles.keys()],
  };
}

/** Reads the address and the namespace from flags and environment, not from a profile. */
export function explicitService(flags: ServiceFlags, env: Env) {
  const source = flags.baseUrl === undefined ? 'CHANLIST_BASE_URL' : '--base-url';
  const text = flags.baseUrl ?? (env.CHANLIST_BASE_URL || undefined);
  const address = text === undefined ? undefined : parseAddress(text, source);
  const namespace = explicitNamespace(flags, env) ?? address?.namespace ?? undefined;
  return { baseUrl: address?.baseUrl, namespace };
}

export function explicitNamespace({ namespace }: ServiceFlags, env: Env): string | undefined {
  if (namespace !== undefined) return parseNamespace(namespace, '--namespace');
  return env.CHANLIST_NAMESPACE ? parseNamespace(env.CHANLIST_NAMESPACE, 'CHANLIST_NAMESPACE') : undefined;
}

/** Returns the profile that flag or environment name. Throws a usage error for a name that no printed command could repeat. */
export function explicitProfile({ profile }: ServiceFlags, env: Env): string | undefined {
  const name = profile ?? (env.CHANLIST_PROFILE || undefined);
  if (name === undefined || (!name.startsWith('-') && !isUnsafe(name))) return name;
  throw usage(
    `'${name}' cannot be the name of a profile`,
    'choose one without control characters, and without a hyphen in front',
  );
}

async function readExplicitKey({ keyFile }: ServiceFlags, { env, stop }: Context) {
  const { CHANLIST_API_KEY: key, CHANLIST_API_KEY_FILE: variable } = env;
  if (keyFile === undefined && key)
    return { text: parseKey(key, 'CHANLIST_API_KEY'), source: 'CHANLIST_API_KEY' };
  const source = keyFile === undefined ? 'CHANLIST_API_KEY_FILE' : '--key-file';
  const path = keyFile ?? variable;
  return path ? { text: await readKey(path, source, stop), source: `${source} ${path}` } : undefined;
}

/** `missing` are the environment variables to set; `profileNames` are the stored profiles if none of them is active. */
function noAccount(missing: readonly string[], profileNames: readonly string[], isTerminal = false): Failure {
  const [first] = profileNames;
  if (first !== undefined)
    return new Failure('unauthorized', `no profile is active (stored: ${profileNames.join(', ')})`, {
      step: { purpose: 'run', program: 'chanlist auth switch', operands: [first] },
    });
  const step = isTerminal
    ? 'store one with chanlist auth login, or try the service with --sandbox'
    : `set ${missing.join(' and ')}`;
  return new Failure('unauthorized', 'no account is configured', { step });
}
