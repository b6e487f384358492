import type { Failure } from '../errors.ts';
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

/** The result of one reference: the working copy of an element of `references` in `--summary`. */
export interface Receipt {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  /** How messages name it: with its line, if it comes from `--from`; null without a reference. */
  readonly label: string | null;
  /** Channel or playlist ID, once known. */
  id: string | null;
  file: string | null;
  status: Status;
  entries: number;
  /** Entries that this run's update added; null without one. */
  added: number | null;
  /** How the entries compare with numVideos; null if no page was bought. */
  missing: number | null;
  disappeared: number | null;
  pages: number;
  /** What earlier, interrupted runs of this export had; null if it was not resumed. */
  resumed: { entries: number; credits: number } | null;
  /** Why a page was bought other than for an expected ID that it held. */
  why: string | null;
  readonly tally: Tally;
  /** Token of the first page that is not fully printed. */
  token: string | null;
  failure: Failure | null;

  // Not part of the summary:
  /** Whether its work has started. */
  started: boolean;
  /** numVideos, once known. */
  total: number | null;
  /** How to resume, for the message. */
  resumeHint: string | null;
  /** About how many credits the rest takes, if a budget stopped it. */
  needed: number | null;
  /** Whether an earlier run has reported this failure. */
  isReported: boolean;
  /** Whether it was exported before and is no longer found. */
  isGone: boolean;
}

/** The receipt of a reference that has not started. */
export function newReceipt(
  reference: string | null,
  id: string | null,
  label: string | null = reference,
): Receipt {
  return {
    reference,
    label,
    id,
    file: null,
    status: 'interrupted',
    entries: 0,
    added: null,
    missing: null,
    disappeared: null,
    pages: 0,
    resumed: null,
    why: null,
    tally: newTally(reference),
    token: null,
    failure: null,
    started: false,
    total: null,
    resumeHint: null,
    needed: null,
    isReported: false,
    isGone: false,
  };
}

/** Notes the failure of a reference: `failed` if only this reference stopped, else `interrupted`. */
export function setFailure(receipt: Receipt, failure: Failure): void {
  receipt.failure = failure;
  receipt.status = failure.scope === 'reference' ? 'failed' : 'interrupted';
}

/**
 * The exit code of the references: that of a spent budget, else of the first failure in input order. A channel that is
 * gone counts only if nothing else failed.
 */
export function exitOf(receipts: readonly Receipt[]): number {
  const failed = receipts.filter(({ failure }) => failure !== null);
  const first =
    failed.find(({ failure }) => failure?.code === 'budget') ??
    failed.find(({ isGone }) => !isGone) ??
    failed[0];
  return first?.failure?.exit ?? 0;
}

/** The data of a `--summary`. */
export interface Outcome {
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly seconds: number;
  /** Null while the call runs. */
  readonly exit: number | null;
  readonly total: Tally;
  readonly receipts: readonly Receipt[];
}

/** The text of `--summary` (a JSON document). */
export function summaryText(outcome: Outcome): string {
  const { receipts, total } = outcome;
  const credits = ({ confirmed, possibly_charged }: Credits): Credits => ({ confirmed, possibly_charged });
  const counts = Object.fromEntries(
    statuses.map((status) => [status, receipts.filter((receipt) => receipt.status === status).length]),
  );
  const summary = {
    command: outcome.command,
    started: new Date(outcome.started).toISOString(),
    seconds: Math.round(outcome.seconds * 1000) / 1000,
    exit: outcome.exit,
    credits: credits(total.credits),
    requests: total.requests,
    retries: total.retries,
    counts,
    references: receipts.map((receipt) => ({
      reference: receipt.reference,
      id: receipt.id,
      file: receipt.file,
      status: receipt.status,
      entries: receipt.entries,
      new: receipt.added,
      missing: receipt.missing,
      disappeared: receipt.disappeared,
      pages: receipt.pages,
      credits: credits(receipt.tally.credits),
      resumed: receipt.resumed,
      why: receipt.why,
      continuation_token: receipt.token,
      error: receipt.failure,
      exit: receipt.failure?.exit ?? 0,
    })),
  };
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** Credits that these references may have cost. */
export function spentOn(receipts: readonly Receipt[]): Credits {
  const sum = (of: (credits: Credits) => number): number =>
    receipts.reduce((total, { tally }) => total + of(tally.credits), 0);
  return {
    confirmed: sum((credits) => credits.confirmed),
    possibly_charged: sum((credits) => credits.possibly_charged),
  };
}
