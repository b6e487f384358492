import { Readable } from 'node:stream';
import { resolveAccount } from '../accounts/settings.ts';
import type { CommonOptions, RunOptions } from '../cli/options.ts';
import { type ExitCode, Failure, toFailure, type Warning } from '../errors.ts';
import { createProgress, type ProgressLine } from '../output/progress.ts';
import type { Stderr } from '../output/stderr.ts';
import type { Output } from '../output/stdout.ts';
import { parseAddress } from '../service/address.ts';
import { Budget, type Ledger } from '../service/budget.ts';
import { Client, type ClientOptions } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import { span } from '../service/retry.ts';
import { endingOf } from './ending.ts';
import type { DryRun } from './print-dry-run.ts';
import { type Reference, validOnly, withoutRepeats } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';
import type { WriteSummary } from './summary.ts';

export interface Job {
  /** In input order, with the bad lines of a list. */
  readonly references: readonly Reference[];
  /** FILE or folder of the output; null: stdout. */
  readonly destination: string | null;
  /** Throws what the run would refuse, before anything is sent. */
  assertPossible(): void | Promise<void>;
  /** The first request of each reference, for `--dry-run`. */
  firstRequests(): Promise<DryRun>;
  /** Does the work, and returns a result for each reference. */
  work(run: Run): Promise<readonly Result[]>;
}

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

/** What a run works with. */
export interface RunParts extends Output {
  readonly operation: Operation;
  readonly references: readonly Reference[];
  /** FILE or folder of the output; null: stdout. */
  readonly destination: string | null;
  readonly options: RunOptions;
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the pages of an export. */
  readonly serviceName: string;
  /** One line for all references. */
  readonly progress: ProgressLine;
  readonly warnings: Warning[];
  /** Ends the sandbox, if there is one. */
  close(): Promise<void>;
}

/** Opens the service, and what reports on it. Throws `unauthorized` (3) without an account. */
export async function openService(
  operation: Operation,
  { references, destination }: Job,
  options: RunOptions,
  output: Output,
): Promise<RunParts> {
  const { context, stderr } = output;
  const { sandbox, timeout, concurrency } = options;
  const warnings: Warning[] = [];
  const account = sandbox ? await openSandbox(options) : await resolveAccount(options, context);
  const { bounds, serviceName, ...service } = account;
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
  const requested = withoutRepeats(validOnly(references)).length;
  const progress = createProgress(output, options, { references: requested, noun: operation.reference });
  const connections = Math.min(concurrency, requested);
  const reports = reportsTo(stderr, progress);
  const client = new Client({ ...options, service, context, budget, connections, ...reports });
  return {
    ...output,
    operation,
    references,
    destination,
    options,
    client,
    budget,
    serviceName,
    progress,
    warnings,
    close: 'close' in account ? account.close : async () => {},
  };
}

async function openSandbox({ maxCredits }: CommonOptions) {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { baseUrl: address, key, close } = await startSandbox({ credits: sandboxCredits });
  const { baseUrl } = parseAddress(address, '--sandbox');
  return { baseUrl, namespace: defaultNamespace, serviceName: sandboxName, key, bounds: maxCredits, close };
}

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

/** After so many references in a row that fail with 7 or 8 a run ends. */
const maxFailuresInRow = 5;

/** One invocation of the program that sends requests: what it works with, and what has happened. */
export interface Run extends RunParts, AsyncDisposable {
  /** The reader of stdout has closed the pipe: the end of the work, and not a failure. */
  readonly pipeClosed: boolean;
  /** What has ended the run; null while it works. */
  readonly endedBy: Failure | null;
  /** Why no more work may start: a signal, or what has ended the run; null while it goes on. */
  readonly stopReason: Failure | null;
  /** Whether the reader of the pipe has gone. A user who has left the pager is still at the terminal. */
  readonly isReaderGone: boolean;
  /** Ends the run. The first failure counts, unless this one `replaces` it. */
  fail(failure: Failure, replaces?: boolean): void;
  closePipe(): void;
  warn(code: Warning['code'], label: string | null, message: string): void;
  /** Restarts the count of failures in a row: a page was bought, or a free request was answered. */
  progressed(): void;
  /** Does the work of a reference, unless it is a bad line or the run has ended. A failure in its result may end the run. */
  work(reference: Reference, work: () => Promise<Result>): Promise<Result>;
  /** Sends a free request of a reference, unless the run has ended. Returns the response, or the failure. */
  request<T>(send: () => Promise<T>): Promise<T | Failure>;
}

