import type { Failure } from '../../errors.ts';
import type { ExportRecord, ExportRequest, Finished, Progress } from './export-record.ts';

/** How a run ended for one export, as far as its record is concerned. */
export type Outcome =
  /** A new FILE is in place. */
  | {
      readonly kind: 'replaced';
      readonly progress: Progress;
      readonly finished: Finished;
      readonly check: Check;
    }
  /** A check found that FILE is up to date. `finished`: FILE as it is now. */
  | { readonly kind: 'checked'; readonly finished: Finished; readonly check: Check }
  /** FILE was accepted without a check. */
  | { readonly kind: 'adopted'; readonly finished: Finished; readonly request: ExportRequest }
  /** No check was due. */
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What a successful check saw. */
export interface Check {
  /** Null: there is none, or it was not requested. */
  readonly feed: readonly { readonly videoId: string }[] | null;
  /** The feed was requested, and is missing. */
  readonly isWithoutFeed: boolean;
  /** Whether FILE contains an ID now. */
  readonly has: (id: string) => boolean;
  /** The IDs that the fetched pages should contain. */
  readonly expected: readonly string[];
  /** numVideos less entries; null if no page was fetched, or it is unknown: what was known before counts. */
  readonly missing: number | null;
}

/** The check of an export that fetched all pages without a feed. */
export const nothingChecked: Check = {
  feed: null,
  isWithoutFeed: false,
  has: () => false,
  expected: [],
  missing: null,
};

/** Longest feed, and most missing IDs, that a record keeps. */
const maxIds = 200;

/** The record after a run. `now`: milliseconds since 1970. Pure. */
export function afterRun(record: ExportRecord, outcome: Outcome, now: number): ExportRecord {
  const time = new Date(now).toISOString();
  switch (outcome.kind) {
    case 'replaced': {
      const { progress, finished, check } = outcome;
      const request = progress.kind === 'update' ? record.request : progress.request;
      return { ...afterCheck({ ...record, progress }, finished, check, time), request, changed: time };
    }
    case 'checked':
      return afterCheck(record, outcome.finished, outcome.check, time);
    case 'adopted':
      return { ...record, finished: outcome.finished, request: outcome.request };
    case 'unchecked':
      return { ...record, failure: null };
    case 'failed': {
      const { code, scope } = outcome.failure;
      if (code === 'budget' && record.progress !== null)
        return { ...record, progress: { ...record.progress, isOutOfBudget: true } };
      // The record is that of the run that holds the lock.
      if (scope !== 'reference' || code === 'locked') return record;
      const since = record.failure?.code === code ? record.failure.since : time;
      return { ...record, failure: { code, since } };
    }
  }
}

/** The record after a successful check; without a feed, the check is as old as the first page. */
function afterCheck(record: ExportRecord, finished: Finished, check: Check, now: string): ExportRecord {
  const { feed, isWithoutFeed, has } = check;
  const time = feed === null ? (record.progress?.started ?? now) : now;
  const ids = (feed ?? []).map(({ videoId }) => videoId).slice(0, maxIds);
  return {
    ...record,
    finished,
    progress: null,
    checked: time,
    missing: check.missing ?? record.missing,
    feed: feed === null ? null : { ids, known: ids.filter(has) },
    missingIds: missingAfter(record, check, time),
    withoutFeed: isWithoutFeed ? time : null,
    failure: null,
  };
}

/** Rule 4: the expected IDs that FILE still lacks. */
function missingAfter(
  { missingIds }: ExportRecord,
  { expected, has }: Check,
  time: string,
): ExportRecord['missingIds'] {
  const next = new Map(Object.entries(missingIds).filter(([id]) => !has(id)));
  for (const id of expected) {
    if (has(id)) continue;
    const checks = (next.get(id)?.checks ?? 0) + 1;
    next.delete(id);
    next.set(id, { checks, last: time });
  }
  return Object.fromEntries([...next].slice(-maxIds));
}

/** The record with the reference as it was given, and what was resolved to its ID. */
export function withReferences(
  record: ExportRecord,
  reference: string,
  references: ExportRecord['references'],
): ExportRecord {
  return { ...record, reference, references: { ...record.references, ...references } };
}
