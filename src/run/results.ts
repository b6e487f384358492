import { type ExitCode, type Failure, gravest } from '../errors.ts';
import { type Credits, newTally, type Tally } from '../service/budget.ts';

export const statuses = [
  'complete',
  'limited',
  'unchanged',
  'unchecked',
  'kept',
  'interrupted',
  'failed',
] as const;
export type Status = (typeof statuses)[number];

/** A reference of a run, before and while it is worked on. */
export interface Subject {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  /** How messages name it: with its line, if it comes from `--from`; null without a reference. */
  readonly label: string | null;
  /** Requests and credits of this run for it. */
  readonly tally: Tally;
}

/** How a run ended for one reference: an element of `references` in `--summary`. */
export interface Result extends Subject {
  /** Channel or playlist ID; null if unknown. */
  readonly id: string | null;
  readonly file: string | null;
  readonly status: Status;
  /** Entries in FILE, or printed. */
  readonly entries: number;
  /** Entries that an update added, in all its runs; null without one. */
  readonly added: number | null;
  /** numVideos less entries, if positive; null if no page was fetched. */
  readonly missing: number | null;
  /** Pages of this run. */
  readonly pages: number;
  /** Entries that an earlier, interrupted run had. */
  readonly resumed: number;
  /** Why a page was fetched other than for an expected ID that it contained. */
  readonly why: string | null;
  /** Token of the first page that is not fully printed. */
  readonly token: string | null;
  readonly failure: Failure | null;
  /** The next step after the failure, if the failure itself does not name it. */
  readonly next: string | null;
}

export function newSubject(reference: string | null, label: string | null = reference): Subject {
  return { reference, label, tally: newTally(reference) };
}

/** The result of a reference that nothing is known of but these facts. */
export function resultOf(subject: Subject, facts: Partial<Result>): Result {
  const { reference, label, tally } = subject;
  const { failure = null } = facts;
  return {
    reference,
    label,
    tally,
    id: null,
    file: null,
    status: failure === null ? 'complete' : statusOf(failure),
    entries: 0,
    added: null,
    missing: null,
    pages: 0,
    resumed: 0,
    why: null,
    token: null,
    failure,
    next: null,
    ...facts,
  };
}

/** `failed` if only this reference has stopped, else `interrupted`. */
export const statusOf = ({ scope }: Failure): Status => (scope === 'reference' ? 'failed' : 'interrupted');

/** The gravest exit code of these results; 0 if none of them failed. */
export const exitOf = (results: readonly Result[]): ExitCode =>
  gravest(results.flatMap(({ failure }) => failure?.exit ?? []));

/** Credits that these references may have cost. */
export function spentOn(results: readonly Result[]): Credits {
  const sum = (of: (credits: Credits) => number): number =>
    results.reduce((total, { tally }) => total + of(tally.credits), 0);
  return {
    confirmed: sum((credits) => credits.confirmed),
    possibly_charged: sum((credits) => credits.possibly_charged),
  };
}

/** The data of a `--summary`. */
export interface Report {
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly seconds: number;
  /** Null while the run works. */
  readonly exit: number | null;
  /** What ended the run. */
  readonly failure: Failure | null;
  /** Null while the run works: a killed run does not say that nothing was spent. */
  readonly total: Pick<Tally, 'credits' | 'requests' | 'retries'> | null;
  readonly results: readonly Result[];
}

/** The text of `--summary` (a JSON document). */
export function reportText({ results, total, ...run }: Report): string {
  const credits = ({ confirmed, possibly_charged }: Credits): Credits => ({ confirmed, possibly_charged });
  const counts = statuses.map((status) => [status, results.filter((one) => one.status === status).length]);
  const report = {
    command: run.command,
    started: new Date(run.started).toISOString(),
    seconds: Math.round(run.seconds * 1000) / 1000,
    exit: run.exit,
    error: run.failure,
    credits: total && credits(total.credits),
    requests: total?.requests ?? null,
    retries: total?.retries ?? null,
    counts: Object.fromEntries(counts),
    references: results.map((result) => ({
      reference: result.reference,
      id: result.id,
      file: result.file,
      status: result.status,
      entries: result.entries,
      new: result.added,
      missing: result.missing,
      pages: result.pages,
      credits: total && credits(result.tally.credits),
      resumed: result.resumed,
      why: result.why,
      continuation_token: result.token,
      error: result.failure,
      exit: result.failure?.exit ?? null,
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
