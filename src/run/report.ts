import { type ExitCode, type Failure, fallbackHint, gravest, toFailure } from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import { describeCredits, spent } from '../service/budget.ts';
import { count, thousands } from '../text/count.ts';
import { type Run, unreached, type Warning } from './open.ts';
import { exitOf, type Result, resultOf, spentOn } from './results.ts';

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
  const { stderr, budget } = run;
  const results = await work.catch((error: unknown) => brokenOff(run, error));
  await run.progress.stop();
  if (run.hasReaderLeft) {
    const reached = new Set(results.map(({ tally }) => tally));
    const rest = run.plan.subjects.filter(({ tally }) => !reached.has(tally));
    const all = [...results, ...rest.map((subject) => resultOf(subject, { status: 'interrupted' }))];
    await run.summary.finish({ exit: 0, failure: null, results: all, total: budget.total });
    return 0;
  }
  const isUndone = results.some(({ failure }) => failure !== null);
  const ended = run.ended ?? (isUndone ? run.stopped : null);
  reportWarnings(stderr, run.warnings);
  reportFailures(stderr, results, ended);
  if (ended === null || results.length > 1) stderr.note(tallyText(results, run, destination));
  const exit = gravest([exitOf(results), ...(ended === null ? [] : [ended.exit])]);
  try {
    await run.summary.finish({ exit, failure: ended, results, total: budget.total });
    return exit;
  } catch (error) {
    const failure = toFailure(error);
    stderr.error(`--summary: ${failure.line()}`);
    return exit === 0 ? 1 : exit;
  }
}

/** The results of work that threw: no reference is to blame, but the credits of each are reported. */
function brokenOff(run: Run, thrown: unknown): readonly Result[] {
  if (run.budget.total.requests === 0) throw thrown;
  const failure = toFailure(thrown);
  run.end(failure);
  return run.plan.subjects.map((subject) => unreached(subject, failure));
}

/** The parts of a message in one line; empty parts are left out. */
const line = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part).join('; ');

/** The members of each group, by a key, in order of appearance. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** `3 references (@a, @b, @c): `, the name of a single one, or nothing. */
function subjectOf(labels: readonly (string | null)[]): string {
  const [first = null] = labels;
  if (labels.length === 1) return first === null ? '' : `${first}: `;
  const names = labels.slice(0, maxNames).join(', ');
  const others = labels.length > maxNames ? ' and others' : '';
  return `${labels.length} references (${names}${others}): `;
}

export function reportWarnings(stderr: Stderr, warnings: readonly Warning[]): void {
  for (const group of grouped(warnings, ({ code }) => code)) {
    const labels = group.map(({ label }) => label).filter((label) => label !== null);
    stderr.warn(`${labels.length === 0 ? '' : subjectOf(labels)}${group[0]?.message}`);
  }
}

/** One line per code and status: how many references, the first three, the first message, what was spent, what to do. */
function reportFailures(stderr: Stderr, results: readonly Result[], ended: Failure | null): void {
  const failed = results.filter(({ failure }) => failure !== null);
  const keyOf = ({ failure }: Result): string => `${failure?.code} ${failure?.status}`;
  const groups = grouped(failed, keyOf);
  if (ended !== null && !failed.some(({ failure }) => failure?.code === ended.code))
    stderr.error(line(ended.message, ended.hint ?? fallbackHint(ended.code)));
  for (const group of groups) {
    const [first] = group;
    const failure = first?.failure;
    if (!first || !failure) continue;
    const isOfRun = failure.scope === 'run';
    const subject = isOfRun && results.length === 1 ? '' : subjectOf(group.map(({ label }) => label));
    const what = isOfRun
      ? line(failure.message, results.length > 1 ? `not finished: ${subject.slice(0, -2)}` : null)
      : `${subject}${failure.message}`;
    const own = failure.hint ?? (first.next === null ? fallbackHint(failure.code) : null);
    const spenders = failure.scope === 'reference' ? group : results;
    stderr.error(line(what, spentText(spenders), own, first.next, hintForAll404(results, group)));
    stderr.stack(failure);
  }
}

/** If every reference, or every feed, is 404, the address may be wrong. */
function hintForAll404(results: readonly Result[], group: readonly Result[]): string | null {
  const areAll404 = group.length === results.length && group.every(({ failure }) => failure?.status === 404);
  return areAll404 ? 'check the address and --namespace, too' : null;
}

/** `3 credits spent`; null if nothing was, except where a bound did not allow it. */
function spentText(results: readonly Result[]): string | null {
  const isPaid = results.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  return isPaid ? describeCredits(spentOn(results), 'spent') : null;
}

/** `1,234 entries (400 resumed), 9 pages, 9 credits; written to demo.ndjson` */
function tallyText(results: readonly Result[], { budget, plan }: Run, destination: string | null): string {
  const sum = (of: (result: Result) => number): number =>
    results.reduce((all, result) => all + of(result), 0);
  const entries = count(
    sum(({ entries }) => entries),
    'entry',
    'entries',
  );
  const resumed = sum(({ resumed }) => resumed);
  const isUpdate = results.some(({ added }) => added !== null);
  const pages = sum(({ pages }) => pages);
  const parts = [`${entries}${resumed > 0 ? ` (${thousands(resumed)} resumed)` : ''}`];
  if (isUpdate) parts.unshift(`${thousands(sum(({ added }) => added ?? 0))} new`);
  if (pages > 0) parts.push(count(pages, 'page', 'pages'));
  if (plan.isPaid || spent(budget.total.credits) > 0) parts.push(describeCredits(budget.total.credits));
  const isWritten = results.some(({ status, failure }) => failure === null && status !== 'kept');
  return `${parts.join(', ')}${destination === null || !isWritten ? '' : `; in ${destination}`}`;
}
