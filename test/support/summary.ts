import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Collected } from './collect.ts';

export interface Credits {
  readonly confirmed: number;
  readonly possibly_charged: number;
}

interface Ended {
  readonly error: { readonly code: string; readonly status: number | null; readonly message: string } | null;
  readonly exit: number | null;
  readonly credits: Credits;
}

interface ReferenceSummary extends Ended {
  readonly reference: string | null;
  readonly id: string | null;
  readonly file: string | null;
  readonly status: 'complete' | 'limited' | 'unchanged' | 'unchecked' | 'kept' | 'interrupted' | 'failed';
  readonly entries: number;
  readonly new: number | null;
  readonly missing: number | null;
  readonly unlisted: { readonly count: number; readonly ids: readonly string[] } | null;
  readonly pages: number;
  readonly resumed: number;
  readonly continuation_token: string | null;
}

/** The fields of `--summary`, as the contract names them. */
export interface Summary extends Ended {
  readonly command: string;
  readonly started: string;
  readonly seconds: number;
  readonly requests: number;
  readonly retries: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly references: readonly ReferenceSummary[];
}

/**
 * Runs a command with `--summary PATH` (null: as it is), and holds the summary against how the run ended, and against what
 * the service charged (null: it keeps no account). A usage error and --dry-run need not write one. `counts`: without those
 * that are 0.
 */
export async function reported<R extends Omit<Collected, 'stdout'>>(
  words: readonly string[],
  path: string | null,
  run: (words: readonly string[]) => Promise<R>,
  charged: () => number | null,
) {
  const result = await run(path === null ? words : [...words, '--summary', path]);
  const { exit, signal, stderr } = result;
  const summary = path === null ? null : takeSummary(path);
  const isDue = path !== null && signal === null && exit !== 2 && !words.includes('--dry-run');
  assert.ok(summary !== null || !isDue, 'there is no summary');
  if (summary !== null && signal !== 'SIGKILL') {
    assert.equal(summary.exit, exit, stderr);
    const { confirmed, possibly_charged: possibly } = summary.credits;
    const credits = charged() ?? confirmed;
    const isRight = confirmed <= credits && credits <= confirmed + possibly;
    assert.ok(isRight, `the summary says ${confirmed} + ${possibly} credits, the service ${credits}`);
  }
  return {
    ...result,
    summary,
    counts: Object.fromEntries(Object.entries(summary?.counts ?? {}).filter(([, count]) => count > 0)),
    get only() {
      return onlyReference(summary);
    },
  };
}

export function onlyReference(summary: Summary | null): ReferenceSummary {
  const [only, ...others] = summary?.references ?? [];
  assert.ok(only !== undefined && others.length === 0, 'the summary has not one reference');
  return only;
}

/** Reads the summary of a run and removes it; null if there is none. */
function takeSummary(path: string): Summary | null {
  if (!existsSync(path)) return null;
  const summary = JSON.parse(readFileSync(path, 'utf8')) as Summary;
  rmSync(path);
  return summary;
}

/** What became of each reference: its status, and its exit code if it has one (`failed 5`). */
export const statuses = (summary: Summary | null): string[] =>
  (summary?.references ?? []).map(({ status, exit }) => (exit === null ? status : `${status} ${exit}`));
