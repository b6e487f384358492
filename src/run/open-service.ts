import { type CreditBound, resolveBounds } from '../accounts/bounds.ts';
import { requireKey, resolveService } from '../accounts/settings.ts';
import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Failure } from '../errors.ts';
import type { Progress } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import { parseBaseUrl } from '../service/address.ts';
import { Budget } from '../service/budget.ts';
import { Client, type Service } from '../service/client.ts';
import { defaultNamespace } from '../service/contract.ts';
import { span } from '../service/retry.ts';
import { version } from '../version.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

/** The service of one call. */
export interface OpenService {
  /** Identifies it in the state and the memory of an export. */
  readonly name: string;
  readonly client: Client;
  readonly budget: Budget;
  /** Adds what is known about the account to a failure of the service. */
  explain(failure: Failure): Failure;
  /** Notes that a request succeeded. */
  succeeded(): void;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly command: string;
  readonly shared: SharedOptions;
  readonly context: Context;
  readonly stderr: Stderr;
  readonly progress: Progress;
  /** Maximum number of concurrent requests. */
  readonly connections: number;
  /** Whether the command costs credits: then a ledger that its bounds need is opened before the first request. */
  readonly isPaid: boolean;
}

/** The service that the options name; with `--sandbox` a new one. Throws as `resolveService` and `requireKey` do. */
export async function openService(options: OpenOptions): Promise<OpenService> {
  const { shared, context, stderr } = options;
  if (shared.sandbox) return await openSandbox(options);
  const settings = await resolveService(shared, context);
  const { baseUrl, namespace } = settings;
  const key = requireKey(settings);
  stderr.redact(key);
  const bounds = resolveBounds(shared.maxCredits, context.env, settings.maxCredits);
  const budget = new Budget({
    bounds,
    ledger: async () => {
      const { openLedger } = await import('../accounts/ledger.ts');
      const warn = (message: string): void => stderr.warn(message);
      return openLedger({
        context,
        account: { origin: baseUrl.origin, key },
        command: options.command,
        bounds,
        warn,
      });
    },
  });
  if (options.isPaid) await budget.prepare();
  const client = createClient({ baseUrl, namespace, key }, budget, options);
  let marking: Promise<void> | null = null;
  let { verified } = settings;
  return {
    name: `${baseUrl.href} ${namespace}`,
    client,
    budget,
    explain: (failure) => (verified || failure.code !== 'not_found' ? failure : unverified(failure)),
    succeeded: () => {
      if (verified) return;
      verified = true;
      marking = import('../accounts/store-write.ts').then(({ markVerified }) =>
        markVerified(context, settings),
      );
    },
    close: async () => {
      await client.close();
      await marking?.catch(() => {});
    },
  };
}

/** Until a call of a profile has succeeded, a 404 may also mean that its address or path is wrong. */
function unverified(failure: Failure): Failure {
  const hint =
    'no call of this profile has succeeded yet: check the address and --namespace, then the spelling';
  return failure.with({ hint });
}

async function openSandbox(options: OpenOptions): Promise<OpenService> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ credits: sandboxCredits });
  const baseUrl = parseBaseUrl(sandbox.baseUrl, '--sandbox');
  const bounds: readonly CreditBound[] = options.shared.maxCredits;
  const budget = new Budget({ bounds, ledger: null });
  const client = createClient({ baseUrl, namespace: defaultNamespace, key: sandbox.key }, budget, options);
  return {
    name: 'sandbox',
    client,
    budget,
    explain: (failure) => failure,
    succeeded: () => {},
    close: async () => {
      await client.close();
      await sandbox.close();
    },
  };
}

/** A client that reports its requests and waits. */
export function createClient(
  service: Service,
  budget: Budget,
  {
    shared,
    context,
    stderr,
    progress,
    connections,
  }: Pick<OpenOptions, 'shared' | 'context' | 'stderr' | 'progress' | 'connections'>,
): Client {
  const { timeout, retries, maxWait } = shared;
  const options = { timeout, retries, maxWait, connections, userAgent: `chanlist/${version}` };
  return new Client(service, options, context, budget, {
    request: (line) => stderr.detail(line),
    wantsRequests: shared.verbose > 1,
    wait: (milliseconds, why) => {
      stderr.verbose(`waiting ${span(milliseconds)}: ${why}`);
      progress.wait(milliseconds, why);
    },
  });
}
