import { parseKey, readKey } from '../../accounts/key.ts';
import { explicitProfile, explicitService } from '../../accounts/settings.ts';
import { defaultProfile, type Profile, readStore, storeFile, updateStore } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure, usage } from '../../errors.ts';
import { type BaseUrl, completeScheme, parseAddress } from '../../service/address.ts';
import { defaultNamespace } from '../../service/contract.ts';
import { warnOfVariable } from './switch.ts';
import { verifyKey } from './verify-key.ts';

export const about = [
  'Verifies a key with a free request and stores it. Prompts for address and key at a terminal; elsewhere it ' +
    'reads the key from stdin, or from --key-file. --max-credits is stored too, and limits every run with the profile.',
  'An existing profile (default: default) gets the new key and keeps its address, namespace and --max-credits ' +
    'unless they are given. In a script, a new profile becomes the active one only if there is none.',
];

export const examples: readonly Example[] = [
  ['store a key at a terminal; prompts for address and key', 'chanlist auth login'],
  [
    'store the key of chanlist serve, in a script',
    'echo sk_sandbox | chanlist auth login --profile demo --base-url localhost:8787',
  ],
  ['store a key and a limit of 3,000 credits per month', 'chanlist auth login --max-credits 3000/month'],
];

/**
 * `auth login`: prompts for what is not given at a terminal, reads the key from stdin or `--key-file` otherwise,
 * verifies it with a free request and stores it. Nothing is stored if the key is rejected or cannot be verified.
 * `maxCredits`: the bounds to store with the profile; [] keeps the stored ones.
 */
export const run: RunCommand<CommonOptions & { readonly noVerify: boolean }> = async (
  options,
  context,
  stderr,
) => {
  const { env, stdin } = context;
  const name = explicitProfile(options, env) ?? defaultProfile;
  const explicit = explicitService(options, env, { complete: true });
  const stored = readStore(env).profiles.get(name);

  const account = await readAccount(options, context, explicit.baseUrl ?? stored?.baseUrl);
  const { baseUrl, key } = account;
  const namespace = explicit.namespace ?? account.namespace ?? stored?.namespace ?? defaultNamespace;
  // No retries: a user who has just typed an address learns at once that it is wrong.
  const verifying = stdin.isTTY ? { ...options, retries: 0 } : options;
  if (!options.noVerify)
    await verifyKey({ baseUrl, namespace, key }, context, stderr, verifying).catch(notStored);
  const profile: Profile = {
    baseUrl,
    namespace,
    key,
    maxCredits: options.maxCredits.length > 0 ? options.maxCredits : (stored?.maxCredits ?? []),
  };
  const { active } = await updateStore(env, (store) => ({
    active: store.active === null || (stored === undefined && stdin.isTTY) ? name : store.active,
    profiles: new Map(store.profiles).set(name, profile),
  }));

  stderr.note(`stored the key for ${baseUrl.origin} as profile '${name}' in ${storeFile(env)}`);
  if (active !== name)
    stderr.note(`profile '${active}' is still active; to change that: chanlist auth switch NAME`);
  warnOfVariable(name, context, stderr);
  for (const variable of ['CHANLIST_API_KEY', 'CHANLIST_API_KEY_FILE'])
    if (env[variable]) stderr.warn(`${variable} is set and takes precedence over the stored key`);
  return 0;
};

function notStored(thrown: unknown): never {
  if (!(thrown instanceof Failure) || thrown.code === 'interrupted') throw thrown;
  const { code, status, hint } = thrown;
  const anyway = code === 'unauthorized' && status !== null ? '' : '; --no-verify stores it anyway';
  throw thrown.with({ hint: [hint, `nothing is stored${anyway}`].filter(Boolean).join('; ') });
}

/** The address and the key of the account; the namespace only if the user typed it as part of the address. */
async function readAccount(
  { keyFile }: CommonOptions,
  context: Context,
  known: BaseUrl | undefined,
): Promise<ReturnType<typeof parseAddress> & { readonly key: string }> {
  const { stdin, stop } = context;
  const address = known && { baseUrl: known, namespace: null };
  const fromFile = keyFile === undefined ? undefined : await readKey(keyFile, '--key-file', stop);
  if (address !== undefined && fromFile !== undefined) return { ...address, key: fromFile };
  if (stdin.isTTY) {
    const { withPrompt } = await import('./prompt.ts');
    return withPrompt(context, async (ask) => {
      const { baseUrl, namespace } =
        address ?? parseAddress(completeScheme(await ask('Base URL: ', { echo: true })), 'base URL');
      const question = `Key for ${baseUrl.origin} (not shown): `;
      return { baseUrl, namespace, key: fromFile ?? parseKey(await ask(question, { echo: false }), 'key') };
    });
  }
  if (address === undefined)
    throw usage('auth login needs the address of the service', 'add --base-url https://...');
  return { ...address, key: await readKey(stdin, 'stdin', stop) };
}
