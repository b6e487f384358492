import { formatBounds } from '../../accounts/bounds.ts';
import { lastFour } from '../../accounts/key.ts';
import { findService, type Settings } from '../../accounts/settings.ts';
import { storeFile } from '../../accounts/store.ts';
import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { printRecords } from '../../output/print-records.ts';
import { Stderr } from '../../output/stderr.ts';
import { type Verify, warnOfNoCredits } from './login.ts';
import { verifyKey } from './verify-key.ts';

/**
 * `auth status`: prints the service and account that a run would use, where its key comes from, and whether the
 * service accepts it (a free request). Returns the exit code of the check; without an account, 3.
 */
export async function runStatus(
  options: CommonOptions,
  context: Context,
  verify: Verify = verifyKey,
): Promise<number> {
  const stderr = new Stderr(context, options);
  const settings = await findService(options, context);
  const error = await checkAccount(settings, context, verify, options, stderr);
  const { profile, baseUrl, namespace, maxCredits, keySource, key } = settings;
  const isRejected = error?.code === 'unauthorized' && error.status !== null;
  const record = {
    profile,
    store: storeFile(context.env),
    base_url: baseUrl?.href ?? null,
    origin: baseUrl?.origin ?? null,
    namespace,
    max_credits: maxCredits.length === 0 ? null : formatBounds(maxCredits),
    key_source: keySource,
    last_four: key === null ? null : lastFour(key),
    check: error === null ? 'accepted' : isRejected ? 'rejected' : 'could not verify',
    error,
  };
  const fields = Object.keys(record) as (keyof typeof record)[];
  const shown = fields.filter((field) => field !== 'error');
  await printRecords([record], {
    format: options.format,
    color: options.color,
    context,
    stderr,
    document: 'object',
    fields,
    columns: Object.fromEntries(shown.map((field) => [field, (row) => row[field] ?? 'none'])),
  });
  if (error === null) return 0;
  stderr.failure(error);
  return error.exit;
}

/** The failure of the account; null if it works. Throws signals and bugs, which prove nothing about the account. */
async function checkAccount(
  { baseUrl, namespace, key, problem }: Settings,
  context: Context,
  verify: Verify,
  options: CommonOptions,
  stderr: Stderr,
): Promise<Failure | null> {
  if (baseUrl === null || key === null) return problem;
  try {
    if ((await verify({ baseUrl, namespace, key }, context, options)) === 'no credits')
      warnOfNoCredits(stderr);
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    return error;
  }
}
