import { lastFour } from '../../accounts/key.ts';
import { findService } from '../../accounts/settings.ts';
import { readStore, storeFile } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import { printRecords } from '../../output/print-records.ts';
import { formatBounds } from '../../service/budget.ts';
import { verifyKey } from './verify-key.ts';

export const about = ['Shows the account in use and verifies its key with a free request.'];

export const examples: readonly Example[] = [
  ['show the account in use', 'chanlist auth status'],
  ['print it as JSON for a script', 'chanlist auth status --json'],
];

/** Returns the exit code of the verification; 3 without an account. */
export const run: RunCommand<CommonOptions> = async (options, context, stderr) => {
  const settings = await findService(options, context);
  const { profile, baseUrl, namespace, maxCredits, keySource, remedy, key, problem } = settings;
  let failure = problem;
  let status: string | null = null;
  if (baseUrl !== null && key !== null) {
    failure = await verifyKey({ baseUrl, namespace, key, remedy }, context, stderr, options);
    if (failure === null) status = 'accepted';
    else status = failure.code === 'unauthorized' ? 'rejected' : 'could not verify';
  }
  const record = {
    status,
    profile,
    active: profile === null ? null : readStore(context.env).active === profile,
    store: storeFile(context.env),
    origin: baseUrl?.origin ?? null,
    namespace,
    max_credits: maxCredits.length === 0 ? null : formatBounds(maxCredits),
    key_source: keySource,
    last_four: key === null ? null : lastFour(key),
  };
  const { format, color } = options;
  const fields = Object.keys(record) as (keyof typeof record)[];
  await printRecords([record], { format, color, context, stderr, isSingle: true, fields });
  if (failure === null) return 0;
  stderr.printFailure(failure);
  return failure.exit;
};
