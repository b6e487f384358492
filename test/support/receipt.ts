import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import type { Collected } from './collect.ts';

/** The fields of `--summary`, as the contract names them. */
export interface Credits {
  readonly confirmed: number;
  readonly possibly_charged: number;
}

export interface ReceiptError {
  readonly code: string;
  readonly status: number | null;
  readonly message: string;
}

export interface ReferenceReceipt {
  readonly reference: string | null;
  readonly id: string | null;
  readonly file: string | null;
  readonly status: 'complete' | 'limited' | 'unchanged' | 'unchecked' | 'kept' | 'interrupted' | 'failed';
  readonly entries: number;
  readonly new: number | null;
  readonly missing: number | null;
  readonly pages: number;
  readonly credits: Credits;
  /** Entries that an earlier, interrupted run had; else 0. */
  readonly resumed: number;
  readonly why: string | null;
  readonly continuation_token: string | null;
  readonly error: ReceiptError | null;
  /** Null unless it failed or was interrupted. */
  readonly exit: number | null;
}

export interface Receipt {
  readonly command: string;
  readonly started: string;
  readonly seconds: number;
  /** Null if the run was killed: the report is that of its start. */
  readonly exit: number | null;
  /** What ended the run. */
  readonly error: ReceiptError | null;
  readonly credits: Credits;
  readonly requests: number;
  readonly retries: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly references: readonly ReferenceReceipt[];
}

/** Reads the receipt of a run and removes it; null if there is none. */
export async function takeReceipt(path: string): Promise<Receipt | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Receipt;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/** Holds a receipt against how its run ended, and against what the service charged (null: it keeps no account). */
export function checkReceipt(
  receipt: Receipt | null,
  { exit, signal, stderr }: Omit<Collected, 'stdout'>,
  charged: number | null,
): void {
  if (receipt === null || signal === 'SIGKILL') return;
  assert.equal(receipt.exit, exit, stderr);
  const { confirmed, possibly_charged: possibly } = receipt.credits;
  assert.ok(
    charged === null || (confirmed <= charged && charged <= confirmed + possibly),
    `the receipt says ${confirmed} + ${possibly} credits, the service ${charged}`,
  );
}

/** Whether a run has to write its receipt: a usage error and --dry-run need not. */
export const isReceiptDue = (
  words: readonly string[],
  { exit, signal }: Omit<Collected, 'stdout'>,
): boolean => words.includes('--summary') && signal === null && exit !== 2 && !words.includes('--dry-run');

/** The only reference of a receipt. */
export function onlyReference(receipt: Receipt | null): ReferenceReceipt {
  assert.equal(receipt?.references.length, 1);
  const [only] = receipt.references;
  assert.ok(only);
  return only;
}

/** What became of each reference: its status, and its exit code if it has one (`failed 5`). */
export const statuses = (receipt: Receipt | null): string[] =>
  (receipt?.references ?? []).map(({ status, exit }) => (exit === null ? status : `${status} ${exit}`));
