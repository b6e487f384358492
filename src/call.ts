import { checkSandboxFlags, requireKey, resolveService } from './accounts/settings.ts';
import type { Context } from './context.ts';
import { ClosedPipe, type Failure, lastResort, toFailure } from './errors.ts';
import type { SharedOptions } from './options.ts';
import { createProgress, type Progress } from './output/progress.ts';
import { Talk } from './output/talk.ts';
import { type Receipt, summaryText } from './receipts.ts';
import { type BaseUrl, parseBaseUrl } from './service/address.ts';
import { Client } from './service/client.ts';
import { defaultNamespace } from './service/contract.ts';
import { Budget, describeCredits, type Tally } from './service/credits.ts';
import { span } from './service/retry.ts';
import { showStack } from './stack.ts';
import { version } from './version.ts';

export interface CallOptions {
  readonly command: string;
  readonly shared: SharedOptions;
  /** Credits that the call may spend at the most; null: any number. */
  readonly maxCredits: number | null;
  /** Requests side by side at the most. */
  readonly concurrency: number;
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
  readonly talk: Talk;
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
 * Runs the work of a command that calls the service: opens the service (or the sandbox), and afterwards tells
 * what went wrong, writes the receipt and returns the exit code.
 */
export async function runCall(
  options: CallOptions,
  context: Context,
  work: (call: Call) => Promise<void>,
): Promise<number> {
  const { shared, command } = options;
  const { clock } = context;
  if (shared.summary !== null) {
    const { prepareWhole } = await import('./export/files.ts');
    const { checkApart } = await import('./export/target.ts');
    await prepareWhole(shared.summary);
    if (shared.output !== null) await checkApart(shared.summary, shared.output);
  }
  const talk = new Talk(context.stderr, shared);
  const budget = new Budget(options.maxCredits);
  const progress = createProgress(context, talk, { color: shared.color, quiet: shared.quiet });
  const receipts: Receipt[] = [];
  const tell = teller(talk, context);
  const started = clock.now();
  const startedAt = clock.elapsed();
  const closers: (() => Promise<void>)[] = [() => progress.stop()];
  let failure: Failure | null = null;
  let piped = true;
  let halted: Failure | null = null;
  const halt = (reason: Failure): void => {
    halted ??= reason;
  };
  const checkHalted = (): void => {
    context.stop.throwIfAborted();
    if (halted !== null) throw halted;
  };
  try {
    const service = await openService(shared, context);
    closers.push(() => service.close());
    if (!shared.sandbox) talk.conceal(service.key);
    const client = createClient(service, options, context, budget, talk, progress);
    closers.push(() => client.close());
    await work({
      context,
      talk,
      progress,
      client,
      budget,
      serviceName: service.name,
      receipts,
      tell,
      halt,
      checkHalted,
    });
  } catch (error) {
    if (error instanceof ClosedPipe) piped = false;
    else failure = toFailure(error);
  }
  for (const close of closers.reverse()) await close();

  const first = receipts.find((receipt) => receipt.failure !== null)?.failure ?? null;
  const exit = piped ? ((failure ?? first)?.exit ?? 0) : 0;
  const asked = budget.total.credits.confirmed + budget.total.credits.possibly_charged > 0;
  if (failure !== null) tell(failure, { reference: null, tally: asked ? budget.total : null, next: null });
  if (piped && (failure === null || receipts.length > 1)) tellSummary(talk, receipts, budget);
  if (shared.summary !== null) {
    const { writeWhole } = await import('./export/files.ts');
    const seconds = (clock.elapsed() - startedAt) / 1000;
    await writeWhole(
      shared.summary,
      summaryText({ command, started, seconds, exit, total: budget.total, receipts }),
    );
  }
  return exit;
}

/** Credits of `--sandbox`: enough for the largest demo channel. */
const sandboxCredits = 1_000_000;

interface OpenService {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  readonly key: string;
  readonly name: string;
  close(): Promise<void>;
}

async function openService(shared: SharedOptions, context: Context): Promise<OpenService> {
  checkSandboxFlags(shared);
  if (shared.sandbox) {
    const { startSandbox } = await import('./sandbox/server.ts');
    const sandbox = await startSandbox({ credits: sandboxCredits });
    const baseUrl = parseBaseUrl(sandbox.baseUrl, '--sandbox');
    return {
      baseUrl,
      namespace: defaultNamespace,
      key: sandbox.key,
      name: 'sandbox',
      close: () => sandbox.close(),
    };
  }
  const settings = await resolveService(shared, context);
  const { baseUrl, namespace } = settings;
  const name = `${baseUrl.href} ${namespace}`;
  return { baseUrl, namespace, key: requireKey(settings), name, close: async () => {} };
}

function createClient(
  service: OpenService,
  { shared, concurrency }: CallOptions,
  context: Context,
  budget: Budget,
  talk: Talk,
  progress: Progress,
): Client {
  const { timeout, retries, maxWait } = shared;
  const options = { timeout, retries, maxWait, connections: concurrency, userAgent: `chanlist/${version}` };
  return new Client(service, options, context, budget, {
    request: (line) => talk.detail(line),
    wait: (milliseconds, why) => {
      talk.verbose(`waiting ${span(milliseconds)}: ${why}`);
      progress.wait(milliseconds, why);
    },
  });
}

/** One line for each failure: what happened, what was spent, what to do next. */
function teller(talk: Talk, context: Context): Call['tell'] {
  const done = new WeakSet<Failure>();
  return (failure, { reference, tally, next }) => {
    if (done.has(failure)) return;
    done.add(failure);
    const what = reference === null ? failure.message : `${reference}: ${failure.message}`;
    const spent = tally === null ? null : describeCredits(tally.credits, 'spent');
    const then = failure.hint ?? (next === null ? lastResort[failure.code] : undefined);
    talk.error([what, spent, then, next].filter((part) => part).join('; '));
    showStack(failure, context, talk);
  };
}

function tellSummary(talk: Talk, receipts: readonly Receipt[], budget: Budget): void {
  const sum = (of: (receipt: Receipt) => number): number =>
    receipts.reduce((total, receipt) => total + of(receipt), 0);
  const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
  const pages = sum((receipt) => receipt.pages);
  const parts = [
    count(
      sum((receipt) => receipt.entries),
      'entry',
      'entries',
    ),
  ];
  if (pages > 0) parts.push(count(pages, 'page', 'pages'));
  talk.summary([...parts, describeCredits(budget.total.credits)].join(', '));
}
