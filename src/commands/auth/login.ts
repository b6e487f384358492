import { parseKey, readKey } from '../../accounts/key.ts';
import { explicitProfile, explicitService } from '../../accounts/settings.ts';
import { readStore, storeFile, updateStore } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../errors.ts';
import { type BaseUrl, completeScheme, parseAddress } from '../../service/address.ts';
import { defaultNamespace } from '../../service/contract.ts';
import { shellQuote } from '../../text/command.ts';
import { verifyKey } from './verify-key.ts';

export const about = [
  'Verifies a key with a free request and stores it. Prompts for address and key at a terminal; elsewhere it ' +
    'reads the key from stdin, or from --key-file. --max-credits is stored too, for all runs with this profile.',
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

/** Nothing is stored if the key is rejected or cannot be verified. `maxCredits`: [] keeps the stored bounds. */
export const run: RunCommand<CommonOptions & { readonly noVerify: boolean }> = async (
  options,
  context,
  stderr,
) => {
  const { env, stdin } = context;
  const name = explicitProfile(options, env) ?? 'default';
  const flags = { ...options, baseUrl: options.baseUrl && completeScheme(options.baseUrl) };
  const explicit = explicitService(flags, env);
  const stored = readStore(env).profiles.get(name);

  const account = await readAccount(options, context, explicit.baseUrl ?? stored?.baseUrl);
  const { baseUrl, key } = account;
  const namespace = explicit.namespace ?? account.namespace ?? stored?.namespace ?? defaultNamespace;
  const service = { baseUrl, namespace, key };
  const failure = options.noVerify ? null : await verifyKey(service, context, stderr, options);
  if (failure !== null) {
    const isRejected = failure.code === 'unauthorized';
    const next = isRejected
      ? 'check the key and the address'
      : `${failure.next}; --no-verify stores it anyway`;
    throw failure.with({ next: `nothing is stored; ${next}` });
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
  else stderr.note(`profile '${active}' stays active; chanlist auth switch ${shellQuote(name)}`);
  return 0;
};

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
