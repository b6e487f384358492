import type { Client } from '../api/client.ts';
import { type Budget, budgetSpent, describeCredits } from '../api/credits.ts';
import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { NamedFile } from '../fs/apart.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { Stderr } from '../output/stderr.ts';
import { count } from '../text/count.ts';
import type { DryRunRequest } from './dry-run.ts';
import { openService } from './open-service.ts';
import { exitOf, type Receipt, type Status, setFailure, summaryText } from './receipts.ts';
import {
  failureLine,
  reportFailures,
  reportWarnings,
  shortNames,
  spentText,
  type Warning,
} from './reports.ts';

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
  await summary.open(plan);
  const result = await perform(command, plan, shared, context, summary);
  return await summary.close(result);
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

/** How a session ended. */
interface SessionResult {
  readonly exit: number;
  readonly budget: Budget | null;
}

async function perform(
  command: string,
  plan: SessionPlan,
  shared: SharedOptions,
  context: Context,
  summary: Summary,
): Promise<SessionResult> {
  const stderr = new Stderr(context.stderr, shared);
  const progress = createProgress(context, stderr, shared);
  const warnings: Warning[] = [];
  const closers: (() => Promise<void>)[] = [() => progress.stop()];
  let session: Session | null = null;
  let budget: Budget | null = null;
  let ended: Failure | null = null;
  let isPipeClosed = false;
  let failedInRow = 0;
  try {
    const service = await openService({
      command,
      shared,
      context,
      stderr,
      progress,
      connections: plan.concurrency,
      isPaid: plan.isPaid,
    });
    closers.push(() => service.close());
    const { client } = service;
    budget = service.budget;
    summary.budget = budget;
    /** Ends the call: what runs concurrently stops before its next request. */
    const end = (failure: Failure): void => {
      ended ??= failure;
      client.end(failure);
    };
    session = {
      context,
      shared,
      stderr,
      progress,
      client,
      budget,
      serviceName: service.name,
      warn: (warning) => {
        warnings.push(warning);
      },
      fail: (receipt, thrown) => {
        const failure = service.explain(toFailure(thrown));
        setFailure(receipt, failure);
        if (failure.scope === 'call') end(failure);
        if (failure.exit === 7 && ++failedInRow >= outageLength && failure.scope === 'reference')
          end(outage(failure));
        return failure;
      },
      succeed: () => {
        failedInRow = 0;
        service.succeeded();
      },
      throwIfEnded: () => {
        context.stop.throwIfAborted();
        if (ended !== null) throw ended;
      },
    };
    await plan.work(session);
  } catch (error) {
    if (error instanceof ClosedPipe) isPipeClosed = true;
    else ended ??= toFailure(error);
  }
  for (const close of closers.reverse()) await close();

  if (isPipeClosed) return { exit: 0, budget };
  return { exit: reportEnd(plan, ended, { context, stderr, session, budget, warnings }), budget };
}

/** The parts of a session that its final report needs. */
interface EndedSession {
  readonly context: Context;
  readonly stderr: Stderr;
  /** Null if the service could not be opened. */
  readonly session: Session | null;
  readonly budget: Budget | null;
  readonly warnings: readonly Warning[];
}

/** Reports warnings, failures and the tally; returns the exit code. `failure`: the one that ended the call, if any. */
function reportEnd(plan: SessionPlan, failure: Failure | null, ended: EndedSession): number {
  const { receipts } = plan;
  const { context, stderr, session, budget, warnings } = ended;
  // Concurrent references can fail with the cause that ends the call, each on its own.
  const isOfCall = (receipt: Receipt): boolean =>
    receipt.failure === failure ||
    !receipt.started ||
    (receipt.failure?.scope === 'call' && receipt.failure.code === failure?.code);
  const isOfBudget = (receipt: Receipt): boolean => receipt.failure?.code === 'budget';
  if (failure !== null)
    for (const receipt of receipts)
      if (receipt.failure === null && isOfCall(receipt)) {
        setFailure(receipt, failure);
        receipt.status = 'interrupted';
      }
  reportWarnings(stderr, warnings);
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
    scope: 'call',
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

/** The report of `--summary`: a JSON file, written at the start (`"exit": null`) and replaced at the end. */
class Summary {
  readonly #command: string;
  readonly #shared: SharedOptions;
  readonly #context: Context;
  readonly #started: number;
  readonly #startedAt: number;
  #receipts: readonly Receipt[] = [];
  budget: Budget | null = null;

  constructor(command: string, shared: SharedOptions, context: Context) {
    this.#command = command;
    this.#shared = shared;
    this.#context = context;
    this.#started = context.clock.now();
    this.#startedAt = context.clock.elapsed();
  }

  /** Throws `failed` (1) if it cannot be created, a usage error for a planted link. */
  async check(): Promise<void> {
    const { ForeignLink } = await import('../fs/target.ts');
    const { prepareWhole } = await import('../fs/write-whole.ts');
    try {
      await prepareWhole(this.#shared.summary ?? '');
    } catch (error) {
      if (error instanceof ForeignLink) throw error;
      const { message, hint } = toFailure(error);
      throw new Failure('failed', `--summary: ${message}`, { hint });
    }
  }

  /** Writes it at the start; throws if it cannot be created. */
  async open({ receipts }: SessionPlan): Promise<void> {
    this.#receipts = receipts;
    const { summary } = this.#shared;
    if (summary === null) return;
    const { resolveTarget } = await import('../fs/target.ts');
    const isStream = (await resolveTarget(summary)).kind === 'stream';
    if (!isStream) await this.#write(null);
  }

  /** Writes it at the end; returns the exit code of the call. */
  async close({ exit, budget }: SessionResult): Promise<number> {
    if (this.#shared.summary === null) return exit;
    this.budget = budget;
    try {
      await this.#write(exit);
      return exit;
    } catch (error) {
      if (error instanceof ClosedPipe) return exit;
      new Stderr(this.#context.stderr, this.#shared).warn(toFailure(error).line());
      return exit === 0 ? 1 : exit;
    }
  }

  /** Writes the receipt of a call that failed before its work; a failure here is not worth reporting. */
  async writeUnstarted({ exit }: Failure): Promise<void> {
    if (this.#shared.summary !== null) await this.#write(exit).catch(() => {});
  }

  async #write(exit: number | null): Promise<void> {
    const { newTally } = await import('../api/credits.ts');
    const { writeWhole } = await import('../fs/write-whole.ts');
    const text = summaryText({
      command: this.#command,
      started: this.#started,
      seconds: (this.#context.clock.elapsed() - this.#startedAt) / 1000,
      exit,
      total: this.budget?.total ?? newTally(),
      receipts: this.#receipts,
    });
    await writeWhole(this.#shared.summary ?? '', text, { stop: this.#context.stop });
  }
}
