import { type Credits, newTally, type Tally } from '../api/credits.ts';
import type { Failure } from '../errors.ts';

export type Status = 'complete' | 'limited' | 'unchanged' | 'interrupted' | 'failed';

/** What happened to one reference: the working copy of a line of `--summary`. */
export interface Receipt {
  /** As typed; null with `--continuation`. */
  readonly reference: string | null;
  /** Channel or playlist ID, once known. */
  id: string | null;
  file: string | null;
  status: Status;
  entries: number;
  /** Only for `--update`: entries added, and how the file compares with numVideos. */
  added: number | null;
  missing: number | null;
  disappeared: number | null;
  pages: number;
  /** numVideos, once known; not part of the summary. */
  total: number | null;
  readonly tally: Tally;
  /** Token of the first page not wholly printed. */
  token: string | null;
  failure: Failure | null;
  /** How to go on after it; not part of the summary. */
  goOn: string | null;
  /** About how many credits the rest takes, where a budget stopped it; not part of the summary. */
  needed: number | null;
}

export function newReceipt(reference: string | null, id: string | null): Receipt {
  return {
    reference,
    id,
    file: null,
    status: 'interrupted',
    entries: 0,
    added: null,
    missing: null,
    disappeared: null,
    pages: 0,
    total: null,
    tally: newTally(reference),
    token: null,
    failure: null,
    goOn: null,
    needed: null,
  };
}

/** Notes how a reference failed: `interrupted` where the whole call ended with it, else `failed`. */
export function failed(receipt: Receipt, failure: Failure): void {
  receipt.failure = failure;
  receipt.status = failure.scope === 'call' ? 'interrupted' : 'failed';
}

export interface Outcome {
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly seconds: number;
  readonly exit: number;
  readonly total: Tally;
  readonly receipts: readonly Receipt[];
}

/** The text of `--summary`. */
export function summaryText(outcome: Outcome): string {
  const credits = ({ confirmed, possibly_charged }: Credits): Credits => ({ confirmed, possibly_charged });
  const summary = {
    command: outcome.command,
    started: new Date(outcome.started).toISOString(),
    seconds: Math.round(outcome.seconds * 1000) / 1000,
    exit: outcome.exit,
    credits: credits(outcome.total.credits),
    requests: outcome.total.requests,
    retries: outcome.total.retries,
    references: outcome.receipts.map((receipt) => ({
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
      continuation_token: receipt.token,
      error: receipt.failure,
      exit: receipt.failure?.exit ?? 0,
    })),
  };
  return `${JSON.stringify(summary, null, 2)}\n`;
}
