import { resolveBounds } from '../accounts/bounds.ts';
import { requireKey, resolveService } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { createProgress, type ProgressLine, sharedProgress } from '../output/progress.ts';
import { Stderr } from '../output/stderr.ts';
import { parseAddress } from '../service/address.ts';
import { Budget } from '../service/budget.ts';
import { Client, type Service } from '../service/client.ts';
import { defaultNamespace } from '../service/contract.ts';
import { span } from '../service/retry.ts';
import { version } from '../version.ts';
import { type Result, resultOf, type Subject } from './results.ts';
import { Summary } from './summary.ts';

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

export interface RunPlan {
  readonly command: string;
  /** The references, in input order. */
  readonly subjects: readonly Subject[];
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Whether the command costs credits: a ledger that its bounds need is then opened before the first request. */
  readonly isPaid: boolean;
}

/** Closes the service; for `await using`. */
type Close = () => Promise<void>;

interface OpenService {
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the record of an export. */
  readonly name: string;
  readonly close: Close;
}

/** A run of a command that uses the service: one client, one budget, one list of warnings. */
export class Run {
  readonly options: CommonOptions;
  readonly context: Context;
  readonly plan: RunPlan;
  readonly stderr: Stderr;
  readonly client: Client;
  readonly budget: Budget;
  readonly serviceName: string;
  readonly summary: Summary;
  readonly warnings: Warning[] = [];
  progress: ProgressLine;
  /** The reader of stdout has closed it: the end of the work, and no failure. */
  hasReaderLeft = false;
  /** What has ended the run; null while it works. */
  ended: Failure | null = null;
  readonly #close: Close;
  #failedInRow = 0;

  constructor(
    plan: RunPlan,
    options: CommonOptions,
    context: Context,
    parts: Pick<Run, 'stderr' | 'progress' | 'summary'> & { readonly service: OpenService },
  ) {
    this.plan = plan;
    this.options = options;
    this.context = context;
    this.stderr = parts.stderr;
    this.progress = parts.progress;
    this.summary = parts.summary;
    this.client = parts.service.client;
    this.budget = parts.service.budget;
    this.serviceName = parts.service.name;
    this.#close = parts.service.close;
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

  /** Does the work of a reference, unless the run has ended, and sees what its result means for the run. */
  async work(subject: Subject, work: () => Promise<Result>): Promise<Result> {
    const { stopped } = this;
    if (stopped !== null) return unreached(subject, stopped);
    const result = await work();
    this.#notice(result);
    return result;
  }

  #notice({ failure }: Result): void {
    if (failure === null) this.#failedInRow = 0;
    else if (failure.scope === 'run') this.end(failure);
    else if (
      [7, 8].includes(failure.exit) &&
      failure.code !== 'no_feed' &&
      ++this.#failedInRow >= outageLength
    )
      this.end(
        new Failure('outage', `${outageLength} references in a row failed`, { status: failure.status }),
      );
  }

  /** From now on, progress is that of all references together. */
  shareProgress(): void {
    this.progress = sharedProgress(this.progress);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.progress.stop();
    await this.#close();
  }
}

/** Results in order, and what a run that has ended did not reach. */
export const withUnreached = (
  run: Run,
  subjects: readonly Subject[],
  results: readonly Result[],
): readonly Result[] => {
  const { stopped } = run;
  return stopped === null
    ? results
    : [...results, ...subjects.slice(results.length).map((one) => unreached(one, stopped))];
};

/** The result of a reference that a run did not reach. */
export const unreached = (subject: Subject, failure: Failure): Result =>
  resultOf(subject, { status: 'interrupted', failure });

/**
 * Opens the service for a run, with `--sandbox` a new one, and writes the first receipt. Throws as `resolveService`
 * and `requireKey` do, and `failed` for a receipt that cannot be created.
 */
export async function openRun(plan: RunPlan, options: CommonOptions, context: Context): Promise<Run> {
  const stderr = new Stderr(context, options);
  const progress = createProgress(context, stderr, options);
  const summary = new Summary(plan.command, options, context);
  const open = options.sandbox ? openSandbox : openAccount;
  const service = await open(plan, options, context, { stderr, progress });
  try {
    await summary.start(plan.subjects.map((subject) => resultOf(subject, { status: 'interrupted' })));
    return new Run(plan, options, context, { stderr, progress, summary, service });
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** One reference needs one connection: a pool of them takes time to load. */
const connectionsOf = ({ concurrency, subjects }: RunPlan): number => Math.min(concurrency, subjects.length);

type Voices = Pick<Run, 'stderr' | 'progress'>;

async function openAccount(
  plan: RunPlan,
  options: CommonOptions,
  context: Context,
  voices: Voices,
): Promise<OpenService> {
  const settings = await resolveService(options, context);
  const { baseUrl, namespace } = settings;
  const key = requireKey(settings);
  voices.stderr.redact(key);
  const bounds = resolveBounds(options.maxCredits, context.env, settings.maxCredits);
  const budget = new Budget(bounds, async () => {
    const { FileLedger } = await import('../accounts/ledger.ts');
    const warn = (message: string): void => voices.stderr.warn(message);
    const account = { origin: baseUrl.origin, key };
    return new FileLedger({ context, account, command: plan.command, bounds, warn });
  });
  if (plan.isPaid) await budget.prepare();
  const client = createClient(
    { baseUrl, namespace, key },
    budget,
    options,
    context,
    voices,
    connectionsOf(plan),
  );
  return { client, budget, name: `${baseUrl.href} ${namespace}`, close: () => client.close() };
}

async function openSandbox(
  plan: RunPlan,
  options: CommonOptions,
  context: Context,
  voices: Voices,
): Promise<OpenService> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ credits: sandboxCredits });
  const baseUrl = parseAddress(sandbox.baseUrl, '--sandbox').baseUrl;
  const budget = new Budget(options.maxCredits, null);
  const service = { baseUrl, namespace: defaultNamespace, key: sandbox.key };
  const client = createClient(service, budget, options, context, voices, connectionsOf(plan));
  const close = async (): Promise<void> => {
    await client.close();
    await sandbox.close();
  };
  return { client, budget, name: 'sandbox', close };
}

/** A client that reports its requests and waits. */
export function createClient(
  service: Service,
  budget: Budget,
  { timeout, retries, maxWait }: Pick<CommonOptions, 'timeout' | 'retries' | 'maxWait'>,
  context: Context,
  { stderr, progress }: Voices,
  connections: number,
): Client {
  return new Client({
    service,
    context,
    budget,
    timeout,
    retries,
    maxWait,
    connections,
    userAgent: `chanlist/${version}`,
    onRequest: (line) => stderr.detail(line),
    onWait: (milliseconds, why) => {
      stderr.verbose(`waiting ${span(milliseconds)}: ${why}`);
      progress.wait(milliseconds, why);
    },
  });
}
