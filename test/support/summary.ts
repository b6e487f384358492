import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import type { Collected } from './collect.ts';

/** The fields of `--summary`, as the contract names them. */
export interface Credits {
  readonly confirmed: number;
  readonly possibly_charged: number;
}

export interface SummaryError {
  readonly code: string;
  readonly status: number | null;
  readonly message: string;
}

export interface ReferenceSummary {
  readonly reference: string | null;
  readonly id: string | null;
  readonly file: string | null;
  readonly status: 'complete' | 'limited' | 'unchanged' | 'unchecked' | 'kept' | 'interrupted' | 'failed';
  readonly entries: number;
  readonly new: number | null;
  readonly missing: number | null;
  readonly unlisted: { readonly count: number; readonly ids: readonly string[] } | null;
  readonly pages: number;
  readonly credits: Credits;
  /** Entries that an earlier, interrupted run had; else 0. */
  readonly resumed: number;
  readonly why: string | null;
  readonly continuation_token: string | null;
  readonly error: SummaryError | null;
  /** Null unless it failed or was interrupted. */
  readonly exit: number | null;
}

export interface Summary {
  readonly command: string;
  readonly started: string;
  readonly seconds: number;
  /** Null if the run was killed: the report is that of its start. */
  readonly exit: number | null;
  /** What ended the run. */
  readonly error: SummaryError | null;
  readonly credits: Credits;
  readonly requests: number;
  readonly retries: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly references: readonly ReferenceSummary[];
}

/** Reads the summary of a run and removes it; null if there is none. */
export async function takeSummary(path: string): Promise<Summary | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Summary;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/** Holds a summary against how its run ended, and against what the service charged (null: it keeps no account). */
export function assertSummary(
  summary: Summary | null,
  { exit, signal, stderr }: Omit<Collected, 'stdout'>,
  charged: number | null,
): void {
  if (summary === null || signal === 'SIGKILL') return;
  assert.equal(summary.exit, exit, stderr);
  const { confirmed, possibly_charged: possibly } = summary.credits;
  assert.ok(
    charged === null || (confirmed <= charged && charged <= confirmed + possibly),
    `the summary says ${confirmed} + ${possibly} credits, the service ${charged}`,
  );
}

/** Whether a run has to write its summary: a usage error and --dry-run need not. */
export const isSummaryDue = (
  words: readonly string[],
  { exit, signal }: Omit<Collected, 'stdout'>,
): boolean => words.includes('--summary') && signal === null && exit !== 2 && !words.includes('--dry-run');

/** The only reference of a summary. */
export function onlyReference(summary: Summary | null): ReferenceSummary {
  assert.equal(summary?.references.length, 1);
  const [only] = summary.references;
  assert.ok(only);
  return only;
}

/** What became of each reference: its status, and its exit code if it has one (`failed 5`). */
export const statuses = (summary: Summary | null): string[] =>
  (summary?.references ?? []).map(({ status, exit }) => (exit === null ? status : `${status} ${exit}`));
