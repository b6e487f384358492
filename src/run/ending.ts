/** Decides how a run ends: its exit code, and its lines on stderr, one per cause. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type CommonOptions, carriedFlagsOf, repairAll } from '../cli/options.ts';
import { type Failure, type FailureCode, mostSevere, type Warning } from '../errors.ts';
import { describeCredits, type Tally, totalCredits } from '../service/budget.ts';
import type { Operation } from '../service/contract.ts';
import { checkAddressStep } from '../service/failures.ts';
import { isCommand, type Step } from '../text/command.ts';
import { count, thousands } from '../text/count.ts';
import type { Result } from './results.ts';

type RunFlags = Pick<CommonOptions, 'invocation'>;

/** What a run knows about itself at its end. */
interface EndedRun {
  readonly operation: Pick<Operation, 'credits'>;
  readonly destination: string | null;
  readonly options: RunFlags;
  readonly budget: { readonly total: Pick<Tally, 'credits'> };
  readonly warnings: readonly Warning[];
  readonly pipeClosed: boolean;
  readonly endedBy: Failure | null;
}

/**
 * Returns the exit code and the lines to print: warnings, the tally, and one failure per cause. A closed pipe ends the work:
 * after it, warnings no longer matter and are omitted, but failures are not.
 */
export function endingOf(run: EndedRun, results: readonly Result[]) {
  const { endedBy, warnings, pipeClosed, options } = run;
  const causes = [...results.map(({ failure }) => failure), endedBy];
  return {
    exit: mostSevere(causes.map((failure) => failure?.exit ?? 0)),
    warnings: pipeClosed ? [] : warningLines(warnings),
    failures: failureLines(results, endedBy, options),
    tally: tallyText(run, results),
  };
}

type Group<T> = readonly [T, ...T[]];

/** Groups items by a key, in order of appearance. */
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

/** Returns the first names in parentheses: ` (@a, @b, @c and others)`. */
export const firstNames = (names: readonly (string | null)[]): string =>
  ` (${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ' and others' : ''})`;

/** Puts `3 references (@a, @b, @c)`, or the name of a single one, before the first message. */
export function withNames(
  labels: readonly (string | null)[],
  messages: readonly string[],
  noun = 'references',
): string {
  const names = labels.length <= 1 ? labels[0] : `${thousands(labels.length)} ${noun}${firstNames(labels)}`;
  const [message = ''] = messages;
  const isSame = messages.every((other) => other === message);
  return names ? `${names}: ${isSame ? '' : 'the first: '}${message}` : message;
}

/** Joins the parts that are not empty. */
const joinParts = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join('; ');

function warningLines(warnings: readonly Warning[]): readonly string[] {
  const groups = grouped(warnings, ({ code, label, message }) => (label === null ? message : code));
  return groups.map((group) =>
    withNames(
      group.flatMap(({ label }) => label ?? []),
      group.map(({ message }) => message),
    ),
  );
}

type Failed = Result & { readonly failure: Failure };
const isFailed = (result: Result): result is Failed => result.failure !== null;
const endsRun = ({ failure }: Failed): boolean => failure.scope === 'run';

/** Returns one failure per code and status. The failure that ended the run comes last. */
export function failureLines(
  results: readonly Result[],
  endedBy: Failure | null,
  options: RunFlags,
): readonly Failure[] {
  const failed = results.filter(isFailed);
  const sorted = [...failed.filter((result) => !endsRun(result)), ...failed.filter(endsRun)];
  const groups = grouped(sorted, ({ failure: { code, status } }) => `${code} ${status}`);
  const lines = groups.map((group) => {
    const [{ failure }] = group;
    const message = failureMessage(group, results);
    return failure.with({ message, step: stepOf(group, results, options), cause: failure });
  });
  const isReported = failed.some(({ failure }) => failure.origin === endedBy?.origin);
  if (endedBy === null || isReported) return lines;
  // A pager that failed, or a file that could not be saved, has ended the run.
  return [
    ...lines,
    endedBy.with({ message: joinParts(endedBy.message, spentText(results)), cause: endedBy }),
  ];
}

/** Says what failed, how many were not reached because of it, and what was spent. */
function failureMessage(group: Group<Failed>, results: readonly Result[]): string {
  const [{ failure }] = group;
  const isOneOfMany = results.length > 1;
  const reached = group.filter(({ isReached }) => isReached);
  const others = group.length - reached.length;
  // A failure of the run is about a reference only if there are others.
  const isNamed = failure.scope !== 'run' || isOneOfMany;
  return joinParts(
    withNames(
      isNamed ? reached.map(({ label }) => label) : [],
      group.map((result) => result.failure.message),
    ),
    others > 0 && isOneOfMany ? `stopped, ${thousands(others)} more not reached` : null,
    spentText(failure.scope === 'reference' ? group : results),
  );
}

