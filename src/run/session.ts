import type { CreditBound } from '../accounts/bounds.ts';
import type { Client } from '../api/client.ts';
import {
  type Budget,
  createBudget,
  describeCredits,
  type Ledger,
  newTally,
  spent,
  type Tally,
} from '../api/credits.ts';
import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, type Failure, fallbackHint, toFailure } from '../errors.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { Stderr } from '../output/stderr.ts';
import { count } from '../text/count.ts';
import type { DryRunRequest } from './dry-run.ts';
import { createClient, openService } from './open-service.ts';
import { type Receipt, summaryText } from './receipts.ts';

/** What a command is to do, once all of its arguments have been read and checked. */
export interface CallPlan {
  /** The first request of each reference, for `--dry-run`. */
  readonly requests: readonly DryRunRequest[];
  /** Bounds on what the call may spend, from flag and environment; []: those of the profile hold. */
  readonly maxCredits: readonly CreditBound[];
  /** Requests side by side at the most. */
  readonly concurrency: number;
  work(call: Call): Promise<void>;
}

/** What is told about a failure besides its own message. */
export interface Told {
  readonly reference: string | null;
  /** What was spent, where anything paid was asked for. */
  readonly tally: Tally | null;
  /** How to go on. */
  readonly next: string | null;
}

/** What a command works with: one service, one budget, one account of what happened. */
export interface Call {
  readonly context: Context;
  readonly stderr: Stderr;
  readonly progress: Progress;
  readonly client: Client;
  readonly budget: Budget;
  /** Names the service in the state of an export. */
  readonly serviceName: string;
  readonly receipts: Receipt[];
  /** Tells a failure on stderr, in one line; once. */
  tell(failure: Failure, told: Told): void;
  /** Ends the call: what runs side by side stops before its next page. */
  halt(failure: Failure): void;
  /** Throws the failure that has ended the call, if one has. */
  checkHalted(): void;
}

/**
 * Runs a command that calls the service: `prepare` reads and checks its arguments, then the service (or the
 * sandbox) is opened for its work. Afterwards tells what went wrong, writes the receipt, also of a failure of
 * `prepare`, and returns the exit code. With `--dry-run` only says what would be asked for.
 */
export async function runCall(
  command: string,
  shared: SharedOptions,
  context: Context,
  prepare: () => Promise<CallPlan>,
): Promise<number> {
  const { clock } = context;
  const started = clock.now();
  const startedAt = clock.elapsed();
  const keepSummary = async (done: Done): Promise<void> => {
    if (shared.summary === null) return;
    const { writeWhole } = await import('../fs/write-whole.ts');
    const seconds = (clock.elapsed() - startedAt) / 1000;
    await writeWhole(shared.summary, summaryText({ command, started, seconds, ...done }));
  };
  let plan: CallPlan;
  try {
    plan = await prepare();
  } catch (error) {
    // What went wrong is what is told, also where the receipt of it cannot be written.
    if (!shared.dryRun && (await canKeepSummary(shared)))
      await keepSummary({ exit: toFailure(error).exit, total: newTally(), receipts: [] }).catch(() => {});
    throw error;
  }
  if (shared.dryRun) {
    const { dryRun } = await import('./dry-run.ts');
    return await dryRun(plan.requests, shared, plan.maxCredits, context);
  }
  await checkSummary(shared);
  const done = await perform(command, plan, shared, context);
  try {
    await keepSummary(done);
  } catch (error) {
    if (done.exit === 0) throw error;
    // How the call ended matters more.
    const tell = teller(new Stderr(context.stderr, shared), context);
    tell(toFailure(error), { reference: null, tally: null, next: null });
  }
  return done.exit;
}

/** How a call ended. */
interface Done {
  readonly exit: number;
  readonly total: Tally;
  readonly receipts: readonly Receipt[];
}

