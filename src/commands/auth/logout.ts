import { explicitProfile } from '../../accounts/settings.ts';
import { unknownProfile, updateStore } from '../../accounts/store.ts';
import type { Argument, Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import { usage } from '../../errors.ts';

export const args: readonly Argument[] = [
  ['name', '[profile]', 'name of the profile; default: the active one'],
];

export const about = ['Removes a profile from the store: the named one, or else the active one.'];

export const examples: readonly Example[] = [['remove the profile demo', 'chanlist auth logout demo']];

/**
 * `auth logout [NAME]`: removes the named profile, else that of CHANLIST_PROFILE, else the active one. If that was the
 * active one, no profile is active: each spends its own credits, so the user has to choose.
 */
export const run: RunCommand<CommonOptions & { readonly name?: string | undefined }> = async (
  options,
  context,
  stderr,
) => {
  let removed = '';
  const { active, profiles } = await updateStore(context.env, (store) => {
    const name = options.name ?? explicitProfile({}, context.env) ?? store.active;
    if (name === null)
      throw usage('no profile is active', 'see: chanlist auth list; then: chanlist auth logout NAME');
    removed = name;
    const others = new Map(store.profiles);
    if (!others.delete(name)) throw unknownProfile(name, others.keys());
    return { active: name === store.active ? null : store.active, profiles: others };
  });
  stderr.note(`removed profile '${removed}'`);
  if (active === null && profiles.size > 0)
    stderr.note('no profile is active now; run: chanlist auth switch NAME');
  return 0;
};
