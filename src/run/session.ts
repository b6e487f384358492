import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, type Failure, toFailure } from '../errors.ts';
import type { NamedFile } from '../fs/apart.ts';
import { createProgress, type Progress, sharedProgress } from '../output/progress.ts';
import { Stderr } from '../output/stderr.ts';
import { type Budget, budgetSpent, describeCredits } from '../service/budget.ts';
import type { Client } from '../service/client.ts';
import { count } from '../text/count.ts';
import type { DryRunRequest } from './dry-run.ts';
import { type OpenService, openService } from './open-service.ts';
import { exitOf, type Receipt, type Status, setFailure } from './receipts.ts';
import {
  failureLine,
  reportFailures,
  reportWarnings,
  shortNames,
  spentText,
  type Warning,
} from './reports.ts';
import { Summary } from './summary.ts';

/** The work of a command, once all of its arguments have been read and checked. */
export interface SessionPlan {
  /** One for each reference, in input order. */
  readonly receipts: readonly Receipt[];
  /** The first request of each reference, for `--dry-run`. */
  requests(): Promise<readonly DryRunRequest[]>;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Whether the operation costs credits. */
  readonly isPaid: boolean;
  work(session: Session): Promise<void>;
  /** How to resume these references, which a signal, the account or the budget stopped; null: they cannot be resumed. */
  resumeHint(session: Session, stopped: readonly Receipt[]): string | null;
  /** How to request these references again, which failed with one cause; absent: the failures say it all. */
  readonly retryHint?: (session: Session, failed: readonly Receipt[]) => string | null;
  /** Where the output went, for the final tally; null: stdout. */
  readonly destination: string | null;
  /** The destination is a file that is written only if no reference failed. */
  readonly isAllOrNothing?: boolean;
}

/** A session with the service: one client, one budget, one list of warnings. */
export interface Session {
  readonly context: Context;
  readonly shared: SharedOptions;
  readonly stderr: Stderr;
  readonly progress: Progress;
  readonly client: Client;
  readonly budget: Budget;
  /** Identifies the service in the state and the memory of an export. */
  readonly serviceName: string;
  /** Collects a warning; the same ones are reported in one line at the end. */
  warn(warning: Warning): void;
  /** Notes that a reference failed; ends the call if the failure is not of this reference alone. */
  fail(receipt: Receipt, thrown: unknown): Failure;
  /** Notes a success: the count of consecutive failures restarts. */
  succeed(): void;
  /** Throws the failure that has ended the call, or the signal, if there is one. */
  throwIfEnded(): void;
  /** From now on, progress is that of all references together. */
  shareProgress(): void;
}

/** Consecutive references with exit code 7 that end the call. */
const outageLength = 5;

/**
 * Runs a command that calls the service: `prepare` reads and checks its arguments, then the service (or the sandbox)
 * is opened for its work. Reports what went wrong, writes the receipt (`--summary`) at the start and at the end, and
 * returns the exit code. With `--dry-run` it prints the requests only.
 */
export async function runSession(
  command: string,
  { shared, files }: { readonly shared: SharedOptions; readonly files: readonly NamedFile[] },
  context: Context,
  prepare: () => Promise<SessionPlan>,
): Promise<number> {
  const summary = new Summary(command, shared, context);
  const named = [...files, ...otherFiles(shared, context.env)];
  if (named.length > 0) {
    if (shared.summary !== null && !shared.dryRun) await summary.check();
    const { checkApart } = await import('../fs/apart.ts');
    await checkApart(named);
  }
  let plan: SessionPlan;
  try {
    plan = await prepare();
  } catch (error) {
    if (!shared.dryRun) await summary.writeUnstarted(toFailure(error));
    throw error;
  }
  if (shared.dryRun) {
    const { dryRun } = await import('./dry-run.ts');
    return await dryRun(await plan.requests(), shared, context);
  }
  await summary.open(plan.receipts);
  const exit = await perform(command, plan, shared, context, summary);
  return await summary.close(exit);
}

