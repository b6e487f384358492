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

interface Outcome {
  readonly results: readonly Result[];
  /** What ended the run before its time; null: nothing. */
  readonly ended: Failure | null;
  readonly warnings: readonly Warning[];
  readonly pipeClosed: boolean;
  readonly credits: Credits;
  /** The operation costs credits. */
  readonly isPaid: boolean;
  /** FILE or folder; null: stdout. */
  readonly destination: string | null;
  readonly options: RunFlags;
}

interface Ending {
  readonly exit: ExitCode;
  readonly warnings: readonly string[];
  /** One per cause, with what is printed of it. */
  readonly failures: readonly Failure[];
  readonly notes: readonly Step[];
}

/** A closed pipe is the end of the work: warnings do not matter any more, failures do. */
export function endingOf(outcome: Outcome): Ending {
  const { results, ended, warnings, pipeClosed, credits, isPaid, destination, options } = outcome;
  const causes = [...results.map(({ failure }) => failure), ended];
  const tally = tallyText(results, credits, isPaid, destination);
  const resume = pipeClosed ? results[0]?.resume : null;
  return {
    exit: gravest(causes.map((failure) => failure?.exit ?? 0)),
    warnings: pipeClosed ? [] : warningLines(warnings),
    failures: failureLines(results, ended, options),
    notes: [ended === null || results.length > 1 ? tally : null, resume].flatMap((note) => note ?? []),
  };
}

type Group<T> = readonly [T, ...T[]];

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
export function withNames(
  labels: readonly (string | null)[],
  messages: readonly string[],
  noun = 'references',
): string {
  const names = labels.length <= 1 ? labels[0] : `${thousands(labels.length)} ${noun}${firstOf(labels)}`;
  const [message = ''] = messages;
  const isSame = messages.every((other) => other === message);
  return names ? `${names}: ${isSame ? '' : 'the first: '}${message}` : message;
}

/** Joins the parts that are not empty. */
const joinParts = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join('; ');

export function warningLines(warnings: readonly Warning[]): readonly string[] {
  const groups = grouped(warnings, ({ code, label, message }) => (label === null ? message : code));
  return groups.map((group) => {
    const labels = group.flatMap(({ label }) => label ?? []);
    const messages = group.map(({ message }) => message);
    return withNames(labels, messages);
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
): readonly Failure[] {
  const failed = results.filter(isFailed);
  const sorted = [...failed.filter((result) => !endsRun(result)), ...failed.filter(endsRun)];
  const groups = grouped(sorted, ({ failure: { code, status } }) => `${code} ${status}`);
  const isAnyFound = results.some(({ failure, isReached }) => isReached && failure?.code !== 'not_found');
  const lines = groups.map((group) => failureLine(group, results, options, isAnyFound));
  if (ended === null || failed.some(({ failure }) => failure.code === ended.code)) return lines;
  return [...lines, ended];
}

function failureLine(
  group: Group<Failed>,
  results: readonly Result[],
  options: RunFlags,
  isAnyFound: boolean,
): Failure {
  const [{ failure }] = group;
  const isOfRun = failure.scope === 'run';
  // A failure of the run is about a reference only if there are others.
  const reached = group.filter(({ isReached }) => isReached && (!isOfRun || results.length > 1));
  const others = group.filter(({ isReached }) => !isReached);
  const names = reached.map(({ label }) => label);
  const message = joinParts(
    withNames(
      names,
      group.map((result) => result.failure.message),
    ),
    others.length > 0 && results.length > 1 ? `stopped, ${thousands(others.length)} more not reached` : null,
    spentText(failure.scope === 'reference' ? group : results),
  );
  // If pages of one of them wait, the advice is to resume it; what a usage error asks for is its own.
  const resumable = group.find((result) => !result.failure.hasUsualStep)?.failure ?? failure;
  const advising = failure.exit === 2 ? firstOfUsage(group) : resumable;
  const folder = options.invocation.flags.find(({ name }) => name === '--output-dir')?.value ?? null;
  const isOfSeveral = reached.length > 1 && folder !== null && repairable.includes(failure.code);
  const next = isOfSeveral
    ? repairAll({ purpose: 'repair all', program: 'chanlist check', operands: [folder] })
    : adviceOf(advising, options.sandbox, isAnyFound);
  return failure.with({ message, next, cause: failure });
}

/** The first of several usage errors: a command that mends only this one is not the next step of all. */
function firstOfUsage([{ failure }, ...others]: Group<Failed>): Failure {
  const isSame = others.every((other) => other.failure.message === failure.message);
  return isSame || typeof failure.next === 'string' ? failure : failure.with({ next: null });
}

/** Failures of archives that `check` finds, too, each with its fix. */
const repairable: readonly FailureCode[] = ['damaged', 'lost'];

/** What to do about a failure, which may depend on the run. */
function adviceOf({ code, next }: Failure, isSandbox: boolean, isAnyFound: boolean): Step | null {
  if (next === checkAddress && isAnyFound) return 'check the spelling';
  return isSandbox && code === 'not_found' ? demoReferences : next;
}

/** `3 credits spent`; null if nothing was paid, and no bound was spent. */
function spentText(results: readonly Result[]): string | null {
  const isPaid = results.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  if (!isPaid) return null;
  const confirmed = sumOf(results, ({ tally }) => tally.credits.confirmed);
  const possibly_charged = sumOf(results, ({ tally }) => tally.credits.possibly_charged);
  return describeCredits({ confirmed, possibly_charged }, 'spent');
}

const sumOf = (results: readonly Result[], amountOf: (result: Result) => number | null | undefined): number =>
  results.reduce((sum, result) => sum + (amountOf(result) ?? 0), 0);

/** `3 new, 1,245 entries (400 resumed), 9 pages, 9 credits; in demo.ndjson`; null if entries were printed for free. */
export function tallyText(
  results: readonly Result[],
  credits: Credits,
  isPaid: boolean,
  destination: string | null,
): string | null {
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
  return joinParts(parts.filter(Boolean).join(', '), file && `in ${file}`);
}
