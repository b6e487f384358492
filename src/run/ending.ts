/** How a run ends: its exit code, and its lines on stderr, one per cause. Pure. */
import { type CommonOptions, repairAll } from '../cli/options.ts';
import { type ExitCode, type Failure, type FailureCode, gravest, type Warning } from '../errors.ts';
import { demoReferences } from '../sandbox/defaults.ts';
import { type Credits, describeCredits, spent } from '../service/budget.ts';
import { checkAddress } from '../service/failures.ts';
import type { Step } from '../text/command.ts';
import { count, thousands } from '../text/count.ts';
import type { Result } from './results.ts';

type RunFlags = Pick<CommonOptions, 'sandbox' | 'invocation'>;

/** What has happened in a run. */
export interface Outcome {
  readonly results: readonly Result[];
  readonly warnings: readonly Warning[];
  /** What ended the run before its time; null: nothing. */
  readonly ended: Failure | null;
  readonly pipeClosed: boolean;
  /** The operation costs credits. */
  readonly isPaid: boolean;
  readonly credits: Credits;
  /** FILE or folder; null: stdout. */
  readonly destination: string | null;
  readonly options: RunFlags;
}

export interface ErrorLine {
  readonly message: string;
  readonly next: Step | null;
  readonly failure: Failure;
}

export interface Ending {
  readonly exit: ExitCode;
  readonly warnings: readonly string[];
  readonly errors: readonly ErrorLine[];
  /** Null if nothing was paid, written or missing. */
  readonly tally: string | null;
}

/** A closed pipe is the end of the work: what did not fail before is not said. */
export function endingOf(outcome: Outcome): Ending {
  const { results, warnings, ended, pipeClosed } = outcome;
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return {
    exit: gravest([...failures, ...(ended ? [ended] : [])].map(({ exit }) => exit)),
    warnings: pipeClosed ? [] : warningLines(warnings),
    errors: failureLines(results, ended, outcome.options),
    tally: ended !== null && results.length === 1 ? null : tallyText(outcome),
  };
}

export type Group<T> = readonly [T, ...T[]];

/** The members of each group, by a key, in order of appearance. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Group<T>[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

const maxNames = 3;

/** ` (@a, @b, @c and others)` */
export const firstOf = (names: readonly (string | null)[]): string =>
  ` (${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ' and others' : ''})`;

/** The message after `3 references (@a, @b, @c)`, after the name of a single one, or alone; of several the first. */
function withNames(labels: readonly (string | null)[], [message, ...others]: Group<string>): string {
  const names = labels.length <= 1 ? labels[0] : `${thousands(labels.length)} references${firstOf(labels)}`;
  const isSame = others.every((other) => other === message);
  return names ? `${names}: ${isSame ? '' : 'the first: '}${message}` : message;
}

const messagesOf = <T>([first, ...others]: Group<T>, messageOf: (item: T) => string): Group<string> => [
  messageOf(first),
  ...others.map(messageOf),
];

/** The parts of a message in one line; empty ones are omitted. */
const line = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join('; ');

export function warningLines(warnings: readonly Warning[]): readonly string[] {
  const groups = grouped(warnings, ({ code, label, message }) => (label === null ? message : code));
  return groups.map((group) => {
    const labels = group.flatMap(({ label }) => label ?? []);
    return withNames(
      labels,
      messagesOf(group, ({ message }) => message),
    );
  });
}

type Failed = Result & { readonly failure: Failure };
const isFailed = (result: Result): result is Failed => result.failure !== null;
const endsRun = ({ failure }: Failed): boolean => failure.scope === 'run';

/** One line per code and status. What ended the run comes last. */
export function failureLines(
  results: readonly Result[],
  ended: Failure | null,
  options: RunFlags,
): readonly ErrorLine[] {
  const failed = results.filter(isFailed);
  const sorted = [...failed.filter((result) => !endsRun(result)), ...failed.filter(endsRun)];
  const groups = grouped(sorted, ({ failure: { code, status } }) => `${code} ${status}`);
  const isAnyFound = results.some(({ failure, isReached }) => isReached && failure?.code !== 'not_found');
  const lines = groups.map((group) => failureLine(group, results, options, isAnyFound));
  if (ended === null || failed.some(({ failure }) => failure.code === ended.code)) return lines;
  return [...lines, { message: ended.message, next: ended.next, failure: ended }];
}

