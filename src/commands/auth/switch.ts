import { unknownProfile, updateStore } from '../../accounts/store.ts';
import type { Argument, Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import type { Stderr } from '../../output/stderr.ts';

export const args: readonly Argument[] = [['name', '<profile>', 'name of the profile']];

export const about = ['Makes a stored profile the active one.'];

export const examples: readonly Example[] = [
  ['use the profile demo from now on', 'chanlist auth switch demo'],
];

/** `auth switch NAME`: makes a stored profile the active one. Throws a usage error for an unknown name. */
export const run: RunCommand<CommonOptions & { readonly name: string }> = async (
  options,
  context,
  stderr,
) => {
  const { name } = options;
  await updateStore(context.env, (store) => {
    if (!store.profiles.has(name)) throw unknownProfile(name, store.profiles.keys());
    return { ...store, active: name };
  });
  stderr.note(`profile '${name}' is now active`);
  warnOfVariable(name, context, stderr);
  return 0;
};

/** Warns if CHANLIST_PROFILE selects another profile than `name`. */
export function warnOfVariable(name: string, { env }: Context, stderr: Stderr): void {
  const { CHANLIST_PROFILE: variable } = env;
  if (variable && variable !== name)
    stderr.warn(`CHANLIST_PROFILE is set to '${variable}' and takes precedence over the active profile`);
}
