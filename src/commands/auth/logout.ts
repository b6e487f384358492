import { parseProfileName, shortList, unknownProfile } from '../../accounts/profile.ts';
import { givenProfile } from '../../accounts/settings.ts';
import { readStore, type Store } from '../../accounts/store.ts';
import { updateStore } from '../../accounts/store-write.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../errors.ts';
import { Stderr } from '../../output/stderr.ts';

/**
 * `auth logout [NAME]`: removes the named profile, or else the active one, from the store. If it was active and one
 * profile remains, that becomes active; with several, none does, because each spends its own credits.
 */
export async function runLogout(
  named: string | undefined,
  options: SharedOptions,
  context: Context,
): Promise<number> {
  const before = readStore(context.env);
  const name =
    named === undefined
      ? (givenProfile(options, context.env) ?? before.active)
      : parseProfileName(named, 'auth logout');
  if (name === null) {
    throw before.profiles.size === 0
      ? usage('no account is stored', 'there is nothing to log out of')
      : usage(
          'no profile is active',
          `name the one to remove: chanlist auth logout NAME (stored: ${shortList(before.profiles.keys())})`,
        );
  }
  if (!before.profiles.has(name)) throw unknownProfile(name, before.profiles.keys());
  const after = await updateStore(context, (store) => without(name, store));

  const stderr = new Stderr(context.stderr, options);
  stderr.note(`removed profile '${name}'`);
  if (before.active !== name) return 0;
  if (after.active !== null) stderr.note(`profile '${after.active}' is the active one now`);
  else if (after.profiles.size > 0) stderr.note('no profile is active now; run: chanlist auth switch NAME');
  return 0;
}

function without(name: string, store: Store): Store {
  const profiles = new Map(store.profiles);
  if (!profiles.delete(name)) throw unknownProfile(name, store.profiles.keys());
  const [only = null] = profiles.size === 1 ? profiles.keys() : [];
  return { active: store.active === name ? only : store.active, profiles };
}
