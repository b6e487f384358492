import { unknownProfile } from '../../accounts/profile.ts';
import { updateStore } from '../../accounts/store.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Stderr } from '../../output/stderr.ts';

/** `auth switch NAME`: makes a stored profile the active one. Throws a usage error for an unknown name. */
export async function runSwitch(name: string, options: CommonOptions, context: Context): Promise<number> {
  await updateStore(context.env, (store) => {
    if (!store.profiles.has(name)) throw unknownProfile(name, store.profiles.keys());
    return { ...store, active: name };
  });
  const stderr = new Stderr(context, options);
  stderr.note(`profile '${name}' is now active`);
  warnOfVariable(name, context, stderr);
  return 0;
}

/** Warns if CHANLIST_PROFILE selects another profile than `name`. */
export function warnOfVariable(name: string, { env }: Context, stderr: Stderr): void {
  const { CHANLIST_PROFILE: variable } = env;
  if (variable && variable !== name)
    stderr.warn(`CHANLIST_PROFILE is set to '${variable}' and takes precedence over the active profile`);
}
