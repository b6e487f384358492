import { lastFour } from '../../accounts/key.ts';
import { type FoundSettings, findService } from '../../accounts/settings.ts';
import { storeFile } from '../../accounts/store.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure, usage } from '../../errors.ts';
import { Stderr } from '../../output/stderr.ts';
import { Stdout } from '../../output/stdout.ts';
import { sanitize } from '../../text/sanitize.ts';
import { type AuthDependencies, authDependencies } from './check.ts';
import { jsonLine, orErrorDocument } from './json.ts';

/**
 * `auth status`: which account and service a call would use, where its key comes from, and whether the service
 * takes it (a free call). Throws what is wrong with it, once all is printed: 3 without an account.
 */
export async function runStatus(
  options: SharedOptions,
  context: Context,
  { checkKey } = authDependencies,
): Promise<number> {
  if (options.format === 'csv' || options.format === 'id')
    throw usage(`auth status has no format ${options.format}`, 'expected table, json or ndjson');
  const stdout = new Stdout(context, new Stderr(context.stderr, options));
  const settings = await orErrorDocument(stdout, options.format, () => findService(options, context));
  const failure = await problem(settings, context, checkKey, options);
  const store = storeFile(context.env);
  const format = options.format ?? (context.stdout.isTTY === true ? 'table' : 'ndjson');
  const json = format === 'json' || format === 'ndjson';
  await stdout.write(json ? jsonLine(asJson(settings, store, failure)) : asText(settings, store, failure));
  if (failure !== null) throw failure;
  return 0;
}

/** What keeps the account from working, if anything. */
async function problem(
  settings: FoundSettings,
  context: Context,
  checkKey: AuthDependencies['checkKey'],
  options: SharedOptions,
): Promise<Failure | null> {
  const { baseUrl, namespace, key, keyProblem, hint } = settings;
  if (baseUrl === null)
    return new Failure('unauthorized', 'there is no account: no service address is known', { hint });
  if (key === null) return keyProblem;
  try {
    const verdict = await checkKey({ baseUrl, namespace, key }, context, options);
    if (verdict !== 'no credits') return null;
    return new Failure('no_credits', 'the account has no credits', {
      status: 402,
      hint: 'even free calls need at least one credit',
    });
  } catch (error) {
    // A signal, or a bug: nothing is known about the account.
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    return error;
  }
}

function asJson(settings: FoundSettings, store: string | null, failure: Failure | null): unknown {
  return {
    profile: settings.profile,
    store,
    base_url: settings.baseUrl?.href ?? null,
    origin: settings.baseUrl?.origin ?? null,
    namespace: settings.namespace,
    key_source: settings.keySource,
    last_four: settings.key === null ? null : lastFour(settings.key),
    check: failure === null ? 'good' : failure.code,
    error: failure,
  };
}

function asText(settings: FoundSettings, store: string | null, failure: Failure | null): string {
  const { baseUrl, key } = settings;
  const lines = [
    ['profile', settings.profile ?? 'none'],
    ['store', store ?? 'none'],
    ['origin', baseUrl?.origin ?? 'none'],
    ...(baseUrl !== null && baseUrl.href !== baseUrl.origin ? [['base URL', baseUrl.href]] : []),
    ['namespace', settings.namespace],
    ['key', key === null ? 'none' : `from ${settings.keySource}, ending in ${lastFour(key)}`],
    ['check', failure === null ? 'good: the service takes the key' : failure.message],
  ];
  return lines.map(([name = '', value = '']) => `${name.padEnd(11)}${sanitize(value)}\n`).join('');
}
