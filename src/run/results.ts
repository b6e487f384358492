import type { Failure } from '../errors.ts';
import type { Reference } from './read-references.ts';

export const statuses = [
  'complete',
  'limited',
  'unchanged',
  'unchecked',
  'kept',
  'interrupted',
  'failed',
] as const;

/** How a run ended for one reference: an element of `references` in `--summary`. */
export interface Result extends Pick<Reference, 'given' | 'label' | 'tally'> {
  readonly id: string | null;
  readonly file: string | null;
  readonly status: (typeof statuses)[number];
  readonly entries: number;
  /** Entries that an update added, in all its runs; null if this was no update. */
  readonly added: number | null;
  /** numVideos less the entries, at least 0; null if no page was fetched, or if numVideos is unknown. */
  readonly missing: number | null;
  /** Entries in FILE that the list no longer has; null unless this run fetched every page of an update. */
  readonly unlisted: { readonly count: number; readonly ids: readonly string[] } | null;
  readonly pages: number;
  /** Entries that an earlier, interrupted run had already stored. */
  readonly resumed: number;
  /** Token of the first page that is not fully printed. */
  readonly token: string | null;
  readonly failure: Failure | null;
  readonly isReached: boolean;
}

export function resultOf(input: Reference, facts: Partial<Result> = {}): Result {
  const { given, label, tally } = input;
  const { failure = input.failure } = facts;
  return {
    given,
    label,
    tally,
    id: null,
    file: null,
    status: failure === null ? 'complete' : failure.scope === 'reference' ? 'failed' : 'interrupted',
    entries: 0,
    added: null,
    missing: null,
    unlisted: null,
    pages: 0,
    resumed: 0,
    token: null,
    failure,
    isReached: failure?.isInherited !== true,
    ...facts,
  };
}

/** Returns the result of an unreached reference. `failure`: why; null for a closed pipe. A bad line keeps its own. */
export const unreachedResult = (reference: Reference, failure: Failure | null): Result =>
  reference.failure !== null
    ? resultOf(reference)
    : resultOf(reference, { status: 'interrupted', failure, isReached: false });

export const badLineResults = (references: readonly Reference[]): Result[] =>
  references.filter(({ failure }) => failure !== null).map((line) => resultOf(line));
