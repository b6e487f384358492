import { parseProfileName, unknownProfile } from '../../accounts/profile.ts';
import { readStore, type Store } from '../../accounts/store.ts';
import { updateStore } from '../../accounts/store-write.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Stderr } from '../../output/stderr.ts';

/** `auth switch NAME`: makes a stored profile the active one. Throws a usage error for an unknown name. */
export async function runSwitch(name: string, options: SharedOptions, context: Context): Promise<number> {
  parseProfileName(name, 'auth switch');
  const activate = (store: Store): Store => {
    if (!store.profiles.has(name)) throw unknownProfile(name, store.profiles.keys());
    return { ...store, active: name };
  };
  const before = readStore(context.env);
  if (activate(before).active !== before.active) await updateStore(context, activate);
  const stderr = new Stderr(context.stderr, options);
  stderr.note(`profile '${name}' is the active one now`);
  warnOfVariable(name, context, stderr);
  return 0;
}

/** Warns if CHANLIST_PROFILE selects another profile than `name`. */
export function warnOfVariable(name: string, { env }: Context, stderr: Stderr): void {
  const { CHANLIST_PROFILE: variable } = env;
  if (variable && variable !== name)
    stderr.warn(`CHANLIST_PROFILE is set to '${variable}' and takes precedence over the active profile`);
}
