import { parseKey, readKeyFile } from '../../accounts/key.ts';
import { defaultProfile, type Profile } from '../../accounts/profile.ts';
import { givenBaseUrl, givenNamespace, givenProfile } from '../../accounts/settings.ts';
import { readStore } from '../../accounts/store.ts';
import { updateStore, writableStoreFile } from '../../accounts/store-write.ts';
import { type BaseUrl, parseBaseUrl } from '../../api/address.ts';
import { defaultNamespace } from '../../api/contract.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure, usage } from '../../errors.ts';
import { Stderr } from '../../output/stderr.ts';
import { authDependencies } from './check.ts';
import { type Ask, canAsk, withPrompt } from './prompt.ts';
import { readKeyFromStdin } from './read-key.ts';

/** How often a person is asked the same before it is an error. */
const attempts = 3;

/**
 * `auth login`: asks for address and key at a terminal, reads the key from stdin or `--key-file` otherwise,
 * checks it with a free call and stores it as the active profile. Nothing is stored where the check fails.
 */
export async function runLogin(
  options: SharedOptions,
  context: Context,
  { checkKey } = authDependencies,
): Promise<number> {
  const stderr = new Stderr(context.stderr, options);
  const name = givenProfile(options, context.env) ?? defaultProfile;
  const given = givenBaseUrl(options, context.env);
  const word = givenNamespace(options, context.env);
  const file = writableStoreFile(context.env);
  const stored = readStore(context.env).profiles.get(name);

  const { baseUrl, key } = await account(options, context, stderr, given, stored);
  const kept = stored?.baseUrl.origin === baseUrl.origin ? stored.namespace : undefined;
  const profile: Profile = { baseUrl, namespace: word ?? kept ?? defaultNamespace, key };
  const verdict = await checkKey(profile, context, options).catch(notStored);
  const { profiles } = await updateStore(context, (store) => ({
    active: name,
    profiles: new Map(store.profiles).set(name, profile),
  }));

  stderr.note(`stored the key for ${baseUrl.origin} as profile '${name}' in ${file}`);
  if (profiles.size > 1) stderr.note(`profile '${name}' is the active one now`);
  if (verdict === 'no credits')
    stderr.warn('the key is stored, but its account has no credits (402): even free calls need at least one');
  if (verdict === 'good, but odd' || /\/api\/v2(?:\/|$)/.test(baseUrl.href))
    stderr.warn(
      `the answer of ${baseUrl.href} does not look like the service's: check the address (it goes without /api/v2) and --namespace`,
    );
  for (const variable of ['CHANLIST_API_KEY', 'CHANLIST_API_KEY_FILE'])
    if (context.env[variable]) stderr.warn(`${variable} is set and takes precedence over the stored key`);
  return 0;
}

/** A key that is refused here is not one that `auth status` could tell about. */
function notStored(thrown: unknown): never {
  if (!(thrown instanceof Failure) || thrown.code !== 'unauthorized') throw thrown;
  throw new Failure('unauthorized', thrown.message, {
    ...(thrown.status === null ? {} : { status: thrown.status }),
    hint: 'nothing is stored; check the key and the address',
    cause: thrown,
  });
}

interface Account {
  readonly baseUrl: BaseUrl;
  readonly key: string;
}

async function account(
  options: SharedOptions,
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
      const baseUrl = given ?? (await askBaseUrl(ask, stderr, stored?.baseUrl));
      return { baseUrl, key: fromFile ?? (await askKey(ask, stderr, baseUrl)) };
    });
  }
  const baseUrl = given ?? stored?.baseUrl;
  if (baseUrl === undefined)
    throw usage('auth login needs the address of the service', 'add --base-url https://...');
  if (fromFile !== undefined) return { baseUrl, key: fromFile };
  if (context.stdin.isTTY === true) {
    throw usage(
      'auth login cannot ask for the key: stderr is not a terminal',
      'leave stderr at the terminal, or give the key on stdin',
    );
  }
  return { baseUrl, key: await readKeyFromStdin(context) };
}

function askBaseUrl(ask: Ask, stderr: Stderr, standard: BaseUrl | undefined): Promise<BaseUrl> {
  const question = standard === undefined ? 'Base URL: ' : `Base URL [${standard.href}]: `;
  return patiently(
    stderr,
    () => ask(question, { echo: true }),
    (answer) =>
      answer.trim() === '' && standard !== undefined ? standard : parseBaseUrl(answer, 'base URL'),
  );
}

function askKey(ask: Ask, stderr: Stderr, { origin }: BaseUrl): Promise<string> {
  return patiently(
    stderr,
    () => ask(`Key for ${origin} (not shown): `, { echo: false }),
    (answer) => parseKey(answer, 'key'),
  );
}

/** Asks again, a few times, after an answer that `parse` finds a usage error in. */
async function patiently<T>(
  stderr: Stderr,
  ask: () => Promise<string>,
  parse: (answer: string) => T,
): Promise<T> {
  for (let left = attempts - 1; ; left--) {
    const answer = await ask();
    try {
      return parse(answer);
    } catch (error) {
      if (left === 0 || !(error instanceof Failure)) throw error;
      stderr.error(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`);
    }
  }
}
