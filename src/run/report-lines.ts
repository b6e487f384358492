/** The lines of a run on stderr, one per cause. Pure. */
import { accountFlagsOf, type CommonOptions } from '../cli/options.ts';
import type { Failure, FailureCode, Warning } from '../errors.ts';
import { demoReferences } from '../sandbox/defaults.ts';
import { type Credits, describeCredits, spent } from '../service/budget.ts';
import type { Step } from '../text/command.ts';
import { count, thousands } from '../text/count.ts';
import type { Result } from './results.ts';

const maxNames = 3;

const sumOf = (results: readonly Result[], of: (result: Result) => number): number =>
  results.reduce((sum, result) => sum + of(result), 0);

type Part = string | null | undefined;
const present = (...parts: readonly Part[]): string[] => parts.flatMap((part) => part || []);
/** The parts of a message in one line; empty parts are omitted. */
const line = (...parts: readonly Part[]): string => present(...parts).join('; ');

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

export const firstOf = (names: readonly (string | null)[]): string =>
  ` (${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ' and others' : ''})`;

/** The message after `3 references (@a, @b, @c)`, after the name of a single one, or alone. */
function withNames(labels: readonly (string | null)[], message: string): string {
  const names = labels.length <= 1 ? labels[0] : `${thousands(labels.length)} references${firstOf(labels)}`;
  return names ? `${names}: ${message}` : message;
}

export function warningLines(warnings: readonly Warning[]): readonly string[] {
  const groups = grouped(warnings, ({ code, label, message }) => (label === null ? message : code));
  return groups.map((group) => {
    const labels = group.flatMap(({ label }) => label ?? []);
    return withNames(labels, group[0].message);
  });
}

type RunFlags = Pick<CommonOptions, 'sandbox' | 'invocation'>;
type Failed = Result & { readonly failure: Failure };
const isFailed = (result: Result): result is Failed => result.failure !== null;

/** One line per code and status. What ended the run comes last. */
export function failureLines(
  results: readonly Result[],
  ended: Failure | null,
  options: RunFlags,
): readonly ReturnType<typeof failureLine>[] {
  const failed = results.filter(isFailed);
  const isOfRun = ({ failure }: Failed): number => Number(failure.scope === 'run');
  const sorted = failed.toSorted((a, b) => isOfRun(a) - isOfRun(b));
  const groups = grouped(sorted, ({ failure: { code, status } }) => `${code} ${status}`);
  const areAllAbsent = results.every(
    ({ failure, isReached }) => isReached && failure !== null && isAbsent(failure),
  );
  const lines = groups.map((group) => failureLine(group, results, options, areAllAbsent));
  if (ended === null || failed.some(({ failure }) => failure.code === ended.code)) return lines;
  return [...lines, { text: ended.message, next: ended.next, failure: ended }];
}

/** Failures of a reference or feed; a token that is 404 is only refused. */
const absentCodes: readonly FailureCode[] = ['not_found', 'gone', 'no_feed'];
const isAbsent = ({ code, status }: Failure): boolean => status === 404 && absentCodes.includes(code);

/** What happened to how many references, how many were not reached, what was spent, what to do. */
function failureLine(
  group: Group<Failed>,
  results: readonly Result[],
  options: RunFlags,
  areAllAbsent: boolean,
): { readonly text: string; readonly next: Step | null; readonly failure: Failure } {
  const [{ failure }] = group;
  const isOfRun = failure.scope === 'run';
  // A failure of the run is about a reference only if there are others.
  const reached = group.filter(({ isReached }) => isReached && (!isOfRun || results.length > 1));
  const others = group.filter(({ isReached }) => !isReached);
  const text = line(
    withNames(
      reached.map(({ label }) => label),
      failure.message,
    ),
    others.length > 0 && results.length > 1 ? `stopped, ${thousands(others.length)} more not reached` : null,
    failure.scope === 'reference' ? spentText(group) : spentText(results),
  );
  // Pages of any of them may wait to be resumed.
  const advising = group.find((result) => !result.failure.hasUsualStep)?.failure ?? failure;
  return { text, next: adviceOf(advising, options, areAllAbsent), failure };
}

/** What to do about a failure, as far as that depends on the whole run. */
function adviceOf({ code, next }: Failure, options: RunFlags, areAllAbsent: boolean): Step | null {
  const { sandbox } = options;
  if (sandbox && code === 'not_found') return demoReferences;
  if (code === 'unauthorized' && next === null)
    return {
      purpose: 'see which key was used',
      program: 'chanlist auth status',
      operands: [],
      flags: accountFlagsOf(options),
    };
  // If nothing at all is found, it is the address rather than each reference.
  return areAllAbsent && !sandbox ? 'check the references, the address and --namespace' : next;
}

/** `3 credits spent`; null if nothing was, except where a bound did not allow it. */
function spentText(results: readonly Result[]): string | null {
  const isPaid = results.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  if (!isPaid) return null;
  const confirmed = sumOf(results, ({ tally }) => tally.credits.confirmed);
  const possibly_charged = sumOf(results, ({ tally }) => tally.credits.possibly_charged);
  return describeCredits({ confirmed, possibly_charged }, 'spent');
}

/**
 * `3 new, 1,245 entries (400 resumed), 9 pages, 9 credits; in demo.ndjson`; null if nothing was paid or written.
 * `isPaid`: the operation costs credits.
 */
export function tallyText(
  results: readonly Result[],
  credits: Credits,
  isPaid: boolean,
  destination: string | null,
): string | null {
  const file = results.some(({ status, failure }) => failure === null && status !== 'kept')
    ? destination
    : null;
  if (spent(credits) === 0 && file === null) return null;
  const sum = (of: (result: Result) => number | null | undefined): number =>
    sumOf(results, (result) => of(result) ?? 0);
  const resumed = sum((result) => result.resumed);
  const unlisted = sum((result) => result.unlisted?.count);
  const pages = sum((result) => result.pages);
  const parts = [
    results.some(({ added }) => added !== null) && `${thousands(sum(({ added }) => added))} new`,
    `${count(
      sum(({ entries }) => entries),
      'entry',
      'entries',
    )}${resumed > 0 ? ` (${thousands(resumed)} resumed)` : ''}`,
    unlisted > 0 && `${thousands(unlisted)} no longer listed`,
    pages > 0 && count(pages, 'page', 'pages'),
    (isPaid || spent(credits) > 0) && describeCredits(credits),
  ];
  return line(parts.filter(Boolean).join(', '), file && `in ${file}`);
}