/** What happened to how many references, how many were not reached, what was spent, what to do. */
function failureLine(
  group: Group<Failed>,
  results: readonly Result[],
  options: RunFlags,
  isAnyFound: boolean,
): ErrorLine {
  const [{ failure }] = group;
  const isOfRun = failure.scope === 'run';
  // A failure of the run is about a reference only if there are others.
  const reached = group.filter(({ isReached }) => isReached && (!isOfRun || results.length > 1));
  const others = group.filter(({ isReached }) => !isReached);
  const names = reached.map(({ label }) => label);
  const message = line(
    withNames(
      names,
      messagesOf(group, (result) => result.failure.message),
    ),
    others.length > 0 && results.length > 1 ? `stopped, ${thousands(others.length)} more not reached` : null,
    spentText(failure.scope === 'reference' ? group : results),
  );
  // Pages of any of them may wait to be resumed.
  const advising = group.find((result) => !result.failure.hasUsualStep)?.failure ?? failure;
  const folder = options.invocation.flags.find(({ name }) => name === '--output-dir')?.value ?? null;
  const isOfSeveral = reached.length > 1 && folder !== null && repairable.includes(failure.code);
  const next = isOfSeveral
    ? `repair all: ${repairAll({ program: 'chanlist check', operands: [folder] })}`
    : adviceOf(advising, options, isAnyFound);
  return { message, next, failure };
}

/** Failures of archives that `check` finds, too, each with its fix. */
const repairable: readonly FailureCode[] = ['damaged', 'lost'];

/** What to do about a failure, as far as that depends on the run. */
function adviceOf({ code, next }: Failure, options: RunFlags, isAnyFound: boolean): Step | null {
  if (next === checkAddress && isAnyFound) return 'check the spelling';
  if (options.sandbox && code === 'not_found') return demoReferences;
  return next;
}

/** `3 credits spent`; null if nothing was, except where a bound did not allow it. */
function spentText(results: readonly Result[]): string | null {
  const isPaid = results.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  if (!isPaid) return null;
  const confirmed = sumOf(results, ({ tally }) => tally.credits.confirmed);
  const possibly_charged = sumOf(results, ({ tally }) => tally.credits.possibly_charged);
  return describeCredits({ confirmed, possibly_charged }, 'spent');
}

const sumOf = (results: readonly Result[], amountOf: (result: Result) => number | null | undefined): number =>
  results.reduce((sum, result) => sum + (amountOf(result) ?? 0), 0);

/**
 * `3 new, 1,245 entries (400 resumed), 9 pages, 9 credits; in demo.ndjson`; null if nothing was paid or written, unless
 * there is nothing to see either.
 */
export function tallyText({
  results,
  credits,
  isPaid,
  destination,
}: Pick<Outcome, 'results' | 'credits' | 'isPaid' | 'destination'>): string | null {
  const isWritten = results.some(({ status, failure }) => failure === null && status !== 'kept');
  const file = isWritten ? destination : null;
  const entries = sumOf(results, (result) => result.entries);
  const isEmpty = entries === 0 && results.every(({ failure }) => failure === null);
  if (spent(credits) === 0 && file === null && !isEmpty) return null;
  const resumed = sumOf(results, (result) => result.resumed);
  const unlisted = sumOf(results, (result) => result.unlisted?.count);
  const pages = sumOf(results, (result) => result.pages);
  const isUpdate = results.some(({ added }) => added !== null);
  const parts = [
    isUpdate && `${thousands(sumOf(results, ({ added }) => added))} new`,
    count(entries, 'entry', 'entries') + (resumed > 0 ? ` (${thousands(resumed)} resumed)` : ''),
    unlisted > 0 && `${thousands(unlisted)} no longer listed`,
    pages > 0 && count(pages, 'page', 'pages'),
    (isPaid || spent(credits) > 0) && describeCredits(credits),
  ];
  return line(parts.filter(Boolean).join(', '), file && `in ${file}`);
}
