import { lastFour } from '../../accounts/key.ts';
import { firstSteps } from '../../accounts/settings.ts';
import { readStore } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command.ts';
import type { OutputOptions } from '../../cli/options.ts';
import { printRecords } from '../../run/print-records.ts';

export const about = ['Lists the stored profiles. Sends nothing.'];

export const examples: readonly Example[] = [['list the stored profiles', 'chanlist auth list']];

/** `auth list`: the stored profiles, sorted by name. Sends nothing. */
export const run: RunCommand<OutputOptions> = async (options, context, stderr) => {
  const { format, color } = options;
  const { active, profiles } = readStore(context.env);
  const records = [...profiles]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([profile, { baseUrl, namespace, key }]) => ({
      active: profile === active,
      profile,
      origin: baseUrl.origin,
      namespace,
      last_four: lastFour(key),
    }));
  const fields = ['active', 'profile', 'origin', 'namespace', 'last_four'] as const;
  await printRecords(records, { format, color, context, stderr, fields });
  if (records.length === 0) stderr.note(`no account is stored; ${firstSteps}`);
  return 0;
};
