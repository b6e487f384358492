import type { CreditBound } from '../accounts/bounds.ts';
import { checkSandboxFlags, requireKey, resolveService } from '../accounts/settings.ts';
import { parseBaseUrl } from '../api/address.ts';
import { Client, type ClientOptions, type Service } from '../api/client.ts';
import { defaultNamespace } from '../api/contract.ts';
import type { Budget } from '../api/credits.ts';
import { span } from '../api/retry.ts';
import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Progress } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import { version } from '../version.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

/** The service of one call. */
export interface OpenService extends Service {
  /** Names it in the state of an export. */
  readonly name: string;
  /** Bounds that the profile keeps. */
  readonly maxCredits: readonly CreditBound[];
  close(): Promise<void>;
}

/** The service that the options name, with its key; with `--sandbox` a new one. Throws as `resolveService`, `requireKey`. */
export async function openService(shared: SharedOptions, context: Context): Promise<OpenService> {
  checkSandboxFlags(shared);
  if (shared.sandbox) {
    const { startSandbox } = await import('../sandbox/server.ts');
    const sandbox = await startSandbox({ credits: sandboxCredits });
    const baseUrl = parseBaseUrl(sandbox.baseUrl, '--sandbox');
    return {
      baseUrl,
      namespace: defaultNamespace,
      key: sandbox.key,
      name: 'sandbox',
      maxCredits: [],
      close: () => sandbox.close(),
    };
  }
  const settings = await resolveService(shared, context);
  const { baseUrl, namespace, maxCredits } = settings;
  const name = `${baseUrl.href} ${namespace}`;
  return { baseUrl, namespace, key: requireKey(settings), name, maxCredits, close: async () => {} };
}

/** A client of the service that tells its requests and waits. */
export function createClient(
  service: Service,
  { timeout, retries, maxWait, verbose }: SharedOptions,
  how: Pick<ClientOptions, 'connections'>,
  context: Context,
  budget: Budget,
  stderr: Stderr,
  progress: Progress,
): Client {
  const options = { timeout, retries, maxWait, ...how, userAgent: `chanlist/${version}` };
  return new Client(service, options, context, budget, {
    request: (line) => stderr.detail(line),
    wantsRequests: verbose > 1,
    wait: (milliseconds, why) => {
      stderr.verbose(`waiting ${span(milliseconds)}: ${why}`);
      progress.wait(milliseconds, why);
    },
  });
}
