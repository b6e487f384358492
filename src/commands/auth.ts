import { lastFour } from '../accounts/key.ts';
import { explicitProfile, findService } from '../accounts/settings.ts';
import { readStore, storeFile, unknownProfile, updateStore } from '../accounts/store.ts';
import { type CommandModule, type CommandRow, type Example, rowUnder } from '../cli/command-module.ts';
import type { CommonOptions } from '../cli/options.ts';
import { usage } from '../errors.ts';
import { printRows } from '../output/print-rows.ts';
import { formatBounds } from '../service/budget.ts';
import { shellQuote } from '../text/command.ts';

export const about = [
  'Stores accounts: each is a key together with the address that it belongs to, under a profile name. Without ' +
    '--profile, commands use the active profile. chanlist sends a key to its own address only.',
];

export const examples: readonly Example[] = [
  ['store a key; prompts for address and key', 'chanlist auth login'],
  ['show the account in use and verify its key', 'chanlist auth status'],
];

/** Returns the exit code of the verification; 3 if no account is configured. */
const status: CommandModule = {
  about: ['Shows the account in use and verifies its key with a free request.'],
  examples: [
    ['show the account in use', 'chanlist auth status'],
    ['print it as JSON for a script', 'chanlist auth status --json'],
  ],
  run: async (options: CommonOptions, streams) => {
    const { context, stderr } = streams;
    const settings = await findService(options, context);
    const { name, isActive, baseUrl, namespace, maxCredits, keySource, remedy, key, problem } = settings;
    let failure = problem;
    let word: string | null = null;
    if (baseUrl !== null && key !== null) {
      const { verifyKey } = await import('./auth/verify-key.ts');
      failure = await verifyKey({ baseUrl, namespace, key, remedy }, options, streams);
      if (failure === null) word = 'accepted';
      else word = failure.code === 'unauthorized' ? 'rejected' : 'could not verify';
    }
    const row = {
      status: word,
      profile: name,
      active: name === null ? null : isActive,
      store: storeFile(context.env),
      origin: baseUrl?.origin ?? null,
      namespace,
      max_credits: formatBounds(maxCredits) || null,
      key_source: keySource,
      last_four: key === null ? null : lastFour(key),
    };
    const { format } = options;
    const fields = Object.keys(row) as (keyof typeof row)[];
    await printRows([row], { format, isSingle: true, fields }, streams);
    if (failure === null) return 0;
    stderr.printFailure(failure);
    return failure.exit;
  },
};

const list: CommandModule = {
  about: ['Lists the stored profiles. Sends nothing.'],
  examples: [['list the stored profiles', 'chanlist auth list']],
  run: async ({ format }: CommonOptions, streams) => {
    const { active, profiles } = readStore(streams.context.env);
    const rows = [...profiles]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([profile, { baseUrl, namespace, maxCredits, key }]) => ({
        active: profile === active,
        profile,
        origin: baseUrl.origin,
        namespace,
        max_credits: formatBounds(maxCredits) || null,
        last_four: lastFour(key),
      }));
    const fields = ['active', 'profile', 'origin', 'namespace', 'max_credits', 'last_four'] as const;
    await printRows(rows, { format, fields }, streams);
    if (rows.length === 0) streams.stderr.note('no account is stored; chanlist auth login stores one');
    return 0;
  },
};

const switchProfile: CommandModule = {
  args: [['name', '<profile>', 'name of the profile']],
  about: ['Makes a stored profile the active one.'],
  examples: [['use the profile demo from now on', 'chanlist auth switch demo']],
  run: async ({ name }: { readonly name: string }, { context, stderr }) => {
    await updateStore(context.env, (store) => {
      if (!store.profiles.has(name)) throw unknownProfile(name, store.profiles.keys());
      return { ...store, active: name };
    });
    stderr.note(`profile '${name}' is now active`);
    const named = explicitProfile({}, context.env);
    if (named !== undefined && named !== name)
      stderr.warn(`CHANLIST_PROFILE is set: profile '${named}' is used`);
    return 0;
  },
};

/** After the active profile is removed, none is active: another profile would silently spend credits of its own. */
const logout: CommandModule = {
  args: [['name', '[profile]', 'name of the profile; default: the active one']],
  about: ['Removes a profile from the store: the named one, or else the active one.'],
  examples: [['remove the profile demo', 'chanlist auth logout demo']],
  run: async (options: CommonOptions & { readonly name?: string }, { context: { env }, stderr }) => {
    let removed = '';
    const { active, profiles } = await updateStore(env, (store) => {
      const { name: named, profile = named } = options;
      if (named !== undefined && named !== null && profile !== named)
        throw usage(`auth logout ${named} and --profile ${profile} name two profiles`, 'choose one');
      const name = named ?? explicitProfile(options, env) ?? store.active;
      if (name === null && store.profiles.size === 0)
        throw usage('no account is stored: there is none to remove');
      if (name === null) throw usage('no profile is active', 'see: chanlist auth list');
      removed = name;
      const others = new Map(store.profiles);
      if (!others.delete(name)) throw unknownProfile(name, others.keys());
      return { active: name === store.active ? null : store.active, profiles: others };
    });
    stderr.note(`removed profile '${removed}'`);
    const [next] = profiles.keys();
    if (active === null && next !== undefined)
      stderr.note(`no profile is active now; run: chanlist auth switch ${shellQuote(next)}`);
    return 0;
  },
};

const action = rowUnder('Actions:');

export const actions: readonly CommandRow[] = [
  action('login', 'verify a key and store it', () => import('./auth/login.ts')),
  action('status', 'show the account in use and verify its key', async () => status),
  action('list', 'list the stored profiles', async () => list),
  action('switch <profile>', 'make another profile the active one', async () => switchProfile),
  action('logout [profile]', 'remove a profile from the store', async () => logout),
];