/** Failures of archives that `check` also finds, each with its fix. */
const repairable: readonly FailureCode[] = ['damaged', 'lost', 'unresumable'];

/** Codes of failures that a 404 causes. */
const notFound: readonly (FailureCode | undefined)[] = ['not_found', 'gone'];

/** Whether every reference that was requested is not found (404): then the address may be wrong. */
const isAllNotFound = (results: readonly Result[]): boolean =>
  results.every(({ isReached, failure }) => !isReached || notFound.includes(failure?.code));

/** Chooses the one next step for a group of failures. */
function stepOf(group: Group<Failed>, results: readonly Result[], options: RunFlags): Step | null {
  const [{ failure }] = group;
  const folder = options.invocation.flags.find(({ name }) => name === '--output-dir')?.value ?? null;
  const isRepairable =
    repairable.includes(failure.code) && group.some(({ failure: { step } }) => isCommand(step));
  if (group.length > 1 && folder !== null && isRepairable) {
    const check = { program: 'chanlist check', operands: [folder], flags: carriedFlagsOf(options) };
    const all = repairAll({ purpose: 'repair all', ...check });
    if (all !== null) return all;
  }
  // A missing feed needs no action, but the references it kept from being reached need another run.
  if (failure.code === 'no_feed' && group.some(({ isReached }) => !isReached))
    return 'run the same command again: it begins with the archives that were not reached';
  if (isAllNotFound(results) && failure.code === 'gone')
    return 'check the address and --namespace before you remove it from your list';
  // If one of the failures can be resumed, advise that.
  const waiting = failure.exit === 2 ? undefined : group.find((result) => !result.failure.hasDefaultStep);
  const step = ownStep(waiting ?? group[0], group);
  return step === checkAddressStep && !isAllNotFound(results) ? 'check the spelling' : step;
}

/** Returns the step of one failure of a group. The label comes first if its command repairs only this reference. */
function ownStep({ failure: { step }, label }: Failed, group: Group<Failed>): Step | null {
  const isShared = ({ failure }: Failed): boolean => isDeepStrictEqual(failure.step, step);
  if (!isCommand(step) || group.every(isShared)) return step;
  return { ...step, purpose: [label, step.purpose].filter(Boolean).join(': ') };
}

/** Returns `3 credits spent`; null if nothing was paid, and no bound stopped a request. */
function spentText(results: readonly Result[]): string | null {
  const isPaid = results.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  if (!isPaid) return null;
  const confirmed = sumOf(results, ({ tally }) => tally.credits.confirmed);
  const possibly_charged = sumOf(results, ({ tally }) => tally.credits.possibly_charged);
  return describeCredits({ confirmed, possibly_charged }, 'spent');
}

const sumOf = (results: readonly Result[], amountOf: (result: Result) => number | null | undefined): number =>
  results.reduce((sum, result) => sum + (amountOf(result) ?? 0), 0);

/** Returns `3 new, 1,245 entries (400 resumed), 9 pages, 9 credits; in demo.ndjson`; null if entries were printed free. */
function tallyText(
  { operation, destination, budget, pipeClosed, endedBy }: EndedRun,
  results: readonly Result[],
): string | null {
  const { credits } = budget.total;
  const isWritten = results.some(
    ({ status, failure, file }) => file !== null && failure === null && status !== 'kept',
  );
  const file = isWritten ? destination : null;
  const entries = sumOf(results, (result) => result.entries);
  const isEmpty = entries === 0 && results.every(({ failure }) => failure === null);
  if (totalCredits(credits) === 0 && file === null && !isEmpty) return null;
  const resumed = sumOf(results, (result) => result.resumed);
  const unlisted = sumOf(results, (result) => result.unlisted?.count);
  const pages = sumOf(results, (result) => result.pages);
  const isUpdate = results.some(({ added }) => added !== null);
  const parts = [
    isUpdate && `${thousands(sumOf(results, ({ added }) => added))} new`,
    // If a pager or a failure has cut off the page, it is unknown how many of its entries were seen.
    !((pipeClosed || endedBy !== null) && entries === 0) &&
      count(entries, 'entry', 'entries') + (resumed > 0 ? ` (${thousands(resumed)} resumed)` : ''),
    unlisted > 0 && `${thousands(unlisted)} no longer listed`,
    pages > 0 && count(pages, 'page', 'pages'),
    (operation.credits > 0 || totalCredits(credits) > 0) && describeCredits(credits),
  ];
  return joinParts(parts.filter(Boolean).join(', '), file && `in ${file}`);
}