/** Does the work with an open service, and tells how it ended. */
async function perform(
  command: string,
  plan: CallPlan,
  shared: SharedOptions,
  context: Context,
): Promise<Done> {
  const stderr = new Stderr(context.stderr, shared);
  let budget = createBudget({ bounds: [], ledger: null });
  const progress = createProgress(context, stderr, { color: shared.color, quiet: shared.quiet });
  const receipts: Receipt[] = [];
  const tell = teller(stderr, context);
  const closers: (() => Promise<void>)[] = [() => progress.stop()];
  let failure: Failure | null = null;
  let closedPipe = false;
  let halted: Failure | null = null;
  let client: Client | null = null;
  const halt = (reason: Failure): void => {
    halted ??= reason;
    client?.end(halted);
  };
  const checkHalted = (): void => {
    context.stop.throwIfAborted();
    if (halted !== null) throw halted;
  };
  try {
    const service = await openService(shared, context);
    closers.push(() => service.close());
    const bounds = plan.maxCredits.length > 0 ? plan.maxCredits : service.maxCredits;
    const openCallLedger = async (): Promise<Ledger> => {
      const { openLedger } = await import('../accounts/ledger.ts');
      const account = { origin: service.baseUrl.origin, key: service.key };
      return openLedger({ context, account, command, bounds, warn: (message) => stderr.warn(message) });
    };
    budget = createBudget({ bounds, ledger: shared.sandbox ? null : openCallLedger });
    if (!shared.sandbox) stderr.redact(service.key);
    const how = { connections: plan.concurrency };
    const opened = createClient(service, shared, how, context, budget, stderr, progress);
    client = opened;
    closers.push(() => opened.close());
    if (plan.requests.some(isPaid)) await budget.prepare();
    await plan.work({
      context,
      stderr,
      progress,
      client: opened,
      budget,
      serviceName: service.name,
      receipts,
      tell,
      halt,
      checkHalted,
    });
  } catch (error) {
    if (error instanceof ClosedPipe) closedPipe = true;
    else failure = toFailure(error);
  }
  for (const close of closers.reverse()) await close();

  const first = receipts.find((receipt) => receipt.failure !== null)?.failure ?? null;
  const exit = closedPipe ? 0 : ((failure ?? first)?.exit ?? 0);
  const asked = spent(budget.total.credits) > 0;
  if (failure !== null) tell(failure, { reference: null, tally: asked ? budget.total : null, next: null });
  const begun = receipts.filter((receipt) => receipt.failure === null || receipt.pages > 0);
  if (!closedPipe && (failure === null || begun.length > 1)) tellSummary(stderr, receipts, budget);
  return { exit, total: budget.total, receipts };
}

/** True if this reference may cost credits. */
function isPaid({ operation, next }: DryRunRequest): boolean {
  return operation.credits > 0 || (next?.operation.credits ?? 0) > 0;
}

/** Throws a usage error where `--summary` cannot be written, or would overwrite the output. */
async function checkSummary({ summary, output }: SharedOptions): Promise<void> {
  if (summary === null) return;
  const { prepareWhole } = await import('../fs/write-whole.ts');
  const { checkApart } = await import('../fs/apart.ts');
  await prepareWhole(summary);
  const files = [{ flag: '--summary', path: summary, kind: 'output' as const }];
  if (output !== null) files.push({ flag: '--output', path: output, kind: 'output' });
  await checkApart(files);
}

const canKeepSummary = (shared: SharedOptions): Promise<boolean> =>
  checkSummary(shared).then(
    () => true,
    () => false,
  );

/** One line for each failure: what happened, what was spent, what to do next. */
function teller(stderr: Stderr, context: Context): Call['tell'] {
  const done = new WeakSet<Failure>();
  return (failure, { reference, tally, next }) => {
    if (done.has(failure)) return;
    done.add(failure);
    const what = reference === null ? failure.message : `${reference}: ${failure.message}`;
    const cost = tally === null ? null : describeCredits(tally.credits, 'spent');
    const then = failure.hint ?? (next === null ? fallbackHint(failure.code) : undefined);
    stderr.error([what, cost, then, next].filter((part) => part).join('; '));
    stderr.stack(failure, context);
  };
}

function tellSummary(stderr: Stderr, receipts: readonly Receipt[], budget: Budget): void {
  const sum = (of: (receipt: Receipt) => number): number =>
    receipts.reduce((total, receipt) => total + of(receipt), 0);
  const pages = sum((receipt) => receipt.pages);
  const parts = [
    count(
      sum((receipt) => receipt.entries),
      'entry',
      'entries',
    ),
  ];
  if (pages > 0) parts.push(count(pages, 'page', 'pages'));
  stderr.summary([...parts, describeCredits(budget.total.credits)].join(', '));
}
