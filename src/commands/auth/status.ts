import { formatBounds } from '../../accounts/bounds.ts';
import { lastFour } from '../../accounts/key.ts';
import { findService, type PartialSettings } from '../../accounts/settings.ts';
import { storeFile } from '../../accounts/store.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { Stderr } from '../../output/stderr.ts';
import { Stdout } from '../../output/stdout.ts';
import { sanitize } from '../../text/sanitize.ts';
import { jsonLine, orErrorDocument } from './json.ts';
import { type Verify, verifyLater, warnOfNoCredits } from './login.ts';

/** The result for the key in `auth status`. */
type Check = 'accepted' | 'rejected' | 'could not verify';

/**
 * `auth status`: prints the service and account that a call would use, where its key comes from, and whether the
 * service accepts it (a free call). Then throws the failure of the check; without an account, `unauthorized` (3).
 */
export async function runStatus(
  options: SharedOptions,
  context: Context,
  verify: Verify = verifyLater,
): Promise<number> {
  const stderr = new Stderr(context.stderr, options);
  const stdout = new Stdout(context, stderr);
  const settings = await orErrorDocument(stdout, options.format, () => findService(options, context));
  const failure = await checkAccount(settings, context, verify, options, stderr);
  const check = failure === null ? 'accepted' : isRejected(failure) ? 'rejected' : 'could not verify';
  const store = storeFile(context.env);
  const format = options.format ?? (context.stdout.isTTY === true ? 'table' : 'ndjson');
  const text =
    format === 'table'
      ? statusText(settings, store, check)
      : jsonLine(statusObject(settings, store, check, failure));
  await stdout.write(text);
  if (failure !== null) throw failure;
  return 0;
}

const isRejected = ({ code, status }: Failure): boolean => code === 'unauthorized' && status !== null;

/** The failure of the account; null if it works. Throws signals and bugs, which prove nothing about the account. */
async function checkAccount(
  settings: PartialSettings,
  context: Context,
  verify: Verify,
  options: SharedOptions,
  stderr: Stderr,
): Promise<Failure | null> {
  const { baseUrl, namespace, key, keyProblem, hint } = settings;
  if (baseUrl === null)
    return new Failure('unauthorized', 'there is no account: no service address is known', { hint });
  if (key === null) return keyProblem;
  try {
    const verification = await verify({ baseUrl, namespace, key }, context, options);
    if (verification === 'no credits') warnOfNoCredits(stderr);
    if (verification === 'resolved' && !settings.verified) {
      const { markVerified } = await import('../../accounts/store-write.ts');
      await markVerified(context, { ...settings, baseUrl });
    }
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    return error;
  }
}

function statusObject(
  settings: PartialSettings,
  store: string | null,
  check: Check,
  error: Failure | null,
): unknown {
  return {
    profile: settings.profile,
    store,
    base_url: settings.baseUrl?.href ?? null,
    origin: settings.baseUrl?.origin ?? null,
    namespace: settings.namespace,
    max_credits: settings.maxCredits.length === 0 ? null : formatBounds(settings.maxCredits),
    key_source: settings.keySource,
    last_four: settings.key === null ? null : lastFour(settings.key),
    check,
    error,
  };
}

function statusText(settings: PartialSettings, store: string | null, check: Check): string {
  const { baseUrl, key, maxCredits } = settings;
  const rows = [
    ['profile', settings.profile ?? 'none'],
    ['store', store ?? 'none'],
    ['origin', baseUrl?.origin ?? 'none'],
    ...(baseUrl !== null && baseUrl.href !== baseUrl.origin ? [['base URL', baseUrl.href]] : []),
    ['namespace', settings.namespace],
    ...(maxCredits.length === 0 ? [] : [['max credits', formatBounds(maxCredits)]]),
    ['key', key === null ? 'none' : `from ${settings.keySource}, ending in ${lastFour(key)}`],
    ['check', check],
  ];
  return rows.map(([name = '', value = '']) => `${name.padEnd(13)}${sanitize(value)}\n`).join('');
}
