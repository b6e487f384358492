import { lastFour } from '../../accounts/key.ts';
import { findService, type Settings } from '../../accounts/settings.ts';
import { storeFile } from '../../accounts/store.ts';
import type { Example, RunCommand } from '../../cli/command.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import type { Stderr } from '../../output/stderr.ts';
import { printRecords } from '../../run/print-records.ts';
import { formatBounds } from '../../service/budget.ts';
import { shellQuote } from '../../text/sanitize.ts';
import { verifyKey } from './verify-key.ts';

export const about = ['Shows the account in use and verifies its key with a free request.'];

export const examples: readonly Example[] = [
  ['show the account in use', 'chanlist auth status'],
  ['print it as JSON for a script', 'chanlist auth status --json'],
];

/**
 * `auth status`: prints the service and account that a run would use, where its key comes from, and whether the
 * service accepts it (a free request). Returns the exit code of the check; without an account, which leaves nothing to check, 3.
 */
export const run: RunCommand<CommonOptions> = async (options, context, stderr) => {
  const settings = await findService(options, context);
  const error = await verifyAccount(settings, options, context, stderr);
  const { profile, baseUrl, namespace, maxCredits, keySource, key } = settings;
  const shown = {
    profile,
    store: storeFile(context.env),
    base_url: baseUrl?.href ?? null,
    origin: baseUrl?.origin ?? null,
    namespace,
    max_credits: maxCredits.length === 0 ? null : formatBounds(maxCredits),
    key_source: keySource,
    last_four: key === null ? null : lastFour(key),
    check: settings.problem === null ? verdict(error) : null,
  };
  const record = { ...shown, error };
  const { format, color } = options;
  await printRecords([record], {
    ...{ format, color, context, stderr, document: 'object' },
    fields: Object.keys(record) as (keyof typeof record)[],
    columns: Object.keys(shown) as (keyof typeof shown)[],
  });
  if (error === null) return 0;
  stderr.printFailure(error);
  return error.exit;
};

const isRejected = ({ code, status }: Failure): boolean => code === 'unauthorized' && status !== null;

const verdict = (error: Failure | null): string =>
  error === null ? 'accepted' : isRejected(error) ? 'rejected' : 'could not verify';

/** The failure of the account; null if it works. Throws signals and bugs, which prove nothing about the account. */
async function verifyAccount(
  { baseUrl, namespace, key, keySource, profile, problem }: Settings,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
): Promise<Failure | null> {
  if (baseUrl === null || key === null) return problem;
  try {
    await verifyKey({ baseUrl, namespace, key }, context, stderr, options);
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    if (!isRejected(error)) return error;
    const isStored = keySource === `profile '${profile}'`;
    const login = `store another key: chanlist auth login --profile ${shellQuote(profile ?? '')}`;
    return error.with({ hint: isStored ? login : `replace the key in ${keySource}` });
  }
}
