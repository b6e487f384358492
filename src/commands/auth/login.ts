import { parseKey, readKey } from '../../accounts/key.ts';
import { explicitProfile, explicitService } from '../../accounts/settings.ts';
import { readStore, storeFile, updateStore } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command-module.ts';
import type { CommonOptions } from '../../cli/options.ts';
import { usage } from '../../errors.ts';
import type { Streams } from '../../output/stdout.ts';
import { type BaseUrl, parseAddress } from '../../service/address.ts';
import { formatBounds } from '../../service/budget.ts';
import { defaultNamespace } from '../../service/contract.ts';
import { stepText } from '../../text/command.ts';
import { verifyKey } from './verify-key.ts';

export const about = [
  'Verifies a key with a free request and stores it. Prompts for address and key at a terminal; elsewhere it ' +
    'reads the key from stdin, or from --key-file. --max-credits is stored too, for all runs with this profile.',
  'The profile is the one given, else the active one, else "default". An existing profile gets the new key and keeps ' +
    'its address, namespace and --max-credits unless they are given. In a script, a new profile becomes the active one ' +
    'only if there is none.',
];

export const examples: readonly Example[] = [
  ['store a key at a terminal; prompts for address and key', 'chanlist auth login'],
  ['store a sandbox key', 'echo sk_sandbox | chanlist auth login --profile demo --base-url localhost:8787'],
  ['replace the key of the active profile', 'chanlist auth login < key.txt'],
  ['store a key and a limit of 3,000 credits per month', 'chanlist auth login --max-credits 3000/month'],
];

type LoginOptions = CommonOptions & { readonly verify: boolean };

/** Stores nothing if the key is rejected or cannot be verified. An empty `maxCredits` keeps the stored bounds. */
export const run: RunCommand<LoginOptions> = async (options, streams) => {
  const { context, stderr } = streams;
  const { env, stdin } = context;
  const before = readStore(env);
  const name = explicitProfile(options, env) ?? before.active ?? 'default';
  const stored = before.profiles.get(name);
  const explicit = explicitService(options, env);
  const keyName = `${stored === undefined ? 'Key' : 'New key'} for profile '${name}'`;
  const account = await readAccount(options, streams, explicit.baseUrl ?? stored?.baseUrl, keyName);
  const namespace = explicit.namespace ?? account.namespace ?? stored?.namespace ?? defaultNamespace;
  const service = { ...account, namespace };
  const failure = options.verify ? await verifyKey(service, options, streams) : null;
  if (failure !== null) {
    const kept = stored === undefined ? 'nothing is stored' : 'the stored key stays';
    const step =
      failure.code === 'unauthorized'
        ? 'check the key and the address'
        : `${stepText(failure.step ?? 'try again later')}, or add --no-verify to store the key anyway`;
    throw failure.with({ message: `${failure.message}; ${kept}`, step });
  }
  const maxCredits = options.maxCredits.length > 0 ? options.maxCredits : (stored?.maxCredits ?? []);
  const { active } = await updateStore(env, (store) => ({
    active: store.active === null || (stored === undefined && stdin.isTTY) ? name : store.active,
    profiles: new Map(store.profiles).set(name, { ...service, maxCredits }),
  }));
  const verb = stored === undefined ? 'stored' : 'replaced';
  stderr.note(`${verb} the key for ${service.baseUrl.origin} as profile '${name}' in ${storeFile(env)}`);
  const variable = ['CHANLIST_API_KEY', 'CHANLIST_API_KEY_FILE'].find((word) => env[word]);
  if (variable !== undefined) stderr.warn(`${variable} is set: its key is used, not the stored one`);
  stderr.note(`its bounds: ${formatBounds(maxCredits) || 'none (--max-credits sets them)'}`);
  if (active !== name) {
    const purpose = `profile '${active}' stays active; to use this one`;
    stderr.note({ purpose, program: 'chanlist auth switch', operands: [name] });
  } else if (before.active !== name) stderr.note(`profile '${name}' is now active`);
  return 0;
};

const addressPrompt = 'Address of the service, e.g. https://api.example.com: ';

/** Reads the address and the key of the account; the namespace only if the user typed it as part of the address. */
async function readAccount(
  { keyFile }: CommonOptions,
  streams: Streams,
  known: BaseUrl | undefined,
  keyName: string,
): Promise<ReturnType<typeof parseAddress> & { readonly key: string }> {
  const { stdin, stop } = streams.context;
  const address = known && { baseUrl: known, namespace: null };
  const fileKey = keyFile === undefined ? undefined : await readKey(keyFile, '--key-file', stop);
  if (stdin.isTTY && (address === undefined || fileKey === undefined)) {
    const { withPrompt } = await import('./prompt.ts');
    return withPrompt(streams, async (ask) => {
      const { baseUrl, namespace } =
        address ?? (await ask(addressPrompt, true, (text) => parseAddress(text, 'the address')));
      const keyPrompt = `${keyName} at ${baseUrl.origin} (not shown): `;
      const key = fileKey ?? (await ask(keyPrompt, false, (text) => parseKey(text, 'key')));
      return { baseUrl, namespace, key };
    });
  }
  if (address === undefined)
    throw usage('auth login needs the address of the service', 'add --base-url https://...');
  return { ...address, key: fileKey ?? (await readKey(stdin, 'stdin', stop)) };
}