/** The files that any command may name: the report, and the key file in the environment. */
export function otherFiles({ summary, keyFile }: SharedOptions, env: Context['env']): NamedFile[] {
  const files: NamedFile[] = [];
  if (summary !== null) files.push({ flag: '--summary', path: summary, kind: 'output' });
  const key = env.CHANLIST_API_KEY_FILE;
  if (key && !env.CHANLIST_API_KEY && keyFile === undefined)
    files.push({ flag: 'CHANLIST_API_KEY_FILE', path: key, kind: 'input' });
  return files;
}

/** Opens the service, does the work of a plan, and reports; returns the exit code. */
async function perform(
  command: string,
  plan: SessionPlan,
  shared: SharedOptions,
  context: Context,
  summary: Summary,
): Promise<number> {
  const stderr = new Stderr(context.stderr, shared);
  const progress = createProgress(context, stderr, shared);
  const closers: (() => Promise<void>)[] = [() => progress.stop()];
  let session: OpenSession | null = null;
  let thrown: unknown = null;
  try {
    const { concurrency: connections, isPaid } = plan;
    const service = await openService({ command, shared, context, stderr, progress, connections, isPaid });
    closers.push(() => service.close());
    summary.budget = service.budget;
    session = new OpenSession(service, { context, shared, stderr, progress });
    await plan.work(session);
  } catch (error) {
    thrown = error;
  }
  for (const close of closers.reverse()) await close();
  if (thrown instanceof ClosedPipe) return 0;
  const failure = session?.ended ?? (thrown === null ? null : toFailure(thrown));
  return reportEnd(plan, failure, { context, stderr, session });
}

class OpenSession implements Session {
  readonly context: Context;
  readonly shared: SharedOptions;
  readonly stderr: Stderr;
  progress: Progress;
  readonly client: Client;
  readonly budget: Budget;
  readonly serviceName: string;
  readonly warnings: Warning[] = [];
  /** What has ended the call. */
  ended: Failure | null = null;
  readonly #service: OpenService;
  #failedInRow = 0;

  constructor(
    service: OpenService,
    { context, shared, stderr, progress }: Pick<Session, 'context' | 'shared' | 'stderr' | 'progress'>,
  ) {
    this.context = context;
    this.shared = shared;
    this.stderr = stderr;
    this.progress = progress;
    this.client = service.client;
    this.budget = service.budget;
    this.serviceName = service.name;
    this.#service = service;
  }

  warn(warning: Warning): void {
    this.warnings.push(warning);
  }

  fail(receipt: Receipt, thrown: unknown): Failure {
    const failure = this.#service.explain(toFailure(thrown));
    setFailure(receipt, failure);
    if (failure.scope === 'run') this.#end(failure);
    if (failure.exit === 7 && ++this.#failedInRow >= outageLength && failure.scope === 'reference')
      this.#end(outage(failure));
    return failure;
  }

  succeed(): void {
    this.#failedInRow = 0;
    this.#service.succeeded();
  }

  throwIfEnded(): void {
    this.context.stop.throwIfAborted();
    if (this.ended !== null) throw this.ended;
  }

  shareProgress(): void {
    this.progress = sharedProgress(this.progress);
  }

  /** Ends the call: what runs concurrently stops before its next request. */
  #end(failure: Failure): void {
    this.ended ??= failure;
    this.client.end(failure);
  }
}

/** The parts of a session that its final report needs. */
interface EndedSession {
  readonly context: Context;
  readonly stderr: Stderr;
  /** Null if the service could not be opened. */
  readonly session: OpenSession | null;
}

