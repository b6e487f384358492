import { parseKey, readKey } from '../../accounts/key.ts';
import { explicitProfile, explicitService } from '../../accounts/settings.ts';
import { readStore, storeFile, updateStore } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { type Failure, usage } from '../../errors.ts';
import type { Stderr } from '../../output/stderr.ts';
import { type BaseUrl, parseAddress } from '../../service/address.ts';
import { defaultNamespace } from '../../service/contract.ts';
import { shellQuote, stepText } from '../../text/command.ts';
import { verifyKey } from './verify-key.ts';

export const about = [
  'Verifies a key with a free request and stores it. Prompts for address and key at a terminal; elsewhere it ' +
    'reads the key from stdin, or from --key-file. --max-credits is stored too, for all runs with this profile.',
  'Without --profile it is the active profile, or else default. One that exists gets the new key and keeps its address, ' +
    'namespace and --max-credits unless they are given. In a script, a new profile becomes the active one only if there is none.',
];

export const examples: readonly Example[] = [
  ['store a key at a terminal; prompts for address and key', 'chanlist auth login'],
  [
    'store the key of chanlist serve, in a script',
    'echo sk_sandbox | chanlist auth login --profile demo --base-url localhost:8787',
  ],
  ['replace the key of the active profile', 'chanlist auth login < key.txt'],
  ['store a key and a limit of 3,000 credits per month', 'chanlist auth login --max-credits 3000/month'],
];

/** Nothing is stored if the key is rejected or cannot be verified. `maxCredits`: [] keeps the stored bounds. */
export const run: RunCommand<CommonOptions & { readonly verify: boolean }> = async (
  options,
  context,
  stderr,
) => {
  const { env, stdin } = context;
  const { active: activeProfile, profiles } = readStore(env);
  const name = explicitProfile(options, env) ?? activeProfile ?? 'default';
  const explicit = explicitService(options, env);
  const stored = profiles.get(name);

  const known = explicit.baseUrl ?? stored?.baseUrl;
  const keyName = `${stored === undefined ? 'Key' : 'New key'} for profile '${name}'`;
  const account = await readAccount(options, context, stderr, known, keyName);
  const { baseUrl, key } = account;
  const namespace = explicit.namespace ?? account.namespace ?? stored?.namespace ?? defaultNamespace;
  const service = { baseUrl, namespace, key };
  const failure = options.verify ? await verifyKey(service, context, stderr, options) : null;
  if (failure !== null) {
    const isRejected = failure.code === 'unauthorized';
    const next = isRejected
      ? 'check the key and the address'
      : `${stepText(failure.next ?? 'try again later')}, or add --no-verify to store the key anyway`;
    const kept = stored === undefined ? 'nothing is stored' : 'the stored key stays';
    throw failure.with({ message: `${failure.message}; ${kept}`, next });
  }
  const maxCredits = options.maxCredits.length > 0 ? options.maxCredits : (stored?.maxCredits ?? []);
  const { active } = await updateStore(env, (store) => ({
    active: store.active === null || (stored === undefined && stdin.isTTY) ? name : store.active,
    profiles: new Map(store.profiles).set(name, { ...service, maxCredits }),
  }));
  const did = stored === undefined ? 'stored' : 'replaced';
  stderr.note(`${did} the key for ${baseUrl.origin} as profile '${name}' in ${storeFile(env)}`);
  const variable = ['CHANLIST_API_KEY', 'CHANLIST_API_KEY_FILE'].find((each) => env[each]);
  if (variable !== undefined) stderr.warn(`${variable} is set: its key is used, not the stored one`);
  if (active === name) stderr.note(`profile '${name}' is now active`);
  else stderr.note(`profile '${active}' stays active; run: chanlist auth switch ${shellQuote(name)}`);
  return 0;
};

const addressPrompt = 'Address of the service, e.g. https://api.example.com: ';

/** The address and the key of the account; the namespace only if the user typed it as part of the address. */
async function readAccount(
  { keyFile }: CommonOptions,
  context: Context,
  stderr: Stderr,
  known: BaseUrl | undefined,
  keyName: string,
): Promise<ReturnType<typeof parseAddress> & { readonly key: string }> {
  const { stdin, stop } = context;
  const address = known && { baseUrl: known, namespace: null };
  const fromFile = keyFile === undefined ? undefined : await readKey(keyFile, '--key-file', stop);
  if (address !== undefined && fromFile !== undefined) return { ...address, key: fromFile };
  if (stdin.isTTY) {
    const { withPrompt } = await import('./prompt.ts');
    const onTypingError = (error: Failure): void => stderr.printFailure(error);
    return withPrompt(context, onTypingError, async (ask) => {
      const { baseUrl, namespace } =
        address ?? (await ask(addressPrompt, true, (text) => parseAddress(text, 'the address')));
      const keyPrompt = `${keyName} at ${baseUrl.origin} (not shown): `;
      const key = fromFile ?? (await ask(keyPrompt, false, (text) => parseKey(text, 'key')));
      return { baseUrl, namespace, key };
    });
  }
  if (address === undefined)
    throw usage('auth login needs the address of the service', 'add --base-url https://...');
  return { ...address, key: await readKey(stdin, 'stdin', stop) };
}
