/** The lines of a run on stderr, one per cause. Pure. */
import { type Failure, type FailureCode, fallbackHint, isNote, type Warning } from '../errors.ts';
import { type Credits, describeCredits, spent } from '../service/budget.ts';
import { count, thousands } from '../text/count.ts';
import { type Result, sumOf } from './results.ts';

const maxNames = 3;

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
  return labels.length <= 1 ? (labels[0] ?? '') : `${thousands(labels.length)} references${firstOf(labels)}`;
}

/** ` (a, b, c and others)` */
export const firstOf = (names: readonly (string | null)[]): string =>
  ` (${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ' and others' : ''})`;

/** A message with the references that it is about; a cost in it is that of each. */
function withNames(labels: readonly (string | null)[], message: string): string {
  const names = namesOf(labels);
  const text = labels.length > 1 ? costOfEach(message) : message;
  return names === '' ? text : `${names}: ${text}`;
}

const costOfEach = (text: string): string => text.replace(/\b\d[\d,]* credits?\b(?! per| each)/g, '$& each');

/** One line per code, or per message that is about no reference. */
export function warningLines(
  warnings: readonly Warning[],
): readonly { readonly text: string; readonly isNote: boolean }[] {
  const groups = grouped(warnings, ({ code, label, message }) => (label === null ? message : `${code}:`));
  return groups.map((group) => ({
    text: withNames(
      group.flatMap(({ label }) => label ?? []),
      group[0].message,
    ),
    isNote: isNote(group[0]),
  }));
}

type Failed = Result & { readonly failure: Failure };
const isFailed = (result: Result): result is Failed => result.failure !== null;

interface RunFacts {
  readonly results: readonly Result[];
  readonly ended: Failure | null;
  readonly isSandbox: boolean;
  readonly isOneOfMany: boolean;
  /** Every reference, or every feed, is 404: the address may be wrong. */
  readonly areAllAbsent: boolean;
}

/** One line per code and status. What ended the run comes last. */
export function failureLines(
  results: readonly Result[],
  ended: Failure | null,
  isSandbox: boolean,
): readonly { readonly text: string; readonly failure: Failure }[] {
  // References that an outage left out are counted in the line of its cause.
  const failed = results.filter(isFailed).filter(({ failure }) => failure.code !== 'outage');
  const groups = grouped(
    [
      ...failed.filter(({ failure }) => failure.scope !== 'run'),
      ...failed.filter(({ failure }) => failure.scope === 'run'),
    ],
    ({ failure: { code, status } }) => `${code} ${status}`,
  );
  const isOneOfMany = groups.length > 1;
  const areAllAbsent = results.every(({ failure }) => failure !== null && isAbsent(failure));
  const facts = { results, ended, isSandbox, isOneOfMany, areAllAbsent };
  const lines = groups.map((group) => ({ text: failureText(group, facts), failure: group[0].failure }));
  if (ended === null || ended.code === 'outage' || failed.some(({ failure }) => failure.code === ended.code))
    return lines;
  return [...lines, { text: ended.line(ended.hint ?? fallbackHint(ended.code)), failure: ended }];
}

/** Failures of a reference or feed; a token that is 404 is only refused. */
const absentCodes: readonly FailureCode[] = ['not_found', 'gone', 'no_feed'];
const isAbsent = ({ code, status }: Failure): boolean => status === 404 && absentCodes.includes(code);

/** What happened to how many references, how many were not reached, what was spent, what to do. */
function failureText(group: Group<Failed>, facts: RunFacts): string {
  const [{ failure, next }] = group;
  const { results, ended, isOneOfMany } = facts;
  const isOfRun = failure.scope === 'run';
  // A failure of the run is about a reference only if there are others.
  const reached = group.filter(({ isReached }) => isReached && (!isOfRun || results.length > 1));
  // The failure that ended the run is that of the last of five references.
  const isOutage = group.some((one) => one.failure === ended?.cause);
  const others = isOutage
    ? results.filter((one) => one.failure?.code === 'outage')
    : group.filter(({ isReached }) => !isReached);
  const hint = hintOf(failure, facts) ?? (next === null ? fallbackHint(failure.code) : null) ?? '';
  return line(
    withNames(
      reached.map(({ label }) => label),
      failure.message,
    ),
    others.length > 0 && results.length > 1 ? `stopped, ${thousands(others.length)} more not reached` : null,
    neededText(group),
    failure.scope === 'reference' ? spentText(group) : spentText(results, isOneOfMany ? ' in all' : ''),
    reached.length > 1 ? costOfEach(hint) : hint,
    next,
  );
}

/** What to do about a failure; null: it names nothing. */
function hintOf({ code, hint }: Failure, { isSandbox, areAllAbsent }: RunFacts): string | null {
  if (!areAllAbsent || isSandbox) return hint ?? null;
  // If nothing at all is found, it is the address rather than each reference.
  if (code === 'not_found') return 'check the spelling, the address and --namespace';
  return line(code === 'gone' ? null : hint, 'check the address and --namespace');
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

/** `3 new, 1,245 entries (400 resumed), 9 pages, 9 credits; in demo.ndjson`. `isPaid`: the operation costs credits. */
export function tallyText(
  results: readonly Result[],
  credits: Credits,
  isPaid: boolean,
  destination: string | null,
): string {
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
  const isWritten = results.some(({ status, failure }) => failure === null && status !== 'kept');
  return line(
    parts.filter(Boolean).join(', '),
    isWritten && destination !== null ? `in ${destination}` : null,
  );
}