/** Reports warnings, failures and the tally; returns the exit code. `failure`: the one that ended the call, if any. */
function reportEnd(plan: SessionPlan, failure: Failure | null, ended: EndedSession): number {
  const { receipts } = plan;
  const { context, stderr, session } = ended;
  const budget = session?.budget ?? null;
  // Concurrent references can fail with the cause that ends the call, each on its own.
  const isOfCall = (receipt: Receipt): boolean =>
    receipt.failure === failure ||
    !receipt.started ||
    (receipt.failure?.scope === 'run' && receipt.failure.code === failure?.code);
  const isOfBudget = (receipt: Receipt): boolean => receipt.failure?.code === 'budget';
  if (failure !== null)
    for (const receipt of receipts)
      if (receipt.failure === null && isOfCall(receipt)) {
        setFailure(receipt, failure);
        receipt.status = 'interrupted';
      }
  reportWarnings(stderr, session?.warnings ?? []);
  const others = receipts.filter((receipt) => !isOfCall(receipt) && !isOfBudget(receipt));
  reportFailures(
    {
      stderr,
      context,
      retryHint: (failed) => (session === null ? null : (plan.retryHint?.(session, failed) ?? null)),
    },
    others.filter(({ isReported }) => !isReported || stderr.isChatty),
  );
  const unbought = receipts.filter(isOfBudget);
  const stopped = failure === null ? unbought : receipts.filter((one) => isOfCall(one) || isOfBudget(one));
  const cause =
    failure ??
    (budget === null || unbought.length === 0 ? null : budgetFailure(budget, unbought, receipts.length));
  if (cause !== null) {
    // A service that cannot be opened has nothing to do with the reference.
    const [only] = receipts.length === 1 && receipts[0]?.started ? receipts : [];
    // After a usage error the same command fails again.
    const canResume = cause.code !== 'usage' || receipts.some(({ pages }) => pages > 0);
    const next = session === null || !canResume ? null : plan.resumeHint(session, stopped);
    stderr.error(failureLine(cause, only?.label ?? null, spentText(receipts), next));
    stderr.stack(cause, context);
  }
  if (budget !== null && (failure === null || receipts.length > 1))
    stderr.summary(tallyText(receipts, budget, plan));
  return failure?.exit ?? exitOf(receipts);
}

/** The failure of the references that a budget stopped, with the credits that they need, as far as known. */
function budgetFailure(budget: Budget, stopped: readonly Receipt[], all: number): Failure {
  const known = stopped.flatMap(({ needed }) => needed ?? []);
  const needed = known.reduce((sum, credits) => sum + credits, 0);
  const unknown = stopped.length - known.length;
  const of =
    unknown > 0
      ? ` for ${count(known.length, 'reference', 'references')}, and more for ${unknown} not started`
      : '';
  const failure = budgetSpent(budget, known.length > 0 ? { credits: needed, of } : undefined);
  if (all === 1) return failure;
  const names = shortNames(stopped.flatMap(({ label }) => label ?? []));
  return failure.with({
    message: `${count(stopped.length, 'reference', 'references')} ${failure.message}: ${names}`,
  });
}

/** The failure that ends the call after consecutive failures: the service, or the network, is down. */
function outage(failure: Failure): Failure {
  return failure.with({
    message: `${outageLength} references failed in a row, the last one: ${failure.message}`,
    scope: 'run',
    hint: 'the service seems to be down; try again later',
  });
}

/** `120 entries, 2 pages, 2 credits; written to demo.ndjson`: of this run. */
function tallyText(
  receipts: readonly Receipt[],
  budget: Budget,
  { destination, isAllOrNothing = false }: SessionPlan,
): string {
  const sum = (of: (receipt: Receipt) => number): number =>
    receipts.reduce((total, receipt) => total + of(receipt), 0);
  const pages = sum((receipt) => receipt.pages);
  const parts = [count(sum(entriesOfRun), 'entry', 'entries')];
  if (pages > 0) parts.push(count(pages, 'page', 'pages'));
  parts.push(describeCredits(budget.total.credits));
  if (destination === null) return parts.join(', ');
  if (isAllOrNothing && receipts.some(({ failure }) => failure !== null)) return parts.join(', ');
  const isWritten = receipts.some(({ status }) => status === 'complete' || status === 'limited');
  const isAsBefore = receipts.every(({ status }) => untouched.includes(status));
  const where = isWritten ? `; written to ${destination}` : isAsBefore ? `; ${destination} is unchanged` : '';
  return parts.join(', ') + where;
}

/** Statuses of exports that this run did not write. */
const untouched: readonly Status[] = ['unchanged', 'unchecked', 'kept'];

/** Entries that this run listed or added. */
function entriesOfRun({ added, entries, resumed, status }: Receipt): number {
  if (added !== null) return added;
  return untouched.includes(status) ? 0 : entries - (resumed?.entries ?? 0);
}
