import type { CommonOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { createProgress } from '../../output/progress.ts';
import type { Stderr } from '../../output/stderr.ts';
import { clientOptions } from '../../run/session.ts';
import { Budget, newTally } from '../../service/budget.ts';
import { Client, type Service } from '../../service/client.ts';
import { operations } from '../../service/contract.ts';
import { assertResolved } from '../../service/parse-reference.ts';

/** A canonical ID (UC and 22 characters): a service with this path resolves it whether the channel exists or not. */
const canonicalId = 'UC0123456789abcdefghijkl';
/** No service issues a key like this one. */
const invalidKey = 'chanlist-verification-with-an-invalid-key';

/**
 * Verifies a key with a free request (docs/failures.md, "Accounts and credits"). Throws `unauthorized` for a rejected
 * key; any other failure means that the responses prove nothing, and quotes them.
 */
export async function verifyKey(
  service: Service,
  context: Context,
  stderr: Stderr,
  shared: CommonOptions,
): Promise<void> {
  stderr.redact(service.key);
  const progress = createProgress(context, stderr, shared);
  const resolveWith = async (key: string): Promise<Failure | null> => {
    const client = new Client({
      ...clientOptions(shared, context, stderr, progress),
      service: { ...service, key },
      budget: new Budget([{ credits: 0, per: 'run' }], null),
      connections: 1,
    });
    try {
      assertResolved(await client.call(operations.resolve, { input: canonicalId }, newTally()));
      return null;
    } catch (error) {
      if (error instanceof Failure && error.code !== 'interrupted') return error;
      throw error;
    } finally {
      await client.close();
    }
  };
  try {
    const failure = await resolveWith(service.key);
    if (failure === null) return;
    // That proves that the key is accepted, too.
    if (failure.code === 'no_credits') return stderr.warn(noCreditsWarning);
    if (failure.code === 'unauthorized') throw failure.with({ hint: 'check the key and the address' });
    if (failure.code !== 'not_found') throw verificationFailure(service, failure, failure.message);
    const control = await resolveWith(invalidKey);
    if (control?.code === 'unauthorized') return;
    if (control?.code === 'not_found')
      throw verificationFailure(service, failure, `${failure.message}, for an invalid key too`);
    const second = control?.message ?? 'a complete result';
    const reason = control !== null && isUnavailable(control) ? control : failure;
    throw verificationFailure(service, reason, `${failure.message}; for an invalid key: ${second}`);
  } finally {
    await progress.stop();
  }
}

const noCreditsWarning =
  'the key was accepted, but its account has no credits (402); free requests need at least one, too';

/** Whether the service or the network is not available, or limits the rate: that proves nothing about the address. */
function isUnavailable({ code }: Failure): boolean {
  return code === 'unreachable' || code === 'unavailable' || code === 'rate_limited';
}

function verificationFailure({ baseUrl, namespace }: Service, failure: Failure, responses: string): Failure {
  const message = `could not verify the key at ${baseUrl.href}: ${responses}`;
  if (isUnavailable(failure)) return failure.with({ message });
  return new Failure('invalid_response', message, {
    status: failure.status,
    hint: `the address or --namespace (now ${namespace}) may be wrong`,
    cause: failure,
  });
}
