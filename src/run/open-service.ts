import { resolveAccount } from '../accounts/settings.ts';
import type { CommonOptions, RunOptions } from '../cli/options.ts';
import type { Warning } from '../errors.ts';
import { createProgress, type ProgressLine } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Streams } from '../output/stdout.ts';
import { demoReferences } from '../sandbox/defaults.ts';
import { parseAddress } from '../service/address.ts';
import { Budget, type Ledger } from '../service/budget.ts';
import { Client, type ClientOptions } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import { formatDuration } from '../text/duration.ts';
import { type Reference, uniqueReferences, validReferences } from './read-references.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

/** What a run works with. */
export interface RunParts extends Streams {
  readonly operation: Operation;
  readonly references: readonly Reference[];
  /** FILE or folder of the output; null for stdout. */
  readonly destination: string | null;
  readonly options: RunOptions;
  readonly client: Client;
  readonly budget: Budget;
  /** One progress line for all references. */
  readonly progress: ProgressLine;
  readonly warnings: Warning[];
  /** Stops the sandbox, if there is one. */
  close(): Promise<void>;
}

/** Opens account, budget, client and progress line. Throws `unauthorized` (3) if no account is configured. */
export async function openService(
  operation: Operation,
  { references, destination }: Pick<RunParts, 'references' | 'destination'>,
  options: RunOptions,
  streams: Streams,
): Promise<RunParts> {
  const { context, stderr } = streams;
  const { sandbox, timeout, concurrency } = options;
  const warnings: Warning[] = [];
  const account = sandbox ? await openSandbox(options) : await resolveAccount(options, context);
  const { bounds, ...service } = account;
  let ledger: Ledger | null = null;
  if (!sandbox) stderr.addSecret(service.key);
  if (!sandbox && operation.credits > 0) {
    const { CreditLedger } = await import('../accounts/ledger.ts');
    ledger = new CreditLedger({
      context,
      account: { origin: service.baseUrl.origin, key: service.key },
      command: operation.name,
      bounds,
      timeout,
      warn: (message) => warnings.push({ code: 'ledger', label: null, message }),
    });
  }
  const budget = new Budget(bounds, ledger);
  const requested = uniqueReferences(validReferences(references)).length;
  const progress = createProgress(streams, { references: requested, noun: operation.reference });
  const connections = Math.min(concurrency, requested);
  const reports = clientReports(stderr, progress);
  const client = new Client({ ...options, service, context, budget, connections, ...reports });
  return {
    ...streams,
    operation,
    references,
    destination,
    options,
    client,
    budget,
    progress,
    warnings,
    close: 'close' in account ? account.close : async () => {},
  };
}

async function openSandbox({ maxCredits }: CommonOptions) {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { baseUrl: address, key, close } = await startSandbox({ credits: sandboxCredits });
  const { baseUrl } = parseAddress(address, '--sandbox');
  return {
    baseUrl,
    namespace: defaultNamespace,
    key,
    notFoundStep: demoReferences,
    bounds: maxCredits,
    close,
  };
}

/** Returns the callbacks with which a client reports its requests and waits on stderr. */
export const clientReports = (
  stderr: Stderr,
  progress: ProgressLine,
): Pick<ClientOptions, 'onRequest' | 'onWait'> => ({
  onRequest: (line) => stderr.detail(line),
  onWait: (milliseconds, why) => {
    const line = `waiting ${formatDuration(milliseconds)}: ${why}`;
    if (progress.isHidden) stderr.note(line);
    else stderr.verbose(line);
    progress.countDown(milliseconds, why);
  },
});
