import type { CommonOptions } from '../../cli/options.ts';
import { Failure } from '../../errors.ts';
import { createProgress } from '../../output/progress.ts';
import type { Streams } from '../../output/stdout.ts';
import { clientReports } from '../../run/open-service.ts';
import { Budget, newTally } from '../../service/budget.ts';
import { Client, type Service, verification } from '../../service/client.ts';
import { operations } from '../../service/contract.ts';
import { resolvedId } from '../../service/parse-reference.ts';

/**
 * Returns null if the key is accepted, and `unauthorized` if it is rejected; any other failure proves nothing about the key.
 * Sends no retries: a person is waiting, and the address may be wrong.
 */
export async function verifyKey(
  service: Service,
  options: CommonOptions,
  streams: Streams,
): Promise<Failure | null> {
  const { context, stderr } = streams;
  stderr.addSecret(service.key);
  const progress = createProgress(streams);
  const client = new Client({
    ...options,
    service,
    context,
    budget: new Budget([], null),
    connections: 1,
    retries: 0,
    ...clientReports(stderr, progress),
  });
  try {
    resolvedId(await client.call(operations.resolve, verification, newTally()));
    return null;
  } catch (error) {
    // These are not about the service: a proxy that cannot be used, a signal, a bug.
    if (!(error instanceof Failure) || ['usage', 'interrupted', 'failed'].includes(error.code)) throw error;
    if (error.code === 'unauthorized') return error;
    if (error.code === 'no_credits') {
      stderr.warn(
        'the key was accepted, but its account has no credits (402): even free requests need at least one',
      );
      return null;
    }
    const { message, status } = error;
    const code = error.exit === 7 ? error.code : 'invalid_response';
    const place = `check the address ${service.baseUrl.href} and --namespace ${service.namespace}`;
    // The service may be busy, or another server may have answered.
    const isBusy = error.code === 'unavailable' || error.code === 'rate_limited';
    const step = code === 'unreachable' ? error.step : `${isBusy ? 'try again later, or ' : ''}${place}`;
    return new Failure(code, `could not verify the key: ${message}`, { status, step, cause: error });
  } finally {
    await client.close();
    await progress.stop();
  }
}
