import {
  type ExitCode,
  type Failure,
  type FailureCode,
  fallbackHint,
  gravest,
  toFailure,
} from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import { describeCredits, spent } from '../service/budget.ts';
import { count, thousands } from '../text/count.ts';
import type { Run, Warning } from './open.ts';
import { type Result, sumOf, unreached } from './results.ts';

/** Names shown of a group. */
const maxNames = 3;

/**
 * Ends a run when its work ends, also if that throws: prints one line per cause and the tally, writes `--summary`, and
 * returns the exit code. `destination`: where the output went; null: stdout. Throws what the work throws before its
 * first request.
 */
export async function report(
  run: Run,
  work: Promise<readonly Result[]>,
  destination: string | null,
): Promise<ExitCode> {
  const { stderr, writeSummary } = run;
  const results = await work.catch((error: unknown) => brokenOff(run, error));
  await run.progress.stop();
  if (run.hasReaderLeft) {
    await writeSummary(results, { exit: 0, failure: null });
    return 0;
  }
  const isUndone = results.some(({ failure }) => failure !== null);
  const ended = run.ended ?? (isUndone ? run.stopped : null);
  // The handle of a channel that is gone resolves to nothing: that is no second problem.
  const gone = new Set(results.flatMap(({ failure, label }) => (failure?.code === 'gone' ? [label] : [])));
  reportWarnings(
    stderr,
    run.warnings.filter(({ code, label }) => code !== 'unresolved' || !gone.has(label)),
  );
  reportFailures(stderr, results, ended);
  if (ended === null || results.length > 1) stderr.note(tallyText(results, run, destination));
  const exit = gravest([...results.map(({ failure }) => failure?.exit ?? 0), ended?.exit ?? 0]);
  try {
    await writeSummary(results, { exit, failure: ended });
    return exit;
  } catch (error) {
    stderr.error(toFailure(error).line());
    return exit === 0 ? 1 : exit;
  }
}

/** The results of work that threw: no reference is to blame, but the credits of each are reported. */
function brokenOff(run: Run, thrown: unknown): readonly Result[] {
  if (run.budget.total.requests === 0) throw thrown;
  const failure = toFailure(thrown);
  run.end(failure);
  return run.subjects.map((subject) => unreached(subject, failure));
}

/** The parts of a message in one line; empty parts are omitted. */
const line = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part).join('; ');

/** The first member of a group, then the others. */
type Group<T> = readonly [T, ...T[]];

/** The members of each group, by a key, in order of appearance. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Group<T>[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** `3 references (@a, @b, @c)`, the name of a single one, or nothing. */
function namesOf(labels: readonly (string | null)[]): string {
  if (labels.length <= 1) return labels[0] ?? '';
  const others = labels.length > maxNames ? ' and others' : '';
  return `${labels.length} references (${labels.slice(0, maxNames).join(', ')}${others})`;
}

/** A message about references. */
const about = (names: string, message: string): string => (names === '' ? message : `${names}: ${message}`);

/** One line per code: how many references, the first three, the first message. */
export function reportWarnings(stderr: Stderr, warnings: readonly Warning[]): void {
  for (const group of grouped(warnings, ({ code }) => code)) {
    const labels = group.map(({ label }) => label).filter((label) => label !== null);
    stderr.warn(about(namesOf(labels), group[0].message));
  }
}

type Failed = Result & { readonly failure: Failure };
const isFailed = (result: Result): result is Failed => result.failure !== null;

/** One line per code and status. What ended the run comes last. */
function reportFailures(stderr: Stderr, results: readonly Result[], ended: Failure | null): void {
  const failed = results.filter(isFailed);
  const isOfRun = ({ failure }: Failed): boolean => failure.scope === 'run';
  const groups = grouped(
    [...failed.filter((result) => !isOfRun(result)), ...failed.filter(isOfRun)],
    ({ failure: { code, status } }) => `${code} ${status}`,
  );
  for (const group of groups) {
    stderr.error(failureText(group, results, groups.length > 1));
    stderr.printStack(group[0].failure);
  }
  if (ended !== null && !failed.some(({ failure }) => failure.code === ended.code))
    stderr.error(line(ended.message, ended.hint ?? fallbackHint(ended.code)));
}

/** Failures of a reference or feed; a token that is 404 is only refused. */
const absentCodes: readonly FailureCode[] = ['not_found', 'gone', 'no_feed'];

/** What happened to how many references, what was spent, what to do. `isOneOfMany`: there are other such lines. */
function failureText(group: Group<Failed>, results: readonly Result[], isOneOfMany: boolean): string {
  const [{ failure, next }] = group;
  const { code, status, scope, message, hint } = failure;
  const names = namesOf(group.map(({ label }) => label));
  // If every reference, or every feed, is 404, the address may be wrong.
  const areAllAbsent = group.length === results.length && status === 404 && absentCodes.includes(code);
  return line(
    scope === 'run' ? message : about(names, message),
    scope === 'run' && results.length > 1 ? `not finished: ${names}` : null,
    neededText(group),
    scope === 'reference' ? spentText(group) : spentText(results, isOneOfMany ? ' in all' : ''),
    hint ?? (next === null ? fallbackHint(code) : null),
    next,
    areAllAbsent ? 'check the address and --namespace, too' : null,
  );
}

/** About how many credits references need that a spent budget has stopped; null if one of them is not known. */
function neededText(group: Group<Failed>): string | null {
  const isKnown =
    group[0].failure.code === 'budget' && group.every(({ creditsLeft }) => creditsLeft !== null);
  const needed = sumOf(group, ({ creditsLeft }) => creditsLeft ?? 0);
  if (!isKnown || needed === 0) return null;
  return `about ${count(needed, 'more credit is', 'more credits are')} needed to finish`;
}

/** `3 credits spent`; null if nothing was, except where a bound did not allow it. */
function spentText(results: readonly Result[], inAll = ''): string | null {
  const isPaid = results.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  if (!isPaid) return null;
  const confirmed = sumOf(results, ({ tally }) => tally.credits.confirmed);
  const possibly_charged = sumOf(results, ({ tally }) => tally.credits.possibly_charged);
  return describeCredits({ confirmed, possibly_charged }, `spent${inAll}`);
}

/** `1,234 entries (400 resumed), 9 pages, 9 credits; in demo.ndjson` */
function tallyText(
  results: readonly Result[],
  { budget, operation }: Run,
  destination: string | null,
): string {
  const entries = sumOf(results, (result) => result.entries);
  const resumed = sumOf(results, (result) => result.resumed);
  const pages = sumOf(results, (result) => result.pages);
  const isUpdate = results.some(({ added }) => added !== null);
  const { credits } = budget.total;
  const parts = [
    isUpdate && `${thousands(sumOf(results, ({ added }) => added ?? 0))} new`,
    `${count(entries, 'entry', 'entries')}${resumed > 0 ? ` (${thousands(resumed)} resumed)` : ''}`,
    pages > 0 && count(pages, 'page', 'pages'),
    (operation.credits > 0 || spent(credits) > 0) && describeCredits(credits),
  ];
  const isWritten = results.some(({ status, failure }) => failure === null && status !== 'kept');
  return line(
    parts.filter(Boolean).join(', '),
    isWritten && destination !== null ? `in ${destination}` : null,
  );
}
