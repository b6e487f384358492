import { resolveAccount } from '../accounts/settings.ts';
import type { CommonOptions, RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Warning } from '../errors.ts';
import { createProgress, type ProgressLine, sharedProgress } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import { parseAddress } from '../service/address.ts';
import { Budget, type Ledger } from '../service/budget.ts';
import { Client, type ClientOptions, type Service } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import { span } from '../service/retry.ts';
import { distinct, valid } from './read-references.ts';
import { createRun, type Job, type Run } from './run.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

/** Opens the service of the options. Throws `unauthorized` (3) without an account. */
export async function openRun(
  operation: Operation,
  { references, destination }: Job,
  options: RunOptions,
  context: Context,
  stderr: Stderr,
): Promise<Run> {
  const { sandbox, timeout, concurrency } = options;
  const warnings: Warning[] = [];
  const account = sandbox ? await openSandbox(options) : await resolveAccount(options, context);
  const { bounds, ...service } = account;
  let ledger: Ledger | null = null;
  if (!sandbox) stderr.redact(service.key);
  if (!sandbox && operation.credits > 0) {
    const { openLedger } = await import('../accounts/ledger.ts');
    ledger = openLedger({
      context,
      account: { origin: service.baseUrl.origin, key: service.key },
      command: operation.name,
      bounds,
      timeout,
      warn: (message) => warnings.push({ code: 'ledger', label: null, message }),
    });
  }
  const budget = new Budget(bounds, ledger);
  const line = createProgress(context, stderr, options);
  const count = distinct(valid(references)).length;
  const progress = count > 1 ? sharedProgress(line, count, operation.reference) : line;
  const client = new Client({
    ...options,
    service,
    context,
    budget,
    connections: Math.min(concurrency, count),
    ...reportsTo(stderr, progress),
  });
  return createRun({
    operation,
    references,
    destination,
    options,
    context,
    stderr,
    client,
    budget,
    serviceName: sandbox ? sandboxName : serviceName(service),
    progress,
    warnings,
    close: 'close' in account ? account.close : async () => {},
  });
}

async function openSandbox({ maxCredits }: CommonOptions) {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { baseUrl: address, key, close } = await startSandbox({ credits: sandboxCredits });
  const { baseUrl } = parseAddress(address, '--sandbox');
  return { baseUrl, namespace: defaultNamespace, key, bounds: maxCredits, close };
}

/** Identifies a service in the record of an export. */
export const serviceName = ({ baseUrl, namespace }: Pick<Service, 'baseUrl' | 'namespace'>): string =>
  `${baseUrl.href} ${namespace}`;

export const sandboxName = 'sandbox';

/** Has a client report its requests and waits on stderr. */
export const reportsTo = (
  stderr: Stderr,
  progress: ProgressLine,
): Pick<ClientOptions, 'onRequest' | 'onWait'> => ({
  onRequest: (line) => stderr.detail(line),
  onWait: (milliseconds, why) => {
    const line = `waiting ${span(milliseconds)}: ${why}`;
    if (progress.isHidden) stderr.note(line);
    else stderr.verbose(line);
    progress.countDown(milliseconds, why);
  },
});
