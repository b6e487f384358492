import { resolveAccount } from '../accounts/settings.ts';
import type { CommonOptions, RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Warning } from '../errors.ts';
import { createProgress, type ProgressLine } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import { parseAddress } from '../service/address.ts';
import { Budget } from '../service/budget.ts';
import { Client, type Service } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import { span } from '../service/retry.ts';
import { distinct, type Reference, valid } from './read-references.ts';
import { createRun, type Run } from './run.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

/** Opens the service of the options. Throws `unauthorized` (3) without an account. */
export async function openRun(
  operation: Operation,
  references: readonly Reference[],
  options: RunOptions,
  context: Context,
  stderr: Stderr,
): Promise<Run> {
  const warnings: Warning[] = [];
  const warn = (message: string): void => void warnings.push({ code: 'ledger', label: null, message });
  const opened = options.sandbox
    ? await openSandbox(options)
    : await openAccount(operation, options, context, stderr, warn);
  const all = distinct(valid(references)).length;
  const progress = createProgress(context, stderr, options, { all, noun: operation.reference });
  const connections = Math.min(options.concurrency, all);
  const client = openClient(opened.service, opened.budget, connections, options, context, stderr, progress);
  return createRun({
    operation,
    references,
    options,
    context,
    stderr,
    client,
    progress,
    warnings,
    ...opened,
  });
}

async function openAccount(
  operation: Operation,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
  warn: (message: string) => void,
) {
  const { bounds, ...service } = await resolveAccount(options, context);
  const { baseUrl, key } = service;
  stderr.redact(key);
  const opened = { service, serviceName: serviceName(service), close: async () => {} };
  if (operation.credits === 0) return { ...opened, budget: new Budget(bounds, null) };
  const { openLedger } = await import('../accounts/ledger.ts');
  const account = { origin: baseUrl.origin, key };
  const { timeout } = options;
  const ledger = openLedger({ context, account, command: operation.name, bounds, timeout, warn });
  return { ...opened, budget: new Budget(bounds, ledger) };
}

async function openSandbox({ maxCredits }: CommonOptions) {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { baseUrl: address, key, close } = await startSandbox({ credits: sandboxCredits });
  const { baseUrl } = parseAddress(address, '--sandbox');
  const service = { baseUrl, namespace: defaultNamespace, key };
  return { service, budget: new Budget(maxCredits, null), serviceName: sandboxName, close };
}

/** Identifies a service in the record of an export. */
export const serviceName = ({ baseUrl, namespace }: Pick<Service, 'baseUrl' | 'namespace'>): string =>
  `${baseUrl.href} ${namespace}`;

export const sandboxName = 'sandbox';

/** A client that reports its requests and waits on stderr. */
export function openClient(
  service: Service,
  budget: Budget,
  connections: number,
  { timeout, retries, maxWait }: Pick<CommonOptions, 'timeout' | 'retries' | 'maxWait'>,
  context: Context,
  stderr: Stderr,
  progress: ProgressLine,
): Client {
  return new Client({
    service,
    budget,
    connections,
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
  });
}
