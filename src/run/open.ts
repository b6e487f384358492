import { resolveBounds } from '../accounts/bounds.ts';
import { requireKey, resolveService } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { createProgress, type ProgressLine, sharedProgress } from '../output/progress.ts';
import { Stderr } from '../output/stderr.ts';
import { parseAddress } from '../service/address.ts';
import { Budget } from '../service/budget.ts';
import { Client, type ClientOptions, type Service } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import { span } from '../service/retry.ts';
import { version } from '../version.ts';
import { type Result, type Subject, unreached } from './results.ts';
import { summaryWriter, type WriteSummary } from './summary.ts';

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;
/** Consecutive references with exit code 7 or 8 that end the run. */
const outageLength = 5;

/** A warning about one reference, or about the run (label null). Those with one code are one line. */
export interface Warning {
  readonly code: string;
  readonly label: string | null;
  readonly message: string;
}

/** What a run does. */
interface Work {
  /** That of the command; where it costs credits, a ledger that a bound needs is opened before the first request. */
  readonly operation: Operation;
  /** The references, in input order. */
  readonly subjects: readonly Subject[];
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
}

/** The service of a run. */
interface OpenService {
  readonly service: Service;
  readonly budget: Budget;
  /** Identifies the service in the record of an export. */
  readonly name: string;
  close?(): Promise<void>;
}

/** A run of a command that uses the service: one client, one budget, one list of warnings. */
export class Run {
  readonly operation: Operation;
  readonly subjects: readonly Subject[];
  readonly context: Context;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  readonly serviceName: string;
  readonly writeSummary: WriteSummary;
  readonly warnings: Warning[] = [];
  progress: ProgressLine;
  /** The reader of stdout has closed it: the end of the work, and no failure. */
  hasReaderLeft = false;
  /** What has ended the run; null while it works. */
  ended: Failure | null = null;
  readonly #opened: OpenService;
  #failedInRow = 0;

  constructor(
    { operation, subjects, concurrency }: Work,
    options: CommonOptions,
    context: Context,
    stderr: Stderr,
    opened: OpenService,
  ) {
    const { budget, service, name } = opened;
    const connections = Math.min(concurrency, subjects.length);
    this.operation = operation;
    this.subjects = subjects;
    this.context = context;
    this.stderr = stderr;
    this.progress = createProgress(context, stderr, options);
    this.client = new Client({
      ...clientOptions(options, context, stderr, this.progress),
      ...{ service, budget, connections },
    });
    this.budget = budget;
    this.serviceName = name;
    this.writeSummary = summaryWriter(operation.name, options.summary, budget.total, context);
    this.#opened = opened;
  }

  /** Collects a warning for the report. */
  warn(code: string, label: string | null, message: string): void {
    this.warnings.push({ code, label, message });
  }

  /** Why no more work may start: a signal, or the failure that has ended the run; null if it may. */
  get stopped(): Failure | null {
    const { aborted, reason } = this.context.stop;
    return aborted ? (reason as Failure) : this.ended;
  }

  /** `--max-credits 0`: the same command would stop again. */
  get isNothingAllowed(): boolean {
    return this.budget.bounds.some(({ credits }) => credits === 0);
  }

  /** Ends the run at what a write to stdout has thrown: its reader has left, or it cannot be written. */
  endAt(thrown: unknown): void {
    if (thrown instanceof ClosedPipe) this.hasReaderLeft = true;
    else this.end(toFailure(thrown));
  }

  /** Ends the run: nothing more is sent. */
  end(failure: Failure): void {
    this.ended ??= failure;
    this.client.end(failure);
  }

  /** Does the work of a reference, unless the run has ended. A failure in its result may end the run. */
  async work(subject: Subject, work: () => Promise<Result>): Promise<Result> {
    const { stopped } = this;
    if (stopped !== null) return unreached(subject, stopped);
    const result = await work();
    this.#notice(result.failure);
    return result;
  }

  /** The same for a request of a reference: returns the response, or the failure. */
  async request<T>(send: () => Promise<T>): Promise<T | Failure> {
    const { stopped } = this;
    if (stopped !== null) return stopped;
    const response = await send().catch(toFailure);
    this.#notice(response instanceof Failure ? response : null);
    return response;
  }

  #notice(failure: Failure | null): void {
    if (failure === null) this.#failedInRow = 0;
    else if (failure.scope === 'run') this.end(failure);
    else if (
      [7, 8].includes(failure.exit) &&
      failure.code !== 'no_feed' &&
      ++this.#failedInRow >= outageLength
    )
      this.end(
        new Failure('outage', `${outageLength} references in a row failed, so the run has stopped`, {
          status: failure.status,
        }),
      );
  }

  /** From now on, progress is that of all references together. */
  shareProgress(): void {
    this.progress = sharedProgress(this.progress);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.progress.stop();
    await this.client.close();
    await this.#opened.close?.();
  }
}

/**
 * Opens the service for a run, with `--sandbox` a new one, and writes the first receipt. Throws as `resolveService`
 * and `requireKey` do, and `failed` for a receipt that cannot be created.
 */
export async function openRun(work: Work, options: CommonOptions, context: Context): Promise<Run> {
  const stderr = new Stderr(context, options);
  const opened = await (options.sandbox
    ? openSandbox(options)
    : openAccount(work.operation.name, options, context, stderr));
  const run = new Run(work, options, context, stderr, opened);
  try {
    if (work.operation.credits > 0) await run.budget.prepare();
    const results = work.subjects.map((subject) => unreached(subject, null));
    await run.writeSummary(results, null);
    return run;
  } catch (error) {
    await run[Symbol.asyncDispose]();
    throw error;
  }
}

async function openAccount(
  command: string,
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
): Promise<OpenService> {
  const settings = await resolveService(options, context);
  const { baseUrl, namespace } = settings;
  const key = requireKey(settings);
  stderr.redact(key);
  const bounds = resolveBounds(options.maxCredits, context.env, settings.maxCredits);
  const budget = new Budget(bounds, async () => {
    const { FileLedger } = await import('../accounts/ledger.ts');
    const warn = (message: string): void => stderr.warn(message);
    return new FileLedger({ context, account: { origin: baseUrl.origin, key }, command, bounds, warn });
  });
  return { service: { baseUrl, namespace, key }, budget, name: serviceName({ baseUrl, namespace }) };
}

async function openSandbox({ maxCredits }: CommonOptions): Promise<OpenService> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const { baseUrl: address, key, close } = await startSandbox({ credits: sandboxCredits });
  const { baseUrl } = parseAddress(address, '--sandbox');
  const service = { baseUrl, namespace: defaultNamespace, key };
  return { service, budget: new Budget(maxCredits, null), name: sandboxName, close };
}

/** What identifies a service in the record of an export. */
export const serviceName = ({ baseUrl, namespace }: Pick<Service, 'baseUrl' | 'namespace'>): string =>
  `${baseUrl.href} ${namespace}`;

/** The same for `--sandbox`, whose port differs. */
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
    userAgent: `chanlist/${version}`,
    onRequest: (line) => stderr.detail(line),
    onWait: (milliseconds, why) => {
      stderr.verbose(`waiting ${span(milliseconds)}: ${why}`);
      progress.countDown(milliseconds, why);
    },
  };
}
