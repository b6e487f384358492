import { parseKey, readKeyFile, readKeyFromStdin } from '../../accounts/key.ts';
import { defaultProfile, type Profile } from '../../accounts/profile.ts';
import { givenProfile, givenService } from '../../accounts/settings.ts';
import { readStore } from '../../accounts/store.ts';
import { updateStore, writableStoreFile } from '../../accounts/store-write.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure, usage } from '../../errors.ts';
import { Stderr } from '../../output/stderr.ts';
import { type BaseUrl, completeScheme, parseAddress, type ServiceAddress } from '../../service/address.ts';
import { defaultNamespace } from '../../service/contract.ts';
import { type Ask, canAsk, withPrompt } from './prompt.ts';
import { warnOfVariable } from './switch.ts';
import type { verifyKey } from './verify-key.ts';

/** `maxCredits` are the bounds to store with the profile; [] keeps the stored ones. */
export interface LoginOptions extends SharedOptions {
  /** False: the key is stored without verification. */
  readonly verify: boolean;
}

/** Verifies a key; a parameter of the commands, so that their tests need no service. */
export type Verify = typeof verifyKey;

/** `verifyKey`, loaded when it is called. */
export const verifyLater: Verify = async (...all) => (await import('./verify-key.ts')).verifyKey(...all);

/** Maximum number of times that a question is asked. */
const maxAttempts = 3;

/**
 * `auth login`: asks for address and key at a terminal, reads the key from stdin or `--key-file` otherwise, verifies
 * it with a free call and stores it. Nothing is stored if the key is rejected or cannot be verified.
 */
export async function runLogin(
  options: LoginOptions,
  context: Context,
  verify: Verify = verifyLater,
): Promise<number> {
  const stderr = new Stderr(context.stderr, options);
  const name = givenProfile(options, context.env) ?? defaultProfile;
  const given = givenService(options, context.env, { complete: true });
  const file = writableStoreFile(context.env);
  const stored = readStore(context.env).profiles.get(name);

  const {
    baseUrl,
    namespace: word,
    key,
  } = await readAccount(options, context, stderr, given.baseUrl, stored);
  const namespace = given.namespace ?? word ?? stored?.namespace ?? defaultNamespace;
  const verification = options.verify
    ? await verify({ baseUrl, namespace, key }, context, options).catch(notStored)
    : null;
  const sameService = stored?.baseUrl.href === baseUrl.href && stored.namespace === namespace;
  const profile: Profile = {
    baseUrl,
    namespace,
    key,
    maxCredits: options.maxCredits.length > 0 ? options.maxCredits : (stored?.maxCredits ?? []),
    verified: verification === 'resolved' || (sameService && stored.verified),
  };
  const atTerminal = canAsk(context);
  const { active } = await updateStore(context, (store) => ({
    active: store.active === null || (stored === undefined && atTerminal) ? name : store.active,
    profiles: new Map(store.profiles).set(name, profile),
  }));

  stderr.note(`stored the key for ${baseUrl.origin} as profile '${name}' in ${file}`);
  if (active !== name)
    stderr.note(`profile '${active}' stays the active one; to change that: chanlist auth switch NAME`);
  else if (stored === undefined) stderr.note(`profile '${name}' is the active one now`);
  if (verification === 'no credits') warnOfNoCredits(stderr);
  warnOfVariable(name, context, stderr);
  for (const variable of ['CHANLIST_API_KEY', 'CHANLIST_API_KEY_FILE'])
    if (context.env[variable]) stderr.warn(`${variable} is set and takes precedence over the stored key`);
  return 0;
}

/** Warns that the key is accepted but its account has no credits. */
export function warnOfNoCredits(stderr: Stderr): void {
  stderr.warn('the key was accepted, but its account has no credits (402): free calls need at least one too');
}

/** Adds to a failed verification that nothing is stored. */
function notStored(thrown: unknown): never {
  if (!(thrown instanceof Failure) || thrown.code === 'interrupted') throw thrown;
  const { code, status, hint } = thrown;
  const anyway = code === 'unauthorized' && status !== null ? '' : '; --no-verify stores it anyway';
  throw thrown.with({ hint: [hint, `nothing is stored${anyway}`].filter(Boolean).join('; ') });
}

interface Account extends ServiceAddress {
  readonly key: string;
}

/** The address and the key of the account; the namespace only if the user typed it as part of the address. */
async function readAccount(
  options: LoginOptions,
  context: Context,
  stderr: Stderr,
  given: BaseUrl | undefined,
  stored: Profile | undefined,
): Promise<Account> {
  const fromFile =
    options.keyFile === undefined
      ? undefined
      : await readKeyFile(options.keyFile, '--key-file', context.stop);
  if (canAsk(context) && (given === undefined || fromFile === undefined)) {
    return withPrompt(context, async (ask) => {
      const address =
        given === undefined
          ? await askAddress(ask, stderr, stored?.baseUrl)
          : { baseUrl: given, namespace: null };
      return { ...address, key: fromFile ?? (await askKey(ask, stderr, address.baseUrl)) };
    });
  }
  const baseUrl = given ?? stored?.baseUrl;
  if (baseUrl === undefined)
    throw usage('auth login needs the address of the service', 'add --base-url https://...');
  const account = { baseUrl, namespace: null };
  if (fromFile !== undefined) return { ...account, key: fromFile };
  if (context.stdin.isTTY === true) {
    throw usage(
      'auth login cannot prompt for the key: stderr is not a terminal',
      'leave stderr at the terminal, or give the key on stdin',
    );
  }
  return { ...account, key: await readKeyFromStdin(context.stdin, context.stop) };
}

function askAddress(ask: Ask, stderr: Stderr, fallback: BaseUrl | undefined): Promise<ServiceAddress> {
  const question = fallback === undefined ? 'Base URL: ' : `Base URL [${fallback.href}]: `;
  return askUntilValid(
    stderr,
    () => ask(question, { echo: true }),
    (answer) =>
      answer.trim() === '' && fallback !== undefined
        ? { baseUrl: fallback, namespace: null }
        : parseAddress(completeScheme(answer), 'base URL'),
  );
}

function askKey(ask: Ask, stderr: Stderr, { origin }: BaseUrl): Promise<string> {
  return askUntilValid(
    stderr,
    () => ask(`Key for ${origin} (not shown): `, { echo: false }),
    (answer) => parseKey(answer, 'key'),
  );
}

/** Asks up to `maxAttempts` times, until `parse` accepts the answer; then throws its usage error. */
async function askUntilValid<T>(
  stderr: Stderr,
  ask: () => Promise<string>,
  parse: (answer: string) => T,
): Promise<T> {
  for (let left = maxAttempts - 1; ; left--) {
    const answer = await ask();
    try {
      return parse(answer);
    } catch (error) {
      if (left === 0 || !(error instanceof Failure)) throw error;
      stderr.error(error.line());
    }
  }
}
