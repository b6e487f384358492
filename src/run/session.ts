import { resolveService } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { createProgress, type ProgressLine, sharedProgress } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import { parseAddress } from '../service/address.ts';
import { Budget, type Ledger, resolveBounds } from '../service/budget.ts';
import { Client, type ClientOptions, type Service } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import { span } from '../service/retry.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

export interface Session extends AsyncDisposable {
  readonly operation: Operation;
  readonly context: Context;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the record of an export. */
  readonly serviceName: string;
  /** `--max-credits 0`: the same command would stop again. */
  readonly isNothingAllowed: boolean;
  progress: ProgressLine;
  /** From now on, progress is that of `count` references together. */
  shareProgress(count: number): void;
}

/** Opens the service of the options. `connections`: concurrent requests; `warn`: where the ledger warns. */
export async function openSession(
  operation: Operation,
  connections: number,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
  warn: (message: string) => void,
): Promise<Session> {
  const { service, budget, name, close } = options.sandbox
    ? await openSandbox(options)
    : await openAccount(operation, options, context, stderr, warn);
  const progress = createProgress(context, stderr, options);
  const shared = clientOptions(options, context, stderr, progress);
  const client = new Client({ ...shared, service, budget, connections });
  const session: Session = {
    ...{ operation, context, stderr, client, budget, serviceName: name, progress },
    isNothingAllowed: budget.bounds.some(({ credits }) => credits === 0),
    shareProgress: (count) => {
      session.progress = sharedProgress(session.progress, count, operation.reference);
    },
    [Symbol.asyncDispose]: async () => {
      await session.progress.stop();
      await client.close();
      await close();
    },
  };
  return session;
}

async function openAccount(
  operation: Operation,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
  warn: (message: string) => void,
) {
  const settings = await resolveService(options, context);
  const { baseUrl, namespace, key } = settings;
  if (key === null) throw settings.problem;
  stderr.redact(key);
  const bounds = resolveBounds(options.maxCredits, context.env, settings.maxCredits);
  let ledger: Ledger | null = null;
  if (operation.credits > 0) {
    const { openLedger } = await import('../accounts/ledger.ts');
    const account = { origin: baseUrl.origin, key };
    const { timeout } = options;
    ledger = openLedger({ context, account, command: operation.name, bounds, timeout, warn });
  }
  const name = serviceName({ baseUrl, namespace });
  const budget = new Budget(bounds, ledger);
  return { service: { baseUrl, namespace, key }, budget, name, close: async () => {} };
}

async function openSandbox({ maxCredits }: CommonOptions) {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { baseUrl: address, key, close } = await startSandbox({ credits: sandboxCredits });
  const { baseUrl } = parseAddress(address, '--sandbox');
  const service = { baseUrl, namespace: defaultNamespace, key };
  return { service, budget: new Budget(maxCredits, null), name: sandboxName, close };
}

/** What identifies a service in the record of an export. */
export const serviceName = ({ baseUrl, namespace }: Pick<Service, 'baseUrl' | 'namespace'>): string =>
  `${baseUrl.href} ${namespace}`;

export const sandboxName = 'sandbox';

/** What a client takes from the options, and how it reports its requests and waits. */
export function clientOptions(
  { timeout, retries, maxWait }: Pick<CommonOptions, 'timeout' | 'retries' | 'maxWait'>,
  context: Context,
  stderr: Stderr,
  progress: ProgressLine,
): Omit<ClientOptions, 'service' | 'budget' | 'connections'> {
  return {
    context,
    timeout,
    retries,
    maxWait,
    onRequest: (line) => stderr.detail(line),
    onWait: (milliseconds, why) => {
      const line = `waiting ${span(milliseconds)}: ${why}`;
      if (progress.isHidden) stderr.note(line);
      else stderr.verbose(line);
      progress.countDown(milliseconds, why);
    },
  };
}
