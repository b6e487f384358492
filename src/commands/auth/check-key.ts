import type { Service } from '../../api/client.ts';
import { operations } from '../../api/contract.ts';
import { createBudget, newTally } from '../../api/credits.ts';
import type { SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { createProgress } from '../../output/progress.ts';
import { Stderr } from '../../output/stderr.ts';
import { createClient } from '../../run/open-service.ts';

/** `good, but odd`: the answer proves the key, yet is none that the service gives. */
export type Verdict = 'good' | 'good, but odd' | 'no credits';

/** What is resolved to see whether a key is taken: whether the channel exists does not matter. */
const anyChannel = '@chanlist';

/**
 * Checks a key with one free call: every answer but 401, 402 and 403 proves it, so that only a service that does
 * not answer is asked again. Throws `unauthorized` for a refused key, and what else keeps the service from
 * answering (a redirect too: it is another address).
 */
export async function checkKey(service: Service, context: Context, shared: SharedOptions): Promise<Verdict> {
  const stderr = new Stderr(context.stderr, shared);
  stderr.redact(service.key);
  const progress = createProgress(context, stderr, shared);
  const how = { connections: 1, takesAnyAnswer: true };
  const budget = createBudget({ bounds: [{ credits: 0, per: 'call' }], ledger: null });
  const client = createClient(service, shared, how, context, budget, stderr, progress);
  try {
    await client.call(operations.resolve, { input: anyChannel }, newTally());
    return 'good';
  } catch (error) {
    if (!(error instanceof Failure) || error.status === null) throw error;
    if (error.code === 'no_credits') return 'no credits';
    const redirected = error.status >= 300 && error.status < 400;
    if (error.code === 'unauthorized' || redirected) throw error;
    return error.code === 'bad_answer' ? 'good, but odd' : 'good';
  } finally {
    await client.close();
    await progress.stop();
  }
}