/** Whether a failure may be the service's own: 7 or 8, but not a channel of which it answers that it has no feed. */
function isOfService({ code, status, exit }: Failure): boolean {
  const isAnswered = code === 'no_feed' && status !== null && status < 500;
  return (exit === 7 || exit === 8) && !isAnswered;
}

export function createRun(parts: RunParts): Run {
  const { context, client, progress, warnings, stdout } = parts;
  let failuresInRow = 0;

  const countFailure = (failure: Failure | null): void => {
    if (failure !== null && isOfService(failure)) failuresInRow++;
    if (failure !== null && (failure.scope === 'run' || failuresInRow >= maxFailuresInRow))
      run.fail(failure.with({ scope: 'run' }));
  };

  const run: Run & { pipeClosed: boolean; endedBy: Failure | null } = {
    ...parts,
    pipeClosed: false,
    endedBy: null,
    get stopReason() {
      return context.stop.aborted ? context.stop.reason : run.endedBy;
    },
    get isReaderGone() {
      return run.pipeClosed && !stdout.hasPager;
    },
    fail: (failure, replaces = false) => {
      if (run.endedBy === null || replaces) run.endedBy = failure;
      client.end(failure.with({ isInherited: true }));
    },
    closePipe: () => {
      run.pipeClosed = true;
    },
    warn: (code, label, message) => {
      warnings.push({ code, label, message });
    },
    progressed: () => {
      failuresInRow = 0;
    },
    work: async (reference, work) => {
      const { stopReason } = run;
      if (reference.failure !== null || stopReason !== null) return unreachedResult(reference, stopReason);
      const result = await work();
      countFailure(result.failure);
      progress.referenceDone(reference);
      return result;
    },
    request: async (send) => {
      const { stopReason } = run;
      if (stopReason !== null) return stopReason.with({ isInherited: true });
      const response = await send().catch(toFailure);
      const failure = response instanceof Failure ? response : null;
      if (failure === null || !isOfService(failure)) run.progressed();
      countFailure(failure);
      return response;
    },
    [Symbol.asyncDispose]: async () => {
      await progress.stop();
      await client.close();
      await parts.close();
    },
  };
  return run;
}

/** Does a job and prints how it ended; returns the exit code. Throws what the job throws before its first request. */
export async function runJob(run: Run, job: Job, writeSummary: WriteSummary): Promise<ExitCode> {
  const { stdout, stderr, budget } = run;
  const unreached = (): Result[] =>
    run.references.map((reference) => unreachedResult(reference, run.endedBy));
  writeSummary(unreached(), null);
  const results = await job.work(run).catch((error: unknown) => {
    if (budget.total.requests === 0) throw error;
    run.fail(toFailure(error));
    return unreached();
  });
  await run.progress.stop();
  const pagerFailure = run.stopReason === null ? await stdout.close() : null;
  if (pagerFailure !== null) run.fail(pagerFailure);
  // A signal has ended it if it left something undone.
  if (run.stopReason !== null && results.some(({ failure }) => failure !== null)) run.fail(run.stopReason);
  const { exit, warnings, failures, notes } = endingOf(run, results);
  for (const text of warnings) stderr.warn(text);
  for (const failure of failures) stderr.printFailure(failure);
  if (!run.isReaderGone) for (const note of notes) stderr.note(note);
  try {
    writeSummary(results, { exit, failure: run.endedBy, total: budget.total });
  } catch (error) {
    stderr.printFailure(toFailure(error));
    return exit === 0 ? 1 : exit;
  }
  return exit;
}

/**
 * Does `work` for each item, at most `concurrency` at once, and yields the results in input order. About `lookahead` results
 * may wait to be taken. `work` must not reject.
 */
export function mapConcurrently<T, R>(
  items: readonly T[],
  { concurrency, lookahead = items.length }: { readonly concurrency: number; readonly lookahead?: number },
  work: (item: T) => Promise<R>,
): AsyncIterable<[T, R]> {
  // The types of Node 20 lack `highWaterMark`.
  const options = { concurrency, highWaterMark: lookahead };
  return Readable.from(items).map(async (item: T) => [item, await work(item)], options);
}
