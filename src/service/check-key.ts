import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { version } from '../version.ts';
import { Client, type Service } from './client.ts';
import { operations } from './contract.ts';
import { Budget, newTally } from './credits.ts';

/** What is resolved to see whether a key is taken: whether the channel exists does not matter. */
const anyChannel = '@chanlist';

/**
 * Checks a key with one free call: every answer but 401, 402 and 403 proves it. Throws `unauthorized` for a
 * refused key, and what else keeps the service from answering (a redirect too: it is another address).
 */
export async function checkKey(
  service: Service,
  context: Context,
  options: { timeout: number },
): Promise<'good' | 'no credits'> {
  const client = new Client(
    service,
    { timeout: options.timeout, retries: 0, maxWait: 0, connections: 1, userAgent: `chanlist/${version}` },
    context,
    new Budget(0),
    { request: () => {}, wait: () => {} },
  );
  try {
    await client.call(operations.resolve, { input: anyChannel }, newTally());
    return 'good';
  } catch (error) {
    if (!(error instanceof Failure) || error.status === null) throw error;
    if (error.code === 'no_credits') return 'no credits';
    const redirected = error.status >= 300 && error.status < 400;
    if (error.code === 'unauthorized' || redirected) throw error;
    return 'good';
  } finally {
    await client.close();
  }
}
